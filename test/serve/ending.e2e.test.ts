// How serving over standard input and output begins and ends: nothing is left, whoever ends it.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { environment, shell } from '../helpers/built.ts';
import { type Heard, living, until } from '../helpers/children.ts';
import { began, project, start, statusOf } from '../helpers/serving.ts';

const CALL = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'above', arguments: {} },
})}\n`;

/** A server in the middle of a job with children. */
async function busy(folder: string): Promise<Heard> {
  const started = start(folder, ['Sh']);
  started.child.stdin?.write(CALL);
  await until(() => began(folder) === 1 && living(folder).length > 4);
  return started;
}

describe('with a job that runs', () => {
  test('a closed standard input stops it, and the exit code is 0', async () => {
    const folder = project();
    const { child, ended, stdout } = await busy(folder);
    child.stdin?.end();
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(living(folder)).toEqual([]);
    expect(stdout()).toBe('');
    expect(statusOf(folder, 'Sh/hang/Default')).toBe('aborted');
  });

  test('a client that reads no more is one that is gone', async () => {
    const folder = project();
    const { child, ended } = await busy(folder);
    child.stdout?.destroy();
    child.stdin?.write('{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(living(folder)).toEqual([]);
  });

  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)
    test(`${signal} stops it, and its caller is told`, async () => {
      const folder = project();
      const { child, ended, stdout } = await busy(folder);
      child.kill(signal);
      expect(await ended).toEqual({ code, signal: null });
      expect(living(folder)).toEqual([]);
      expect(JSON.parse(stdout())).toMatchObject({
        id: 1,
        result: {
          isError: true,
          content: [{ text: `the call was stopped: stopped by ${signal}` }],
        },
      });
      expect(statusOf(folder, 'Sh/hang/Default')).toBe('aborted');
    });

  test('SIGKILL leaves no process, and the job can be asked for again', async () => {
    const folder = project();
    const { child, ended } = await busy(folder);
    child.kill('SIGKILL');
    await ended;
    await until(() => living(folder).length === 0);
    const status = await shell('chat task status Sh/hang/Default', {
      cwd: folder,
      env: environment({ HOME: join(folder, 'home') }),
    });
    expect(status.stdout).toBe('aborted\n');
  });
});

test('SIGKILL in the very moment in which a command starts leaves nothing of it', async () => {
  const folder = project({
    'workflows/Kill.yaml':
      'tasks:\n  parent:\n    description: Kills what started it\n    command: "kill -9 $PPID; setsid sleep 987 & sleep 987"\n',
  });
  const { child, ended } = start(folder, ['Kill']);
  child.stdin?.write(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"parent","arguments":{}}}\n',
  );
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
  await until(() => living(folder).length === 0);
});

test('an output that takes nothing, as on a full disk, is an error and no silence', async () => {
  const folder = project();
  const { code, stderr } = await shell(
    `mkfifo in; exec 3<>in; echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' >&3; chat task serve Words <&3 > /dev/full`,
    { cwd: folder, env: environment({ HOME: join(folder, 'home') }) },
  );
  expect(code).toBe(1);
  expect(stderr).toContain('cannot write to standard output');
});

test('an empty standard input ends it at once', async () => {
  const folder = project();
  const result = await shell('chat task serve Words < /dev/null', {
    cwd: folder,
    env: environment({ HOME: join(folder, 'home') }),
  });
  expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
});

describe('before a word of the protocol is spoken', () => {
  const BROKEN = { 'workflows/Broken.yaml': 'tasks: [', 'workflows/Empty.yaml': 'tasks: {}' };
  for (const { name, words, code, text } of [
    {
      name: 'a workflow that is not there',
      words: 'Wrods',
      code: 3,
      text: /^error: there is no workflow "Wrods"\n {2}next: did you mean "Words"\?/,
    },
    {
      name: 'a path that leads nowhere',
      words: './x/Words',
      code: 3,
      text: /^error: there is no workflow at ".\/x\/Words"/,
    },
    {
      name: 'a workflow that is broken',
      words: 'Broken',
      code: 3,
      text: /^error: .*workflows\/Broken.yaml:1/,
    },
    {
      name: 'a slip in the first line, as it was written,',
      words: './other/Slip.ts',
      code: 3,
      text: /^error: cannot read the workflow: .* \(other\/Slip.ts:1\)\n {2}export default 3 \+;\n/,
    },
    {
      name: 'an empty argument',
      words: "''",
      code: 2,
      text: /^error: an empty argument names no workflow/,
    },
    { name: 'a workflow without tasks', words: 'Empty', code: 3, text: /^error: .*Empty/ },
    {
      name: 'a task that is not there',
      words: "'Words cuont'",
      code: 3,
      text: /has no task "cuont".*\n {2}next: did you mean "count"\?/,
    },
    {
      name: 'an input that is not there',
      words: "'Words count least=3'",
      code: 2,
      text: /no input "least"/,
    },
    {
      name: 'a value that its input does not take',
      words: "'Words count most=many'",
      code: 2,
      text: /input "most" cannot be "many"/,
    },
    {
      name: 'two workflows of one name',
      words: 'Words ./other/Words',
      code: 2,
      text: /two of the workflows are called "Words"/,
    },
    { name: 'no workflow', words: '', code: 2, text: /chat task serve needs <workflow>/ },
  ])
    test(`${name} is told`, async () => {
      const folder = project({
        ...BROKEN,
        'other/Slip.ts': 'export default 3 +;',
        'other/Words.yaml': 'tasks: { a: { command: "true" } }',
        'other/Words/workflow.yaml': 'tasks: { a: { command: "true" } }',
      });
      const result = await shell(`chat task serve ${words}`, {
        cwd: folder,
        env: environment({ HOME: join(folder, 'home') }),
      });
      expect([result.code, result.stdout], result.stderr).toEqual([code, '']);
      expect(result.stderr.replaceAll(`${folder}/`, '')).toMatch(text);
    });
});
