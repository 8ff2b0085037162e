import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Tree, temporaryFolder, writeTree } from '../helpers/folder.ts';
import { type BuiltPackage, buildPackage } from './package.ts';

let built: BuiltPackage;
beforeAll(async () => {
  built = await buildPackage('load-program');
});
afterAll(() => built.remove());

interface Told {
  readonly message: string;
  readonly at?: { readonly file: string; readonly line: number };
  readonly stack?: string;
  readonly detail?: readonly string[];
  readonly next?: string;
  readonly code?: string;
}

interface Outcome {
  readonly values?: Readonly<Record<string, unknown>>;
  readonly failed?: Told;
}

/** Writes the files, loads the first one, runs its tasks. */
function load(files: Tree, folder = temporaryFolder(), env: NodeJS.ProcessEnv = {}): Outcome {
  writeTree(folder, files);
  const file = join(folder, Object.keys(files)[0] ?? '');
  return built.run([built.folder, file], {
    env: { SCOUT_HOME: join(folder, 'home'), ...env },
  }) as Outcome;
}

const HEAD = "import { defineWorkflow, z } from 'scout-chat';";

const LOADED: readonly { name: string; files: Tree; values: Readonly<Record<string, unknown>> }[] =
  [
    {
      name: 'TypeScript with enums, types, helpers in other files, JSON and text beside it',
      files: {
        'workflow.ts': `${HEAD}
import type { Nothing } from 'no-such-package';
import { double } from './lib/double.js.ts';
import table from './table.json' with { type: 'json' };
import note from './note.txt';
enum Size { small = 3 }
const it: Nothing | number = Size.small;
export default defineWorkflow({ tasks: { a: { run: () => double(it as number) }, b: { run: () => [table.x, note] } } });`,
        'lib/double.js.ts': 'export const double = (n: number): number => n * 2;',
        'table.json': '{"x": 1}',
        'note.txt': 'hé\n',
      },
      values: { a: 6, b: [1, 'hé\n'] },
    },
    {
      name: 'a module with its own place, top-level await and node modules',
      files: {
        'workflow.mjs': `#!/usr/bin/env node
import { basename, relative } from 'node:path';
import { readFile } from 'fs/promises';
import { defineWorkflow } from 'scout-chat/workflow';
import { there } from './lib/place.mjs';
const text = await readFile(new URL('data.txt', import.meta.url), 'utf8');
export default defineWorkflow({ tasks: { a: { run: () => [text, basename(import.meta.filename), relative(import.meta.dirname, there)] } } });`,
        'lib/place.mjs': 'export const there = import.meta.dirname;',
        'data.txt': 'data',
      },
      values: { a: ['data', 'workflow.mjs', 'lib'] },
    },
    {
      name: 'CommonJS',
      files: {
        'workflow.js': `const { defineWorkflow, z } = require('scout-chat');
const path = require('node:path');
module.exports = defineWorkflow({ tasks: { a: { run: () => path.basename(__filename) } } });`.replace(
          '__filename',
          "'x/y'",
        ),
      },
      values: { a: 'y' },
    },
    {
      name: 'every way to import zod, also without the package',
      files: {
        'workflow.mts': `import * as all from 'zod';
import standard, { z, enum as choice } from 'zod';
import { defineWorkflow } from 'scout-chat';
const n: number = 4;
export default defineWorkflow({ tasks: {
  a: { inputs: { w: all.string().default('w'), x: standard.int().default(1), y: z.array(choice(['p'])).default(['p']), v: z.coerce.number().default(n) }, run: (inputs) => inputs },
} });`,
      },
      values: { a: { w: 'w', x: 1, y: ['p'], v: 4 } },
    },
    {
      name: 'packages installed beside it, ES and CommonJS, with subpaths',
      files: {
        'w/workflow.ts': `${HEAD}
import { twice } from 'es-package';
import { more } from 'es-package/deep';
import legacy, { three } from '@scope/legacy';
export default defineWorkflow({ tasks: { a: { run: () => [twice(2), more, legacy.three, three] } } });`,
        'w/node_modules/es-package/package.json':
          '{"name":"es-package","type":"module","exports":{".":{"module":"./bundler.js","import":"./node.js"},"./deep":"./deep.js"}}',
        'w/node_modules/es-package/node.js': 'export const twice = (n) => n * 2;',
        'w/node_modules/es-package/bundler.js': 'export const twice = () => "for bundlers";',
        'w/node_modules/es-package/deep.js': 'export const more = "more";',
        'w/node_modules/@scope/legacy/package.json': '{"name":"@scope/legacy","main":"main.js"}',
        'w/node_modules/@scope/legacy/main.js': 'exports.three = 3;',
      },
      values: { a: [4, 'more', 3, 3] },
    },
    {
      name: 'the library under the same name',
      files: {
        'workflow.ts': `import { defineWorkflow, parse } from 'scout-chat';
export default defineWorkflow({ tasks: { a: { run: () => parse('user: hi').length } } });`,
      },
      values: { a: 1 },
    },
    {
      name: 'streams and generators',
      files: {
        'workflow.ts': `${HEAD}
import { Readable } from 'node:stream';
export default defineWorkflow({ tasks: {
  a: { result: 'text', async *run() { yield 'one'; yield 'two'; } },
  b: { result: 'text', run: () => Readable.from(['x']) },
} });`,
      },
      values: { a: ['one', 'two'], b: ['x'] },
    },
    {
      name: 'run with this, defaults of conversions, and values converted by their schemas',
      files: {
        'workflow.ts': `${HEAD}
export default defineWorkflow({ tasks: {
  a: { description: 'seen', inputs: { n: z.string().transform(Number).default(5), m: z.string().transform(Number).prefault('6') },
    run(inputs) { return [inputs.n, inputs.m, this.description]; } },
} });`,
      },
      values: { a: [5, 6, 'seen'] },
    },
  ];

