// Asks the installed pip where packages come from, and lets it fetch a wheel when our own way to the index fails.

import type { Files } from '../world/types/files.ts';
import type { Processes } from '../world/types/processes.ts';
import type { Environment, World } from '../world/types/world.ts';
import { type PipSettings, readPipSettings } from './pip-config.ts';

export interface PipPorts {
  readonly processes: Processes;
  readonly files: Files;
  readonly env: Environment;
  readonly platform: Pick<World['platform'], 'os'>;
  readonly signal: AbortSignal;
}

/** A Python that has pip. */
export interface Python {
  readonly command: string;
  readonly args: readonly string[];
}

export interface FoundPip extends PipSettings {
  /** Undefined when no pip is installed. */
  readonly python?: Python;
}

/** pip's own parser answers, so files, sections, environment and built-in default are weighed as pip itself weighs them. */
const QUESTION = [
  'import json',
  'from pip._internal.commands import create_command',
  'options = create_command("download").parse_args(["x"])[0]',
  'indexes = [] if options.no_index else [options.index_url] + list(options.extra_index_urls)',
  'print("\\n" + json.dumps({"indexes": indexes, "cert": options.cert}))',
].join('\n');

const TIMEOUT = 60_000;

/** The indexes that pip uses: from pip where it is installed, else from its configuration. */
export async function findPip(ports: PipPorts): Promise<FoundPip> {
  for (const python of pythons(ports.platform.os)) {
    const settings = await askPip(python, ports);
    if (settings !== undefined) return { python, ...settings };
  }
  return readPipSettings({ os: ports.platform.os, env: ports.env }, ports.files);
}

function pythons(os: string): readonly Python[] {
  const windows = os === 'win32' ? [{ command: 'py', args: ['-3'] }] : [];
  return [...windows, { command: 'python3', args: [] }, { command: 'python', args: [] }];
}

async function askPip(python: Python, ports: PipPorts): Promise<PipSettings | undefined> {
  try {
    const { code, stdout } = await ports.processes.run(
      python.command,
      [...python.args, '-c', QUESTION],
      { signal: ports.signal, timeout: TIMEOUT },
    );
    if (code !== 0) return undefined;
    return settingsFrom(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  } catch {
    // No such program, or a pip whose inside looks different: the configuration is read instead.
    ports.signal.throwIfAborted();
    return undefined;
  }
}

function settingsFrom(answer: unknown): PipSettings | undefined {
  if (typeof answer !== 'object' || answer === null || !('indexes' in answer)) return undefined;
  const { indexes } = answer;
  if (!Array.isArray(indexes) || !indexes.every((each) => typeof each === 'string'))
    return undefined;
  const cert = 'cert' in answer && typeof answer.cert === 'string' ? answer.cert : '';
  return { indexes, ...(cert === '' ? {} : { certificates: cert }) };
}

/** Lets pip put the wheel of one version into a folder. Returns what pip said when it could not. */
export async function pipDownload(
  python: Python,
  wanted: { readonly package: string; readonly version: string; readonly folder: string },
  ports: Pick<PipPorts, 'processes' | 'signal'>,
): Promise<{ readonly problem?: string }> {
  const { code, stderr } = await ports.processes.run(
    python.command,
    [
      ...python.args,
      '-m',
      'pip',
      'download',
      '--no-deps',
      // A source package would run code of its own.
      '--only-binary=:all:',
      '--disable-pip-version-check',
      '--no-input',
      '--progress-bar=off',
      '--quiet',
      `--dest=${wanted.folder}`,
      `${wanted.package}==${wanted.version}`,
    ],
    { signal: ports.signal },
  );
  if (code === 0) return {};
  const lines = stderr.split('\n').filter((line) => line.startsWith('ERROR:'));
  return {
    problem: withoutCredentials(lines.at(-1)?.slice('ERROR:'.length).trim() ?? `exit ${code}`),
  };
}

/** Addresses in a text without the user and password that they may hold. */
export function withoutCredentials(text: string): string {
  return text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1');
}
