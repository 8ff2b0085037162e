import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  findWorkflow,
  listWorkflows,
  taskFinder,
  taskOf,
  workflowNames,
} from '../../src/workflows/find.ts';
import type { WorkflowWorld } from '../../src/workflows/world.ts';
import { type Tree, temporaryFolder } from '../helpers/folder.ts';
import { createWorld, type RunOptions } from '../helpers/run.ts';

function at(files: Tree, options: RunOptions = {}): WorkflowWorld & { readonly folder: string } {
  const folder = temporaryFolder({ 'home/': '', ...files });
  const world = createWorld(folder, { env: { SCOUT_HOME: join(folder, 'home') }, ...options });
  return { ...world, packageFolder: join(import.meta.dirname, '../..'), folder };
}

/** A definition that says in its title which one it is. */
const yaml = (title: string, tasks = '  a: {command: [echo]}'): string =>
  `title: ${title}\ntasks:\n${tasks}\n`;
const script = (title: string): string =>
  `export default { title: '${title}', tasks: { a: { run: () => 1 } } };`;
const python = (name: string): string => `def ${name}():\n    """Does ${name}."""\n`;

const PLACES: readonly { name: string; files: Tree; title: string; tasks?: readonly string[] }[] = [
  {
    name: 'workflow.yaml in a folder of its name',
    files: { 'workflows/Baking/workflow.yaml': yaml('here') },
    title: 'here',
  },
  { name: 'a file of its name', files: { 'workflows/Baking.yaml': yaml('here') }, title: 'here' },
  ...['ts', 'mts', 'js', 'mjs'].map((ending) => ({
    name: `workflow.${ending}`,
    files: { [`workflows/Baking/workflow.${ending}`]: script(ending) },
    title: ending,
  })),
  {
    name: 'the folder before the file, TypeScript before YAML',
    files: {
      'workflows/Baking.ts': script('file'),
      'workflows/Baking/workflow.yaml': yaml('yaml'),
      'workflows/Baking/workflow.mts': script('folder'),
    },
    title: 'folder',
  },
  {
    name: 'the working directory before the home folder',
    files: {
      'workflows/Baking.yaml': yaml('own'),
      'home/workflows/Baking/workflow.ts': script('home'),
    },
    title: 'own',
  },
  { name: 'the home folder', files: { 'home/workflows/Baking.yaml': yaml('home') }, title: 'home' },
  {
    name: 'Python files alone',
    files: { 'workflows/Baking/python/b.py': python('bake') },
    title: 'Baking',
    tasks: ['bake'],
  },
  {
    name: 'Python files beside a definition',
    files: {
      'workflows/Baking/workflow.yaml': yaml('both', '  a: {command: [echo], deps: [bake]}'),
      'workflows/Baking/python/b.py': python('bake'),
    },
    title: 'both',
    tasks: ['a', 'bake'],
  },
  {
    name: 'Python files for a file of its name',
    files: {
      'workflows/Baking.yaml': yaml('both'),
      'workflows/Baking/python/b.py': python('bake'),
    },
    title: 'both',
    tasks: ['a', 'bake'],
  },
];

describe('a workflow is found at', () => {
  for (const { name, files, title, tasks = ['a'] } of PLACES)
    test(name, async () => {
      const workflow = await findWorkflow('Baking', at(files));
      expect(workflow).toMatchObject({ name: 'Baking', title });
      expect(workflow.tasks.map((task) => [task.workflow, task.name])).toEqual(
        tasks.map((task) => ['Baking', task]),
      );
    });

  test('a path, of a file or a folder', async () => {
    const world = at({ 'x/Mine.yaml': yaml('file'), 'x/Own/workflow.ts': script('folder') });
    expect(await findWorkflow('./x/Mine.yaml', world)).toMatchObject({
      name: 'Mine',
      title: 'file',
    });
    expect(await findWorkflow('x/Own', world)).toMatchObject({ name: 'Own', title: 'folder' });
    expect(await findWorkflow(join(world.folder, 'x/Own/workflow.ts'), world)).toMatchObject({
      name: 'Own',
    });
    await expect(findWorkflow('x/None', world)).rejects.toMatchObject({
      code: 'no-such-workflow',
      exitCode: 3,
    });
  });
});