describe('loading', () => {
  for (const { name, files, values } of LOADED)
    test(name, () => {
      expect(load(files)).toEqual({ values });
    });
});

const REFUSED: readonly {
  name: string;
  files: Tree;
  place: string;
  message: RegExp;
  next?: RegExp;
}[] = [
  {
    name: 'a slip of syntax',
    files: {
      'workflow.ts': `${HEAD}\n\nexport default defineWorkflow({ tasks: { a: { run: ( => 1 } } });`,
    },
    place: 'workflow.ts:3',
    message: /cannot read the workflow: expected "\)" but found "=>"|unexpected/i,
  },
  {
    name: 'a slip in a file that it imports',
    files: {
      'workflow.ts': `${HEAD}\nimport './lib/broken.ts';`,
      'lib/broken.ts': 'const a = 1;\nconst a = 2;',
    },
    place: 'lib/broken.ts:2',
    message: /"a" has already been declared/,
  },
  {
    name: 'an import of a package that is not installed',
    files: { 'workflow.ts': `${HEAD}\nimport left from 'left-pad';\nexport default left;` },
    place: 'workflow.ts:2',
    message: /could not resolve "left-pad"/,
    next: /npm install left-pad/,
  },
  {
    name: 'an import of a file that is not there',
    files: { 'workflow.ts': `import './gone.ts';` },
    place: 'workflow.ts:1',
    message: /could not resolve ".\/gone.ts"/,
    next: /check the path/,
  },
  {
    name: 'an import of a name that the library does not have',
    files: {
      'workflow.ts': `import { z } from 'scout-chat';\nimport { defineWorkFlow } from 'scout-chat';\nexport default defineWorkFlow({});`,
    },
    place: 'workflow.ts:2',
    message: /no matching export in "scout-chat" for import "defineWorkFlow"/,
  },
  {
    name: 'an error thrown while it is loaded',
    files: {
      'workflow.ts': `${HEAD}\nimport { fail } from './lib/fail.ts';\n\nfail();\nexport default 1;`,
      'lib/fail.ts': `type A = { a: 1 };\ninterface B { b: 2 }\nexport function fail(): never {\n  throw new RangeError('too far');\n}`,
    },
    place: 'lib/fail.ts:4',
    message: /the workflow fails while it is loaded: RangeError: too far/,
  },
  {
    name: 'something thrown that is no error',
    files: { 'workflow.js': `throw 'a word';` },
    place: 'workflow.js:1',
    message: /threw a word/,
  },
  {
    name: 'a name that a package does not export',
    files: {
      'workflow.ts': `${HEAD}\nimport { nothing } from 'es-package';\nexport default nothing;`,
      'node_modules/es-package/package.json':
        '{"name":"es-package","type":"module","main":"main.js"}',
      'node_modules/es-package/main.js': 'export const a = 1;',
    },
    place: 'workflow.ts:2',
    message: /does not provide an export named 'nothing'/,
  },
  {
    name: 'no default export',
    files: { 'workflow.ts': `${HEAD}\nexport const workflow = defineWorkflow({ tasks: {} });` },
    place: 'workflow.ts:1',
    message: /the file has no default export/,
    next: /export default defineWorkflow/,
  },
  {
    name: 'a default export that is no workflow',
    files: { 'workflow.ts': 'export default [1];' },
    place: 'workflow.ts:1',
    message: /its default export is no workflow, but a list/,
  },
  {
    name: 'a task without run',
    files: {
      'workflow.ts': `${HEAD}
const bake = 1;
export default defineWorkflow({
  tasks: {
    whisk: { run: () => 1 },
    bake: {
      description: 'Bakes',
      run: 'now',
    },
  },
});`,
    },
    place: 'workflow.ts:8',
    message: /run of task "bake" is a function, not "now"/,
  },
  {
    name: 'an input that is no schema',
    files: {
      'workflow.ts': `${HEAD}\nexport default defineWorkflow({ tasks: { a: {\n  inputs: {\n    n: 'number',\n  },\n  run: () => 1 } } });`,
    },
    place: 'workflow.ts:4',
    message: /input "n" is a zod schema, not "number"/,
  },
  {
    name: 'an input that cannot be given',
    files: {
      'workflow.ts': `${HEAD}\nexport default defineWorkflow({ tasks: { a: { inputs: { o: z.object({}) }, run: () => 1 } } });`,
    },
    place: 'workflow.ts:2',
    message: /input "o" is a zod object/,
    next: /take a string, a number/,
  },
  {
    name: 'a result of no known type',
    files: {
      'workflow.ts': `${HEAD}\nexport default defineWorkflow({ tasks: { a: {\n result: 'picture', run: () => 1 } } });`,
    },
    place: 'workflow.ts:3',
    message: /result is one of string, text.*not "picture"/,
  },
  {
    name: 'a name of a task that is no name',
    files: {
      'workflow.ts': `${HEAD}\nexport default defineWorkflow({ tasks: {\n '../up': { run: () => 1 } } });`,
    },
    place: 'workflow.ts:3',
    message: /a name of a task has letters/,
  },
  {
    name: 'two dependencies of one name',
    files: {
      'workflow.ts': `${HEAD}\nexport default defineWorkflow({ tasks: { a: { run: () => 1 },\n b: { run: () => 1,\n deps: ['a', { task: 'a' }] } } });`,
    },
    place: 'workflow.ts:4',
    message: /two dependencies are called "a"/,
  },
];

