// Stores and chats for tests of provenance: trees of fixtures with real paths put in, and the ports to walk them.

import { cpSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProvPorts } from '../../src/prov/types/ports.ts';
import { createFiles } from '../../src/world/files.ts';
import { createLocks } from '../../src/world/lock.ts';
import { type Tree, temporaryFolder } from './folder.ts';

const cases = join(import.meta.dirname, '../../fixtures/prov');

/** Names of the cases in fixtures/prov: folders with a tree and with what must come out. */
export const provCases = (): readonly string[] =>
  readdirSync(cases, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

export interface ProvCase {
  /** Real path of the folder that holds the tree. */
  readonly folder: string;
  readonly expected: ExpectedProvenance;
}

export interface ExpectedProvenance {
  readonly target: string;
  readonly symlinks: Readonly<Record<string, string>>;
  readonly nodes: readonly unknown[];
  readonly edges: readonly unknown[];
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly totals: Readonly<Record<string, unknown>>;
  readonly warnings: readonly unknown[];
}

/** A case in a folder of its own, `@ROOT@` replaced in every file and in what is expected. */
export function provCase(name: string): ProvCase {
  const folder = temporaryFolder();
  cpSync(join(cases, name, 'tree'), folder, { recursive: true });
  for (const file of filesBelow(folder))
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('@ROOT@', folder));
  const text = readFileSync(join(cases, name, 'expected.json'), 'utf8');
  const expected: ExpectedProvenance = JSON.parse(text.replaceAll('@ROOT@', folder));
  for (const [link, target] of Object.entries(expected.symlinks))
    symlinkSync(target, join(folder, link));
  return { folder, expected };
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
}

/** The real files; jobs are looked for below `<folder>/var/jobs`. */
export function provPorts(folder: string, changes: Partial<ProvPorts> = {}): ProvPorts {
  return {
    files: createFiles(),
    locks: createLocks(),
    jobFolders: [join(folder, 'var/jobs')],
    cwd: folder,
    ...changes,
  };
}

/** The files of a finished job at `var/jobs/<name>`, what was kept beside it below `.files`. */
export function job(name: string, { info = {}, result = 'x\n', files = {} }: JobParts = {}): Tree {
  const place = `var/jobs/${name}`;
  const [workflow, task] = name.split('/');
  const fields = {
    status: 'done',
    workflow,
    task_name: task,
    type: 'string',
    dependencies: [],
    ...info,
  };
  return {
    ...(result === null ? {} : { [place]: result }),
    [`${place}.info`]: JSON.stringify(fields),
    ...Object.fromEntries(
      Object.entries(files).map(([file, content]) => [`${place}.files/${file}`, content]),
    ),
  };
}

interface JobParts {
  readonly info?: Readonly<Record<string, unknown>>;
  /** `null`: it has none. */
  readonly result?: string | null;
  readonly files?: Tree;
}

/** Chat text with one round for each id: a question, the meta of the request and an answer. */
export const rounds = (...ids: readonly string[]): string =>
  ids
    .map(
      (id) => `user: next\n\nmeta: pt=100 ct=10 tt=110 inference_id=${id}\n\nassistant: fine\n\n`,
    )
    .join('');
