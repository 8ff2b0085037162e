import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Workflow } from '../../src/workflows/types.ts';
import { loadModule } from '../../src/workflows/typescript.ts';
import { type Tree, temporaryFolder, writeTree } from '../helpers/folder.ts';
import { createWorld } from '../helpers/run.ts';
import { testJob } from './job.ts';

async function load(files: Tree, folder = temporaryFolder()): Promise<Workflow> {
  writeTree(folder, files);
  const [first = ''] = Object.keys(files);
  return loadModule(join(folder, first), 'Baking', createWorld(folder));
}

const HEAD = "import { defineWorkflow, z } from 'scout-chat';\n";

describe('a workflow file', () => {
  test('becomes tasks with typed inputs, and runs', async () => {
    const workflow = await load({
      'workflow.ts': `${HEAD}import { input } from 'scout-chat/workflow';
enum Speed { slow = 'slow', fast = 'fast' }
export default defineWorkflow({
  title: 'Bread', description: 'Bakes.',
  tasks: {
    whisk: {
      description: ' Whisks eggs. ',
      inputs: {
        eggs: z.int().min(1).default(2).describe('How many'),
        share: z.number().optional(),
        speed: z.enum(Speed).default(Speed.slow),
        kind: z.literal(['brown', 'white']),
        gently: z.boolean().default(false).describe('Slowly'),
        names: z.array(z.string().describe('A name')).default([]),
        recipe: input.file().describe('The recipe'),
        oven: input.path().optional(),
        note: input.text().nullable().default('none'),
        sizes: z.array(z.int()),
      },
      result: 'string', returnPath: true,
      run: ({ eggs, speed }: { eggs: number; speed: Speed }) => \`\${eggs} \${speed}\`,
    },
    bake: {
      deps: ['whisk', 'Other/mix', { task: 'whisk', name: 'more', inputs: (own) => ({ eggs: own.minutes }) },
        { task: 'Other/rest', inputs: { hours: 2 } }],
      inputs: { minutes: z.int() }, exec: true,
      run: async (inputs, job) => [inputs.minutes, await job.dep('whisk')],
    },
  },
});
`,
    });
    expect(workflow).toMatchObject({ name: 'Baking', title: 'Bread', description: 'Bakes.' });
    const [whisk, bake] = workflow.tasks;
    const base = { description: '', required: true };
    expect(whisk?.inputs.map(({ check, ...rest }) => rest)).toEqual([
      {
        ...base,
        name: 'eggs',
        type: 'integer',
        description: 'How many',
        required: false,
        default: 2,
      },
      { ...base, name: 'share', type: 'float', required: false },
      {
        ...base,
        name: 'speed',
        type: 'select',
        required: false,
        default: 'slow',
        values: ['slow', 'fast'],
      },
      { ...base, name: 'kind', type: 'select', values: ['brown', 'white'] },
      {
        ...base,
        name: 'gently',
        type: 'boolean',
        description: 'Slowly',
        required: false,
        default: false,
      },
      { ...base, name: 'names', type: 'string_array', required: false, default: [] },
      { ...base, name: 'recipe', type: 'file', description: 'The recipe' },
      { ...base, name: 'oven', type: 'path', required: false },
      { ...base, name: 'note', type: 'text', required: false, default: 'none' },
      { ...base, name: 'sizes', type: 'integer_array' },
    ]);
    expect(whisk).toMatchObject({
      description: 'Whisks eggs.',
      result: 'string',
      exec: false,
      returnPath: true,
      deps: [],
    });
    expect(bake).toMatchObject({
      workflow: 'Baking',
      result: 'json',
      exec: true,
      returnPath: false,
    });
    expect(bake?.deps.map(({ inputs, ...rest }) => [rest, inputs({ minutes: 7 })])).toEqual([
      [{ name: 'whisk', workflow: 'Baking', task: 'whisk' }, {}],
      [{ name: 'mix', workflow: 'Other', task: 'mix' }, {}],
      [{ name: 'more', workflow: 'Baking', task: 'whisk' }, { eggs: 7 }],
      [{ name: 'rest', workflow: 'Other', task: 'rest' }, { hours: 2 }],
    ]);
    const { job } = testJob(temporaryFolder(), { whisk: 'foam' });
    expect(await bake?.run({ minutes: 30 }, job)).toEqual([30, 'foam']);
  });
});

test('a workflow file that leads to a device is refused, and not read without end', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'workflow.js');
  symlinkSync('/dev/zero', file);
  await expect(loadModule(file, 'Baking', createWorld(folder))).rejects.toMatchObject({
    message: 'cannot read the workflow: "/dev/zero" is no regular file',
    exitCode: 3,
  });
});