describe('a workflow file that is wrong: file and line of', () => {
  for (const { name, files, place, message, next } of REFUSED)
    test(name, () => {
      const folder = temporaryFolder();
      const { failed, values } = load(files, folder);
      expect(values).toBeUndefined();
      expect(`${failed?.at?.file.replace(`${folder}/`, '')}:${failed?.at?.line}`).toBe(place);
      expect(failed?.message).toMatch(message);
      if (next !== undefined) expect(failed?.next).toMatch(next);
      expect(JSON.stringify(failed)).not.toContain(join(folder, 'home'));
    });
});

test('an error of a task has the places of its source', () => {
  const folder = temporaryFolder();
  const { values } = load(
    {
      'workflow.ts': `${HEAD}
import { fail } from './lib/fail.ts';
export default defineWorkflow({ tasks: {
  now: { run: () => fail(1) },
  later: { async *run() {
    yield 'a';
    fail(2);
  } },
} });`,
      'lib/fail.ts': `enum A { a }\nexport function fail(n: number): never {\n  throw new Error(\`no \${n}\`);\n}`,
    },
    folder,
  );
  const stacks = Object.values(values ?? {}).map(
    (value) => (value as { failed: Told }).failed.stack,
  );
  expect(stacks[0]).toContain('Error: no 1\n');
  for (const stack of stacks) expect(stack).toContain(`(${folder}/lib/fail.ts:3:9)`);
  expect(stacks[0]).toMatch(/workflow\.ts:4:\d+/);
  expect(stacks[1]).toMatch(/workflow\.ts:7:\d+/);
});