describe('what is not there', () => {
  const files = {
    'workflows/Baking.yaml': yaml('x', '  whisk: {command: [echo]}'),
    'workflows/Other/notes.txt': '',
  };

  test('a workflow: the places tried and the nearest name', async () => {
    const world = at(files);
    await expect(findWorkflow('Bakng', world)).rejects.toMatchObject({
      code: 'no-such-workflow',
      exitCode: 3,
      message: 'there is no workflow "Bakng"',
      detail: [expect.stringContaining(join(world.folder, 'workflows/Bakng'))],
      next: 'did you mean "Baking"?',
    });
    for (const name of ['', '..', 'Other', 'a b', 'Baking.yaml', '__proto__'])
      await expect(findWorkflow(name, world)).rejects.toMatchObject({ code: 'no-such-workflow' });
    await expect(findWorkflow('../workflows/none', world)).rejects.toMatchObject({
      code: 'no-such-workflow',
    });
  });

  test('a task: the nearest name, or all of them', async () => {
    const workflow = await findWorkflow('Baking', at(files));
    expect((await taskOf(workflow, 'whisk')).name).toBe('whisk');
    await expect(taskOf(workflow, 'wisk')).rejects.toMatchObject({
      code: 'no-such-task',
      exitCode: 3,
      message: 'workflow Baking has no task "wisk"',
      next: 'did you mean "whisk"?',
    });
    await expect(taskOf(workflow, 'constructor')).rejects.toMatchObject({
      next: 'its tasks: whisk',
    });
  });

  test('a task that could not be one: why', async () => {
    const workflow = await findWorkflow(
      'Lab',
      at({ 'workflows/Lab/python/a.py': 'def odd(a: dict):\n    """O."""\n' }),
    );
    await expect(taskOf(workflow, 'odd')).rejects.toMatchObject({
      message: 'parameter "a" of "odd" is dict, which cannot be an input',
      at: { line: 1 },
    });
    await expect(taskOf(workflow, 'other')).rejects.toMatchObject({
      detail: [expect.stringMatching(/a\.py:1: parameter "a" of "odd"/)],
    });
  });
});

describe('two tasks of one name', () => {
  test('in Python files, or in one and the definition, are both unusable, and both places are told', async () => {
    const world = at({
      'workflows/Lab/workflow.yaml': yaml(
        'x',
        '  bake: {command: [echo]}\n  fine: {command: [echo]}',
      ),
      'workflows/Lab/python/a.py': `\n${python('bake')}\n${python('stir')}`,
      'workflows/Lab/python/b.py': python('stir'),
    });
    const workflow = await findWorkflow('Lab', world);
    expect(workflow.tasks.map(({ name }) => name)).toEqual(['fine']);
    const folder = join(world.folder, 'workflows/Lab');
    await expect(taskOf(workflow, 'bake')).rejects.toMatchObject({
      code: 'two-tasks',
      exitCode: 3,
      message: `two tasks are called "bake": ${folder}/workflow.yaml and ${folder}/python/a.py:2`,
    });
    await expect(taskOf(workflow, 'stir')).rejects.toMatchObject({
      message: `two tasks are called "stir": ${folder}/python/a.py:5 and ${folder}/python/b.py:1`,
    });
  });

  test('in TypeScript: file and line of the second', async () => {
    const world = at({
      'workflows/Lab.ts': `export default { tasks: {\n  a: { run: () => 1 },\n  b: { run: () => 1 },\n  a: { run: () => 2 },\n} };`,
    });
    await expect(findWorkflow('Lab', world)).rejects.toMatchObject({
      message: '"a" stands twice here',
      at: { file: join(world.folder, 'workflows/Lab.ts'), line: 4 },
    });
  });
});

