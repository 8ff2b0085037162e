// Commands as tasks: what they are told, what is their result, how they fail.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import type { Inputs } from '../../src/workflows/types.ts';
import { temporaryFolder, writeTree } from '../helpers/folder.ts';
import { testJob } from './job.ts';
import { INPUTS, load, run, task } from './kitchen.ts';

describe('running', () => {
  test('standard output is the result, byte for byte', async () => {
    const { bytes } = await run(`tasks:\n  cook:\n    command: "printf 'a\\\\377\\\\000\\\\n'"`);
    expect([...(bytes ?? [])]).toEqual([97, 255, 0, 10]);
  });

  test('unless the file that RESULT names was written; nothing of it stays', async () => {
    const { text, folder } = await run(
      `tasks:\n  cook:\n    command: |\n      echo noise\n      printf kept > "$RESULT"\n      printf art > "$FILES/a.txt"`,
    );
    expect(text).toBe('kept');
    expect(readdirSync(join(folder, 'jobs/Default.files'))).toEqual(['a.txt']);
  });

  test('what a command of an attempt that was killed left in RESULT, or writes there later, is no result', async () => {
    const folder = temporaryFolder();
    const [cook] = (
      await load(
        `tasks:\n  cook:\n    command: '[ ! -f "$FILES/place" ] || printf late > "$(cat "$FILES/place")"; echo "$RESULT" > "$FILES/place"; printf new'`,
        folder,
      )
    ).tasks;
    const { job } = testJob(folder);
    const results: string[] = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      results.push(Buffer.from((await cook?.run({}, job)) as Uint8Array).toString());
      // As if it had been killed.
      writeFileSync(readFileSync(job.files('place'), 'utf8').trim(), 'old');
    }
    expect(results).toEqual(['new', 'new']);
  });

  test('it is told its dependencies, its folder, and the environment as it is', async () => {
    const yaml = `tasks:
  cook:
    deps: [Other/base, {task: Other/base, name: second-one}]
    command: 'cat "$DEP_base" "$DEP_second_one"; printf " %s %s" "$MINE" "\${INPUT_word-unset}"; cat "$WORKFLOW_FOLDER/more.txt"; pwd'
    inputs: {word: {required: false}}
`;
    const { text, folder } = await run(
      yaml,
      {},
      {
        deps: { base: 'B', 'second-one': 'S' },
        env: { MINE: 'my own', INPUT_word: 'of an outer task', INPUT_WORD: 'of an outer task' },
        files: { 'w/more.txt': ' more ' },
      },
    );
    expect(text).toBe(`BS my own unset more ${folder}\n`);
  });

  test('a program with a path lies beside the workflow', async () => {
    const folder = temporaryFolder({ 'w/bin/': '' });
    writeTree(folder, { 'w/bin/tool': '#!/bin/sh\necho tool $1\n' });
    const { chmodSync } = await import('node:fs');
    chmodSync(join(folder, 'w/bin/tool'), 0o755);
    const [cook] = (await load(task('[./bin/tool, "{{word}}"]'), folder)).tasks;
    expect(
      Buffer.from((await cook?.run({ word: 'w' }, testJob(folder).job)) as Uint8Array).toString(),
    ).toBe('tool w\n');
  });

  test('standard error goes to the log line by line, standard input is empty', async () => {
    const { log, text } = await run(
      `tasks:\n  cook:\n    command: 'cat; echo one >&2; printf "two\\rthree" >&2'`,
    );
    expect(text).toBe('');
    expect(log.join('\n').split('\n')).toEqual(['one', 'two', 'three']);
  });

  test('values that a dependency is given keep their type, and what has no value is left out', async () => {
    const { tasks } = await load(`tasks:
  cook:${INPUTS}
    deps:
      - Other/plain
      - task: Other/given
        inputs: {n: "{{count}}", list: "{{names}}", text: "n is {{count}}", fixed: 7, gone: "{{word}}"}
    command: [echo]
`);
    const [plain, given] = tasks[0]?.deps ?? [];
    expect(plain?.inputs({ count: 1 })).toEqual({});
    expect(given?.inputs({ count: 1, names: ['a'] })).toEqual({
      n: 1,
      list: ['a'],
      text: 'n is 1',
      fixed: 7,
    });
  });
});

