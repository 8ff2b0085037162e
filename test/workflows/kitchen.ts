// A workflow in YAML, loaded and run as a test wants it.

import { join } from 'node:path';
import type { Failure } from '../../src/errors.ts';
import type { Inputs, Workflow } from '../../src/workflows/types.ts';
import { loadYaml } from '../../src/workflows/yaml.ts';
import { type Tree, temporaryFolder, writeTree } from '../helpers/folder.ts';
import { createWorld, type RunOptions } from '../helpers/run.ts';
import { testJob } from './job.ts';

/** The workflow of a YAML text. */
export async function load(
  yaml: string,
  folder = temporaryFolder(),
  options: RunOptions = {},
): Promise<Workflow> {
  writeTree(folder, { 'w/workflow.yaml': yaml });
  return loadYaml(join(folder, 'w/workflow.yaml'), 'Kitchen', createWorld(folder, options));
}

export interface Ran {
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly failure?: Failure;
  readonly log: readonly string[];
  readonly folder: string;
}

/** Runs the first task of a workflow. */
/** What its first task makes of these inputs. */
export async function run(
  yaml: string,
  inputs: Inputs = {},
  {
    deps = {},
    files = {},
    ...options
  }: RunOptions & { deps?: Readonly<Record<string, unknown>>; files?: Tree } = {},
): Promise<Ran> {
  const folder = temporaryFolder(files);
  const workflow = await load(yaml, folder, options);
  const { job, logged } = testJob(folder, deps);
  return Promise.resolve(workflow.tasks[0]?.run(inputs, job)).then(
    (bytes) => ({
      text: Buffer.from(bytes as Uint8Array).toString(),
      bytes: bytes as Uint8Array,
      log: logged,
      folder,
    }),
    (failure: unknown) => ({ failure: failure as Failure, log: logged, folder }),
  );
}

export const INPUTS = `
    inputs:
      word: {type: string, required: false}
      other: {type: string, required: false}
      count: {type: integer, default: 3}
      share: {type: float, required: false}
      sure: {type: boolean, required: false}
      names: {type: string_array, required: false}
      size: {type: select, values: [head, tail], default: head}
      place: {type: path, required: false}`;

/** A workflow of one task with inputs of every kind. */
export const task = (command: string, more = ''): string =>
  `tasks:\n  cook:${INPUTS}\n    command: ${command}\n${more}`;

/** Every one of these tries to be something else than text. */
