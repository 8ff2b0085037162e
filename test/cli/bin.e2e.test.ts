// The built executables in real pipes and on a real terminal.

import { accessSync, constants, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Outcome, onTerminal, packageFolder, shell } from '../helpers/built.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const outcomes: readonly (readonly [string, string, { [Key in keyof Outcome]: unknown }])[] = [
  [
    'chat tells its version',
    'chat --version',
    { code: 0, stdout: expect.stringMatching(/^scout-chat \d+\.\d+\.\d+\n$/), stderr: '' },
  ],
  [
    'agent tells the same',
    'agent --version',
    { code: 0, stdout: expect.stringMatching(/^scout-chat /), stderr: '' },
  ],
  [
    'prov tells the same',
    'prov --version',
    { code: 0, stdout: expect.stringMatching(/^scout-chat /), stderr: '' },
  ],
  [
    'agent is short for chat agent',
    'agent find Researcher',
    { code: 3, stdout: '', stderr: expect.stringContaining('there is no agent "Researcher"') },
  ],
  [
    'prov is short for chat prov',
    'prov --help',
    { code: 0, stdout: expect.stringContaining('chat prov'), stderr: '' },
  ],
  [
    'a wrong option ends with 2',
    'chat print --nope x.chat',
    { code: 2, stdout: '', stderr: expect.stringContaining('--nope') },
  ],
  [
    'a reader that takes one line is no failure',
    'set -o pipefail; chat help --markdown | head -1',
    { code: 0, stdout: '# Commands\n', stderr: '' },
  ],
  [
    'a reader that takes nothing is no failure',
    'set -o pipefail; chat help --markdown | true',
    { code: 0, stdout: '', stderr: '' },
  ],
  [
    'so it is for the version',
    'set -o pipefail; chat --version | true',
    { code: 0, stdout: '', stderr: '' },
  ],
  [
    'a full disk is a failure',
    'chat help > /dev/full',
    { code: 1, stdout: '', stderr: 'error: cannot write to standard output: the disk is full\n' },
  ],
  [
    'a full disk is one for the version too',
    'chat --version > /dev/full',
    { code: 1, stdout: '', stderr: 'error: cannot write to standard output: the disk is full\n' },
  ],
  [
    'standard output that is closed is no failure',
    'chat help >&-',
    { code: 0, stdout: '', stderr: '' },
  ],
  [
    'standard error that is closed does not change the exit code',
    'chat hlep 2>&-',
    { code: 2, stdout: '', stderr: '' },
  ],
  [
    'standard input that is closed is no failure',
    'chat help <&-',
    { code: 0, stdout: expect.stringMatching(/^Usage/), stderr: '' },
  ],
  [
    'NO_COLOR does not matter in a pipe',
    'NO_COLOR=1 chat hlep',
    { code: 2, stdout: '', stderr: expect.not.stringContaining('\x1b') },
  ],
  [
    'FORCE_COLOR colours a pipe',
    'FORCE_COLOR=1 chat hlep',
    { code: 2, stdout: '', stderr: expect.stringContaining('\x1b[') },
  ],
  [
    'FORCE_COLOR=0 does not',
    'FORCE_COLOR=0 chat hlep',
    { code: 2, stdout: '', stderr: expect.not.stringContaining('\x1b') },
  ],
  [
    '--color is stronger than FORCE_COLOR',
    'FORCE_COLOR=1 chat --color never hlep',
    { code: 2, stdout: '', stderr: expect.not.stringContaining('\x1b') },
  ],
  [
    'nothing warns when Node is told to trace warnings',
    'NODE_OPTIONS=--trace-warnings chat help',
    { code: 0, stdout: expect.stringMatching(/^Usage/), stderr: '' },
  ],
];

describe('in a pipe:', () => {
  for (const [name, command, expected] of outcomes)
    test(name, async () => expect(await shell(command)).toEqual(expected));
});

const terminals: readonly (readonly [
  string,
  readonly string[],
  Record<string, string>,
  boolean,
])[] = [
  ['errors have colour', ['hlep'], {}, true],
  ['not with NO_COLOR', ['hlep'], { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR counts as unset', ['hlep'], { NO_COLOR: '' }, true],
  ['not on a terminal that cannot', ['hlep'], { TERM: 'dumb' }, false],
  [
    '--color always is stronger than NO_COLOR',
    ['--color', 'always', 'hlep'],
    { NO_COLOR: '1' },
    true,
  ],
  ['FORCE_COLOR is stronger than NO_COLOR', ['hlep'], { NO_COLOR: '1', FORCE_COLOR: '1' }, true],
];

describe('on a terminal:', () => {
  for (const [name, argv, env, coloured] of terminals)
    test(name, async () => {
      const { code, output } = await onTerminal('chat', argv, { env });
      expect([code, output.includes('\x1b[1;31merror:')]).toEqual([2, coloured]);
    });
});

describe('the executables', () => {
  test('can be run as they are', () => {
    for (const name of ['chat', 'agent', 'prov']) {
      const file = join(packageFolder, 'bin', `${name}.js`);
      accessSync(file, constants.X_OK);
      expect(readFileSync(file, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    }
  });

  test('work in a folder that was removed under them, as far as they can', async () => {
    const run = (command: string) =>
      shell(`mkdir gone && cd gone && rmdir ../gone && ${command}`, { cwd: temporaryFolder() });
    expect(await run('chat --help')).toMatchObject({ code: 0, stderr: '' });
    expect(await run('chat print x.chat')).toMatchObject({
      code: 2,
      stderr:
        'error: cannot read "x.chat": no such file\n  next: check the name, and the folder that it is seen from\n',
    });
    expect(await run('chat ask -c x.chat hi')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no file can be made as "x.chat"'),
    });
  });

  test('say what to do when the program is not built', async () => {
    const folder = temporaryFolder();
    for (const name of ['bin', 'package.json'])
      cpSync(join(packageFolder, name), join(folder, name), { recursive: true });
    const command = (argument: string) => shell(`node bin/chat.js ${argument}`, { cwd: folder });
    expect(await command('help')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: the program is not built yet\n  next: npm run build\n',
    });
    expect((await command('--version')).code).toBe(0);
  });
});

test('what some versions of Node call an experiment is no noise, and other warnings are heard', async () => {
  const cwd = temporaryFolder({
    'workflows/W.js': `
      import { defineWorkflow } from 'scout-chat';
      for (const what of ['Importing JSON modules', 'SQLite'])
        process.emitWarning(\`\${what} is an experimental feature\`, 'ExperimentalWarning');
      process.emitWarning('mind the gap');
      export default defineWorkflow({ tasks: { t: { result: 'text', run: () => 'x' } } });
    `,
  });
  const { code, stdout, stderr } = await shell('chat task run W t', { cwd });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'x\n' });
  expect(stderr).toContain('mind the gap');
  expect(stderr).not.toContain('experimental');
});
