// Python files of a folder, listed and run as a test wants it.

import { join } from 'node:path';
import { expect } from 'vitest';
import type { Failure } from '../../src/errors.ts';
import { loadPython, pythonFiles } from '../../src/workflows/python.ts';
import type { Task } from '../../src/workflows/types.ts';
import type { WorkflowWorld } from '../../src/workflows/world.ts';
import { type Tree, temporaryFolder, writeTree } from '../helpers/folder.ts';
import { createWorld, type RunOptions } from '../helpers/run.ts';
import { testJob } from './job.ts';

/** The world of a folder, and how often it started a program. */
export function counting(folder: string, options: RunOptions = {}) {
  const world = createWorld(folder, options);
  const started: string[] = [];
  const counted: WorkflowWorld = {
    ...world,
    packageFolder: join(import.meta.dirname, '../..'),
    processes: {
      run: (command, args, rest) => {
        started.push(command);
        return world.processes.run(command, args, rest);
      },
      open: world.processes.open,
    },
  };
  return { world: counted, started };
}

/** The tasks of `python/` of a folder with these files. */
export async function load(files: Tree, folder = temporaryFolder(), options: RunOptions = {}) {
  writeTree(folder, files);
  const { world, started } = counting(folder, options);
  const python = await pythonFiles(join(folder, 'python'), world.files);
  return { folder, started, ...(await loadPython(python, 'Lab', world)) };
}

/** All in one folder, so that Python is started once: `a00.py`, `a01.py` … */
export async function loadEach(sources: readonly string[]): Promise<readonly (Task | undefined)[]> {
  const name = (index: number) => `a${String(index).padStart(2, '0')}.py`;
  const files = sources.map((source, index) => [`python/${name(index)}`, source] as const);
  const { tasks, problems } = await load(Object.fromEntries(files), temporaryFolder());
  expect(problems).toEqual([]);
  return sources.map((_, index) => tasks.find(({ at }) => at.file.endsWith(name(index))));
}

/** What the first task of a file makes of these inputs. */
export async function run(
  source: string,
  inputs: Readonly<Record<string, unknown>> = {},
  files: Tree = {},
) {
  const loaded = await load({ 'python/lab.py': source, ...files });
  const { folder, tasks } = loaded;
  const { job, logged } = testJob(folder);
  const settled = await Promise.resolve(tasks[0]?.run(inputs, job)).then(
    (value) => ({ text: Buffer.from(value as Uint8Array).toString(), bytes: value }),
    (failure: unknown) => ({ failure: failure as Failure, text: undefined, bytes: undefined }),
  );
  return { folder, log: logged.join('\n'), failure: undefined, ...settled };
}