const FAILED: readonly { name: string; command: string; inputs?: Inputs; failure: object }[] = [
  {
    name: 'a status that is not 0, with the last lines of standard error',
    command: `'seq 30 >&2; echo "no good" >&2; echo >&2; exit 3'`,
    failure: {
      code: 'command-failed',
      exitCode: 1,
      message: 'the command failed with status 3: no good',
      detail: ['22', '23', '24', '25', '26', '27', '28', '29', '30'],
      facts: { status: 3 },
    },
  },
  {
    name: 'a status that is not 0, and not a word',
    command: "'exit 1'",
    failure: { message: 'the command failed with status 1, and said nothing' },
  },
  {
    name: 'a program that is not there',
    command: '[no-such-program-anywhere]',
    failure: {
      code: 'command-not-found',
      exitCode: 1,
      message: 'command "no-such-program-anywhere" of Kitchen/cook is not found',
      next: 'install it, or correct its name in the workflow',
    },
  },
  {
    name: 'a program that the shell does not find',
    command: "'no-such-program-anywhere x'",
    failure: {
      code: 'command-not-found',
      message: expect.stringMatching(
        /failed with status 127: .*no-such-program-anywhere.*not found/,
      ),
    },
  },
  {
    name: 'a program that may not be run',
    command: '[./workflow.yaml]',
    failure: {
      code: 'command-not-found',
      message: expect.stringMatching(/workflow.yaml" of Kitchen\/cook may not be run/),
    },
  },
  {
    name: 'a signal, which may pass',
    command: "'kill -9 $$'",
    failure: {
      message: 'the command was ended by SIGKILL, and said nothing',
      facts: { kind: 'killed' },
    },
  },
  {
    name: 'text that is longer than the system gives to a command',
    command: '[printf, "{{word}}"]',
    inputs: { word: 'x'.repeat(200_000) },
    failure: { code: 'input-too-long', next: expect.stringContaining('an input of type file') },
  },
  {
    name: 'a NUL character',
    command: '[printf, "{{word}}"]',
    inputs: { word: 'a\0b' },
    failure: {
      code: 'bad-input',
      message: 'an input of Kitchen/cook holds a NUL character, which no command takes',
    },
  },
];

describe('a command fails with', () => {
  for (const { name, command, inputs, failure } of FAILED)
    test(name, async () => {
      const ran = await run(task(command), inputs);
      expect(ran.failure).toBeInstanceOf(Failure);
      expect(ran.failure).toMatchObject(failure);
      expect(ran.failure?.at).toEqual({ file: join(ran.folder, 'w/workflow.yaml'), line: 12 });
      if (existsSync(join(ran.folder, 'jobs/Default.files')))
        expect(readdirSync(join(ran.folder, 'jobs/Default.files'))).toEqual([]);
    });

  test('the whole of standard error in the log', async () => {
    const { log } = await run(task("'seq 3000 >&2; exit 1'"));
    expect(log.join('\n').split('\n')).toHaveLength(3000);
  });
});

test('a definition becomes tasks with typed inputs', async () => {
  const { tasks, ...workflow } = await load(`name: Kitchen
title: A kitchen
description: |
  Cooks.
tasks:
  cook:
    description: Cooks one thing
    return_path: true
    result: json
    inputs:
      dish: {type: select, values: [soup, 1, true], description: What}
      guests: {type: integer, default: 4}
      spices: {type: string_array, default: [salt]}
      recipe: {type: file, required: false}
      note:
      hint: text
    command: [echo]
  stir:
    exec: true
    deps: [cook]
    command: echo
`);
  const base = { description: '', required: true };
  expect(workflow).toMatchObject({ name: 'Kitchen', title: 'A kitchen', description: 'Cooks.' });
  expect(tasks[0]).toMatchObject({
    description: 'Cooks one thing',
    result: 'json',
    returnPath: true,
    exec: false,
  });
  expect(tasks[0]?.inputs).toEqual([
    { ...base, name: 'dish', type: 'select', values: ['soup', '1', 'true'], description: 'What' },
    { ...base, name: 'guests', type: 'integer', default: 4, required: false },
    { ...base, name: 'spices', type: 'string_array', default: ['salt'], required: false },
    { ...base, name: 'recipe', type: 'file', required: false },
    { ...base, name: 'note', type: 'string' },
    { ...base, name: 'hint', type: 'text' },
  ]);
  expect(tasks[1]).toMatchObject({
    exec: true,
    result: 'string',
    returnPath: false,
    deps: [{ name: 'cook', workflow: 'Kitchen', task: 'cook' }],
  });
});

test('a stop ends a command that will not end, and everything that it started', async () => {
  const folder = temporaryFolder();
  const [cook] = (
    await load(
      `tasks:\n  cook:\n    command: |\n      trap '' TERM\n      setsid sleep 300 &\n      echo $! $$ > new; mv new pids\n      while :; do sleep 0.2; done`,
      folder,
    )
  ).tasks;
  const stop = new AbortController();
  const settled = Promise.resolve(cook?.run({}, testJob(folder, {}, stop.signal).job)).catch(
    (error: unknown) => error,
  );
  while (!existsSync(join(folder, 'pids'))) await new Promise((resolve) => setTimeout(resolve, 20));
  const pids = readFileSync(join(folder, 'pids'), 'utf8').trim().split(' ');
  const reason = new Error('stop');
  stop.abort(reason);
  expect(await settled).toBe(reason);
  const runs = (pid: string) =>
    existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  expect(pids.filter(runs)).toEqual([]);
});