describe('the cache', () => {
  const FILES = {
    'workflow.ts': `${HEAD}\nimport { n } from './n.ts';\nexport default defineWorkflow({ tasks: { a: { run: () => n } } });`,
    'n.ts': 'export const n: number = 1;',
  };

  test('a second load needs no compiler, and a changed source of any file is seen', () => {
    const folder = temporaryFolder();
    expect(load(FILES, folder)).toEqual({ values: { a: 1 } });
    const compilers = join(built.folder, 'node_modules');
    renameSync(compilers, `${compilers}-hidden`);
    try {
      expect(load({ 'workflow.ts': FILES['workflow.ts'] }, folder)).toEqual({ values: { a: 1 } });
      writeFileSync(join(folder, 'n.ts'), 'export const n: number = 2;');
      expect(load({ 'workflow.ts': FILES['workflow.ts'] }, folder).failed).toMatchObject({
        code: 'no-compiler',
        message: expect.stringContaining('esbuild'),
      });
    } finally {
      renameSync(`${compilers}-hidden`, compilers);
    }
    expect(load({ 'workflow.ts': FILES['workflow.ts'] }, folder)).toEqual({ values: { a: 2 } });
    expect(readdirSync(join(folder, 'home/var/cache/workflows'))).toHaveLength(1);
  });

  test('a cache that is broken is made again', () => {
    const folder = temporaryFolder();
    load(FILES, folder);
    const cache = join(folder, 'home/var/cache/workflows');
    const [name = ''] = readdirSync(cache);
    const whole = readFileSync(join(cache, name), 'utf8');
    for (const broken of ['', 'not code', whole.slice(0, whole.length / 2), whole.slice(0, -20)]) {
      writeFileSync(join(cache, name), broken);
      expect(load(FILES, folder)).toEqual({ values: { a: 1 } });
      expect(readFileSync(join(cache, name), 'utf8')).toBe(whole);
    }
  });

  test('a package that went away is told as such, not as a missing file of the cache', () => {
    const folder = temporaryFolder();
    const files = {
      'workflow.ts': `${HEAD}\nimport { a } from 'es-package';\nexport default defineWorkflow({ tasks: { a: { run: () => a } } });`,
      'node_modules/es-package/package.json':
        '{"name":"es-package","type":"module","main":"main.js"}',
      'node_modules/es-package/main.js': 'export const a = 1;',
    };
    expect(load(files, folder)).toEqual({ values: { a: 1 } });
    rmSync(join(folder, 'node_modules'), { recursive: true });
    expect(load({ 'workflow.ts': files['workflow.ts'] }, folder).failed).toMatchObject({
      message: expect.stringContaining('could not resolve "es-package"'),
    });
  });

  test('without a place to write it only costs time', () => {
    const folder = temporaryFolder({ 'home/var/cache': 'a file where the folder should be' });
    expect(load(FILES, folder)).toEqual({ values: { a: 1 } });
    const { failed } = load({ 'wrong.ts': `${HEAD}\nthrow new Error('x');` }, folder);
    expect(failed?.at).toEqual({ file: join(folder, 'wrong.ts'), line: 2 });
  });
});
