// Inputs of TypeScript workflows that are some numbers and no others: on a command line, for a model, and in a job's name.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolSpec } from '../../src/workflows/schema.ts';
import { environment, shell } from '../helpers/built.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const WORKFLOW = `
import { defineWorkflow, z } from 'scout-chat';
enum Level { low = 1, high = 3 }
export default defineWorkflow({ tasks: { show: { description: 'Shows', result: 'json', inputs: {
  one: z.literal(3).default(3),
  size: z.union([z.literal(8), z.literal(16)]).describe('Bits'),
  share: z.literal([0.5, 1]).optional(),
  level: z.enum(Level).default(Level.low),
  many: z.array(z.literal([1, 2])).default([1]),
}, run: (inputs) => inputs } } });
`;

const project = (files = {}) =>
  temporaryFolder({ 'workflows/W.ts': WORKFLOW, 'var/jobs/': '', 'home/': '', ...files });

const run = (folder: string, command: string) =>
  shell(command, { cwd: folder, env: environment({ HOME: join(folder, 'home') }) });

test('literals and enums that are numbers are refused no more: they are inputs', async () => {
  const folder = project();
  const { stdout } = await run(folder, 'chat task run W show --size 16 --share .5 --level 3');
  expect(JSON.parse(stdout)).toEqual({ one: 3, size: 16, share: 0.5, level: 3, many: [1] });
  const help = await run(folder, 'chat task run W show --help');
  expect(help.stdout).toMatch(/--size <integer>\s+Bits: one of 8, 16 \(required\)/);
  expect(help.stdout).toMatch(/--share <number>\s+One of 0\.5, 1/);
  expect(help.stdout).toMatch(/--many <integer>\s+A list of 1, 2 \(default: \[1\]\)/);
});

test('a number that is none of the literals is refused with those that are', async () => {
  const { code, stderr } = await run(project(), 'chat task run W show --size 9 --level low');
  expect(code).toBe(2);
  expect(stderr).toContain('input "size" cannot be "9": it takes one of 8, 16');
  expect(stderr).toContain('input "level" cannot be "low": it takes one of 1, 3');
});

test('one number written in two ways is one job', async () => {
  const folder = project();
  const path = async (size: string) =>
    (await run(folder, `chat task run W show --size ${size} --path`)).stdout;
  expect(await path('16')).toMatch(/show\/Default_[0-9a-f]{32}\.json\n$/);
  expect(await path('+16')).toBe(await path('16'));
  expect(await path('8')).not.toBe(await path('16'));
});

test('a model is told numbers where numbers are taken', () => {
  const input = { name: 'a', description: '', required: true, numbers: [8, 16] };
  const task = { name: 't', workflow: 'W', description: 'd', deps: [], result: 'json' } as const;
  const rest = { exec: false, returnPath: false, run: () => undefined };
  expect(
    toolSpec({ ...task, ...rest, inputs: [{ ...input, type: 'integer' }] }).parameters,
  ).toEqual({
    type: 'object',
    properties: { a: { type: 'integer', enum: [8, 16] } },
    required: ['a'],
  });
});

test('literals of which some are words and some numbers, which nobody could tell apart, are refused', async () => {
  const folder = project({
    'workflows/M.ts': WORKFLOW.replace('z.literal(3).default(3)', "z.literal([3, '3'])"),
  });
  const { code, stderr } = await run(folder, 'chat task list M');
  expect(code).toBe(3);
  expect(stderr).toContain('all words or all numbers');
});
