import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findWorkflow, listWorkflows, taskOf } from '../../src/workflows/find.ts';
import { readInputs } from '../../src/workflows/inputs.ts';
import type { Inputs } from '../../src/workflows/types.ts';
import type { WorkflowWorld } from '../../src/workflows/world.ts';
import { createProcesses } from '../../src/world/processes.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { createWorld } from '../helpers/run.ts';
import { testJob } from './job.ts';

const root = join(import.meta.dirname, '../..');

/** The world as it is in `fixtures`, with a home of its own. */
function exampleWorld(): WorkflowWorld {
  const world = createWorld(temporaryFolder({ 'home/': '' }));
  const cwd = join(root, 'fixtures');
  return { ...world, cwd, packageFolder: root, processes: createProcesses(process.env) };
}

async function run(workflow: string, name: string, given: Inputs, deps: Inputs = {}) {
  const task = await taskOf(await findWorkflow(workflow, exampleWorld()), name);
  const folder = temporaryFolder();
  const { job, logged } = testJob(folder, deps);
  const value = await task.run(readInputs(task, given), job);
  const text = value instanceof Uint8Array ? Buffer.from(value).toString() : value;
  return { value: text, logged, picture: join(folder, 'jobs/Default.files/histogram.svg') };
}

describe('the example workflows', () => {
  test('are found, one in each language, and nothing is wrong with them', async () => {
    const { workflows, problems } = await listWorkflows(exampleWorld());
    expect(problems).toEqual([]);
    const found = workflows.map(({ name, title, tasks }) => [
      name,
      title,
      tasks.map((task) => task.name),
    ]);
    expect(found).toEqual([
      ['Plot', 'Draws numbers.', ['histogram']],
      ['Table', 'Rivers', ['find', 'lengths']],
      ['Words', 'Words', ['split', 'count']],
    ]);
    for (const task of workflows.flatMap(({ tasks }) => tasks)) {
      expect(task.description).not.toBe('');
      for (const input of task.inputs) expect(input.description).not.toBe('');
    }
  });

  test('Words counts', async () => {
    const text = 'One two, two; THREE three three.';
    const split = await run('Words', 'split', { text });
    expect(split.value).toEqual(['one', 'two', 'two', 'three', 'three', 'three']);
    const count = await run('Words', 'count', { text, most: 2 }, { split: split.value });
    expect(count.value).toEqual({ words: 6, different: 3, most: { three: 3, two: 2 } });
    expect(count.logged).toEqual(['6 words']);
  });

  test('Table looks up, also what is not there and what looks like something else', async () => {
    const head = 'name\tcontinent\tkilometres\n';
    expect((await run('Table', 'find', { text: 'RHINE' })).value).toBe(
      `${head}Rhine\tEurope\t1230\n`,
    );
    for (const text of ['-v', '$(echo Nile)', '"', '.*'])
      expect(await run('Table', 'find', { text })).toMatchObject({
        value: head,
        logged: [`no river has ${text}`],
      });
    const found = (await run('Table', 'find', { text: 'africa' })).value;
    const lengths = await run('Table', 'lengths', { text: 'africa' }, { find: found });
    expect(lengths.value).toBe('6650\n4700\n4180\n2574\n');
  });

  test('Plot draws', async () => {
    const { value, picture, logged } = await run('Plot', 'histogram', {
      values: [1, 2, 2, 5],
      bins: 2,
      title: '<a & b>',
    });
    expect(value).toBe('4 values in 2 bins\n1 to 3: 3\n3 to 5: 1\npicture: histogram.svg\n');
    const svg = readFileSync(picture, 'utf8');
    expect(svg).toMatch(/^<svg [^>]*>\n(?:<rect [^>]*fill="steelblue"\/>\n){2}/);
    expect(svg).toContain('>&lt;a &amp; b&gt;</text>');
    expect(logged).toEqual([`drawn: ${picture}`]);
  });
});

test('the examples of the manual are workflows that work', async () => {
  const page = readFileSync(join(root, 'man/chat-workflows.5.md'), 'utf8');
  const blocks = page.split(/^```\n/m).filter((_, index) => index % 2 === 1);
  const holding = (text: string) => blocks.find((block) => block.includes(text)) ?? '';
  const folder = temporaryFolder({
    'home/': '',
    'workflows/Words.ts': holding('defineWorkflow'),
    'workflows/Rivers.yaml': holding('title: Rivers'),
    'workflows/Text/python/text.py': `from typing import Literal\n${holding('def repeat')}`,
    'rivers.tsv': 'Nile\t6650\nRhine\t1230\n',
  });
  const world: WorkflowWorld = { ...createWorld(folder), packageFolder: root };
  const { workflows, problems } = await listWorkflows(world);
  expect(problems).toEqual([]);
  expect(workflows.map(({ name, tasks }) => [name, tasks.map((task) => task.name)])).toEqual([
    ['Rivers', ['find', 'longest', 'lines']],
    ['Text', ['repeat']],
    ['Words', ['split', 'count']],
  ]);
  const run = async (workflow: string, name: string, given: Inputs, deps: Inputs = {}) => {
    const task = await taskOf(await findWorkflow(workflow, world), name);
    const value = await task.run(readInputs(task, given), testJob(folder, deps).job);
    return value instanceof Uint8Array ? Buffer.from(value).toString() : value;
  };
  expect(await run('Rivers', 'find', { text: 'Rhi' })).toBe('Rhine\t1230\n');
  expect(await run('Rivers', 'longest', { count: 1 }, { find: 'a\t5\nb\t60\n' })).toBe('b\t60\n');
  expect(await run('Rivers', 'lines', { files: ['rivers.tsv'] })).toBe('2 rivers.tsv\n');
  expect(await run('Words', 'count', { text: '', least: 2 }, { split: ['a', 'bc'] })).toBe(1);
  expect(await run('Text', 'repeat', { text: 'x', times: 3, mark: '+' })).toBe('x+x+x');
});