test('dependencies that lead nowhere or in a circle, in TypeScript: file and line', async () => {
  const world = at({
    'workflows/One.ts': `export default { tasks: {\n  whisk: { run: () => 1 },\n  bake: {\n    deps: ['wisk'], run: () => 1 },\n} };`,
    'workflows/Two.ts': `export default { tasks: {\n  a: { deps: ['Two/b'], run: () => 1 },\n  b: { deps: ['a'], run: () => 1 },\n} };`,
  });
  await expect(findWorkflow('One', world)).rejects.toMatchObject({
    message: 'task "bake" depends on "wisk", which One does not have',
    at: { line: 4 },
    next: 'did you mean "whisk"?',
  });
  await expect(findWorkflow('Two', world)).rejects.toMatchObject({
    message: 'tasks depend on each other in a circle: a → b → a',
    at: { line: 2 },
  });
});

describe('the list', () => {
  test('has everything that works, and everything that does not beside it', async () => {
    const world = at({
      'workflows/Broken.ts': 'export default {',
      'workflows/Fine.yaml': yaml('fine', '  a: {command: [echo], deps: [Ring/x]}'),
      'workflows/Lab/python/a.py': `${python('good')}def odd(a: dict):\n    """O."""\n`,
      'workflows/Lost.yaml': yaml('lost', '  a: {command: [echo], deps: [Fin/a, Fine/b]}'),
      'workflows/Ring.yaml': yaml('ring', '  x: {command: [echo], deps: [Rung/y]}'),
      'workflows/Rung.yaml': yaml('rung', '  y: {command: [echo], deps: [Ring/x]}'),
      'workflows/types.d.ts': 'export {};',
      'workflows/Some.test.ts': '',
      'workflows/.hidden.yaml': '',
      'workflows/README.md': '',
      'workflows/empty/python/': '',
      'home/workflows/Fine.yaml': yaml('hidden behind'),
      'home/workflows/More.yaml': yaml('more'),
    });
    expect(await workflowNames(world)).toEqual([
      'Broken',
      'Fine',
      'Lab',
      'Lost',
      'More',
      'Ring',
      'Rung',
    ]);
    const { workflows, problems } = await listWorkflows(world);
    expect(workflows.map(({ name, title }) => [name, title])).toEqual([
      ['Fine', 'fine'],
      ['Lab', 'Lab'],
      ['Lost', 'lost'],
      ['More', 'more'],
      ['Ring', 'ring'],
      ['Rung', 'rung'],
    ]);
    expect(problems.map(({ name, failure }) => [name, failure.code, failure.message])).toEqual([
      ['Broken', 'bad-workflow', expect.stringContaining('cannot read the workflow')],
      ['Lab', 'bad-workflow', expect.stringContaining('which cannot be an input')],
      ['', 'unknown-dependency', 'task "Lost/a" depends on "Fin/a", and there is no such workflow'],
      ['', 'unknown-dependency', 'task "Lost/a" depends on "Fine/b", and there is no such task'],
      ['', 'dependency-cycle', 'tasks depend on each other in a circle: Ring/x → Rung/y → Ring/x'],
    ]);
  });

  test('without python3 the other tasks of a workflow are there', async () => {
    const world = at(
      {
        'workflows/Lab/workflow.yaml': yaml('lab'),
        'workflows/Lab/python/a.py': python('b'),
        'workflows/Only/python/a.py': python('c'),
      },
      { env: { PATH: '/nowhere' } },
    );
    const { workflows, problems } = await listWorkflows(world);
    expect(workflows.map(({ name, tasks }) => [name, tasks.map((task) => task.name)])).toEqual([
      ['Lab', ['a']],
    ]);
    expect(problems.map(({ name, failure }) => [name, failure.code])).toEqual([
      ['Only', 'no-python'],
      ['Lab', 'no-python'],
    ]);
  });
});

test('a finder loads each workflow once', async () => {
  const world = at({
    'workflows/Lab.yaml': yaml('x', '  a: {command: [echo]}\n  b: {command: [echo]}'),
  });
  let reads = 0;
  const counting = {
    ...world,
    files: {
      ...world.files,
      read(path: string) {
        reads++;
        return world.files.read(path);
      },
    },
  };
  const find = taskFinder(counting);
  expect((await Promise.all([find('Lab', 'a'), find('Lab', 'b')])).map(({ name }) => name)).toEqual(
    ['a', 'b'],
  );
  expect(reads).toBe(1);
});
