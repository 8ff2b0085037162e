// Options whose value is empty, as that of a variable which is not set: said before anything else is done, never taken for the default.

import { describe, expect, test } from 'vitest';
import { commands } from '../../commands/index.ts';
import { runCli } from '../helpers/run.ts';

const literals = await Promise.all(commands.map(({ load }) => load()));

/** `chat kb query --fields ""` asks for no fields. */
const MAY_BE_EMPTY = new Set(['--fields']);

/** Of `task run`, the options are known when the task is. */
const FILES = { 'workflows/x.yaml': 'tasks:\n  y:\n    command: [echo]\n' };

describe('an empty value', () => {
  for (const { path, options } of literals)
    for (const { long, value } of options) {
      if (value === undefined || MAY_BE_EMPTY.has(`--${long}`)) continue;
      test(`of chat ${path.join(' ')} --${long} is wrong use`, async () => {
        const { code, stdout, stderr } = await runCli([...path, `--${long}`, '', 'x', 'y'], {
          files: FILES,
        });
        expect([code, stdout]).toEqual([2, '']);
        expect(stderr).toMatch(
          /^error: --\S+ needs a value, and what was given is empty\n {2}next: /,
        );
      });
    }

  test('of an option in a chat takes it back, on the command line too', async () => {
    const files = { 'a.chat': 'option: temperature 1\nuser: x\n' };
    const { code, stdout } = await runCli(['compile', '--prompt', '-o', 'temperature=', 'a.chat'], {
      files,
    });
    expect([code, stdout]).toEqual([0, 'user:\n\nx\n']);
  });

  for (const text of ['=1', ' =1', 'x'])
    test(`of a key, as in -o "${text}", is wrong use`, async () => {
      const { code, stderr } = await runCli(['ask', '-d', '-o', text, 'x']);
      expect(code).toBe(2);
      expect(stderr).toBe(
        `error: -o takes key=value, not "${text}" (command line)\n  next: write it as in -o temperature=0; chat help endpoints lists the options\n`,
      );
    });

  test('of a list of chats to import is wrong use', async () => {
    const { code, stderr } = await runCli(['ask', '-d', '-i', ', ,', 'x']);
    expect(code).toBe(2);
    expect(stderr).toBe('error: --import takes names of chats (A,B), not ", ,"\n');
  });
});
