// Reads pip's own configuration (files and environment) as pip's documentation lays it down. Runs nothing; knows no index of its own.

import { posix, win32 } from 'node:path';
import type { Files } from '../world/types/files.ts';
import type { Environment } from '../world/types/world.ts';

/** What decides where packages come from. */
export interface PipSettings {
  /** Base addresses of the simple index, in pip's order; may hold a user and a password. */
  readonly indexes: readonly string[];
  /** PEM file of the certificates to trust. */
  readonly certificates?: string;
}

export interface PipMachine {
  readonly os: string;
  readonly env: Environment;
}

/** What is there of the places that change where pip looks. */
export interface PipPlaces {
  /** The file that PIP_CONFIG_FILE names. */
  readonly named: boolean;
  /** The user's folder for pip below `Library/Application Support` (macOS). */
  readonly support: boolean;
}

/** Configuration files that pip would read, weakest first. */
export function pipConfigFiles(
  { os, env }: PipMachine,
  there: PipPlaces = { named: false, support: false },
): readonly string[] {
  if (env.PIP_CONFIG_FILE === nullDevice(os)) return [];
  const { join } = os === 'win32' ? win32 : posix;
  const name = os === 'win32' ? 'pip.ini' : 'pip.conf';
  const named = env.PIP_CONFIG_FILE;
  const home = os === 'win32' ? (env.USERPROFILE ?? env.HOME) : env.HOME;
  // A file named by the environment stands in for those of the user.
  const user =
    home === undefined || there.named
      ? []
      : [
          join(home, os === 'win32' ? 'pip' : '.pip', name),
          ...userFiles(os, env, home, there.support),
        ];
  const site = env.VIRTUAL_ENV === undefined ? [] : [join(env.VIRTUAL_ENV, name)];
  return [...globalFiles(os, env), ...user, ...site, ...(named === undefined ? [] : [named])];
}

const nullDevice = (os: string): string => (os === 'win32' ? 'nul' : '/dev/null');

function globalFiles(os: string, env: Environment): readonly string[] {
  if (os === 'win32')
    return [win32.join(env.PROGRAMDATA ?? env.ProgramData ?? 'C:\\ProgramData', 'pip', 'pip.ini')];
  if (os === 'darwin') return ['/Library/Application Support/pip/pip.conf'];
  const folders = (env.XDG_CONFIG_DIRS || '/etc/xdg').split(':').filter((each) => each !== '');
  return [...folders.map((each) => posix.join(each, 'pip', 'pip.conf')), '/etc/pip.conf'];
}

function userFiles(
  os: string,
  env: Environment,
  home: string,
  support: boolean,
): readonly string[] {
  if (os === 'win32')
    return env.APPDATA === undefined ? [] : [win32.join(env.APPDATA, 'pip', 'pip.ini')];
  if (os === 'darwin' && support)
    return [posix.join(home, 'Library', 'Application Support', 'pip', 'pip.conf')];
  return [posix.join(env.XDG_CONFIG_HOME || posix.join(home, '.config'), 'pip', 'pip.conf')];
}

/** The settings that files and environment give; no index when none is named there (pip's default is known to pip alone). */
export async function readPipSettings(
  machine: PipMachine,
  files: Pick<Files, 'read' | 'stat'>,
): Promise<PipSettings> {
  const { HOME, PIP_CONFIG_FILE } = machine.env;
  const support = await files.stat(`${HOME}/Library/Application Support/pip`);
  const named = PIP_CONFIG_FILE === undefined ? undefined : await files.stat(PIP_CONFIG_FILE);
  const there = { support: support?.kind === 'directory', named: named !== undefined };
  const values = new Map<string, string>();
  for (const path of pipConfigFiles(machine, there)) {
    if ((await files.stat(path))?.kind !== 'file') continue;
    const text = new TextDecoder().decode(await files.read(path).catch(() => new Uint8Array()));
    for (const [key, value] of relevant(parseIni(text))) values.set(key, value);
  }
  for (const [key, value] of fromEnvironment(machine.env)) values.set(key, value);
  return settingsOf(values);
}

function settingsOf(values: ReadonlyMap<string, string>): PipSettings {
  const certificates = values.get('cert');
  const cert = certificates === undefined || certificates === '' ? {} : { certificates };
  if (isTrue(values.get('no-index'))) return { indexes: [], ...cert };
  const indexes = [values.get('index-url'), ...(values.get('extra-index-url') ?? '').split(/\s+/)];
  return { indexes: indexes.flatMap((each) => (each ? [each] : [])), ...cert };
}

const isTrue = (value: string | undefined): boolean =>
  /^(?:1|y|yes|t|true|on)$/i.test(value?.trim() ?? '');

/** The sections that count for a download, the general one first. */
function relevant(sections: ReadonlyMap<string, ReadonlyMap<string, string>>) {
  return ['global', 'download'].flatMap((name) => [...(sections.get(name) ?? [])]);
}

function fromEnvironment(env: Environment): readonly [string, string][] {
  return Object.entries(env).flatMap(([name, value]): [string, string][] =>
    name.startsWith('PIP_') && value !== undefined && value !== ''
      ? [[keyOf(name.slice('PIP_'.length)), value]]
      : [],
  );
}

const keyOf = (text: string): string => text.trim().toLowerCase().replaceAll('_', '-');

/**
 * Sections of an INI text: `key = value` or `key: value`, whole-line comments with `#` or `;`, and indented lines that go on with
 * the value before them. Lines that are none of these are passed over.
 */
export function parseIni(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let section: Map<string, string> | undefined;
  let key: string | undefined;
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    if (/^\s*[#;]/.test(line)) continue;
    const header = /^\[([^\]]+)\]/.exec(line)?.[1];
    const pair = /^([^\s=:][^=:]*)[=:](.*)$/.exec(line);
    if (header !== undefined) {
      section = sections.get(header) ?? new Map();
      sections.set(header, section);
      key = undefined;
    } else if (/^\s+\S/.test(line) && section !== undefined && key !== undefined) {
      section.set(key, `${section.get(key)}\n${line.trim()}`.trim());
    } else if (pair !== null && section !== undefined) {
      key = keyOf(pair[1] ?? '');
      section.set(key, (pair[2] ?? '').trim());
    }
  }
  return sections;
}
