// What a task is given when a test runs it: a folder of its own, results of dependencies, and a record of what it told.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobContext } from '../../src/workflows/types.ts';

export interface TestJob {
  readonly job: JobContext;
  readonly logged: readonly string[];
}

/** A job below the folder; `deps` are the results of its dependencies, which also lie there as files. */
export function testJob(
  folder: string,
  deps: Readonly<Record<string, unknown>> = {},
  signal: AbortSignal = new AbortController().signal,
): TestJob {
  const logged: string[] = [];
  const path = join(folder, 'jobs', 'Default');
  const depPath = (name: string) => join(folder, 'jobs', `dep-${name}`);
  for (const [name, value] of Object.entries(deps)) {
    mkdirSync(join(folder, 'jobs'), { recursive: true });
    writeFileSync(depPath(name), String(value));
  }
  const job: JobContext = {
    path,
    name: 'Default',
    dep: async (name) => deps[name],
    depPath,
    files(name = '') {
      mkdirSync(`${path}.files`, { recursive: true });
      return join(`${path}.files`, name);
    },
    progress: () => {},
    log: (text) => void logged.push(text),
    signal,
  };
  return { job, logged };
}
