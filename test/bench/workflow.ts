// What a TypeScript workflow of 30 lines adds to `task run`, in CPU time: the first time it is translated, later that is found again.
// The job itself is done, so what is left is starting up.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { cleanEnvironment, cpuOfCommands } from './measure.ts';
import type { Bench, Row } from './types.ts';

export const workflowBench: Bench = {
  name: 'workflow',
  async run(root) {
    const folder = mkdtempSync(path.join(tmpdir(), 'scout-bench-'));
    try {
      return measure(path.join(root, 'bin/chat.js'), folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function measure(chat: string, folder: string): readonly Row[] {
  mkdirSync(path.join(folder, 'workflows'));
  writeFileSync(path.join(folder, 'workflows/Table.ts'), WORKFLOW);
  const env = cleanEnvironment({ HOME: folder, SCOUT_HOME: path.join(folder, 'scout') });
  const node = process.execPath;
  // Commands are run where the benchmark was started: the folder is named in what they are asked for.
  const run = [node, chat, 'task', 'run', '-q', path.join(folder, 'workflows/Table.ts'), 'values'];
  const { status, stderr } = spawnSync(node, run.slice(1), { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const cache = path.join(folder, 'scout/var/cache');
  const [without = Number.NaN, later = Number.NaN, first = Number.NaN] = cpuOfCommands(
    [
      [node, chat, 'task', 'status', path.join(folder, 'scout/var/jobs/Table/values/Default')],
      run,
      ['/bin/sh', '-c', 'rm -rf "$0"; exec "$@"', cache, ...run],
    ],
    { blocks: 5, runs: 6, env },
  );
  const share = (whole: number) => `${((100 * (whole - without)) / whole).toFixed(0)} % of it`;
  const row = (when: string, whole: number, bound: number): Row => ({
    name: 'workflow',
    measured: `task run of a TypeScript workflow, ${when}: ${whole.toFixed(0)} ms CPU, the workflow is ${share(whole)}`,
    against: `task status: ${without.toFixed(0)} ms CPU`,
    ratio: whole / without,
    bound,
  });
  return [row('first time', first, 5), row('later', later, 2)];
}

const WORKFLOW = `// Counts what stands in a table, column by column.

import { defineWorkflow, z } from 'scout-chat/workflow';

type Row = readonly string[];

const rows = (table: string): Row[] => table.split('\\n').map((line) => line.split('\\t'));

export default defineWorkflow({
  title: 'Tables',
  tasks: {
    columns: {
      description: 'How many columns a table has',
      inputs: { table: z.string().default('a\\tb') },
      result: 'integer',
      run: ({ table }) => Math.max(...rows(table).map((row) => row.length)),
    },
    values: {
      description: 'The different values of a column',
      inputs: {
        table: z.string().default('a\\tb'),
        column: z.number().int().min(1).default(1),
      },
      result: 'array',
      run({ table, column }) {
        return [...new Set(rows(table).map((row) => row[column - 1] ?? ''))].sort();
      },
    },
  },
});
`;
