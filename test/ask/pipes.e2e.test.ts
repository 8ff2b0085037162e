// Pipes in place of files, as a shell makes them of `<(command)`.

import { afterEach, expect, it } from 'vitest';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import { openaiStream } from '../helpers/openai-replies.ts';

let home: AskHome | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

/** The program with more arguments, in the words of a shell. */
const inShell = (more: string) => ({ before: ['bash', '-c', `exec "$@" ${more}`, 'bash'] });

for (const [name, more] of [
  ['the output of a command', '-f <(printf "one\\n"; sleep 0.5; printf "two\\n")'],
  ['standard input', '-f /dev/stdin < <(printf "one\\ntwo\\n")'],
] as const)
  it(`${name} goes before the question as a file does`, async () => {
    home = await askHome(openaiStream('Yes.'));
    const run = home.start(['ask', '-d', 'say'], inShell(more));
    expect([(await run.ended).code, run.stderr()]).toEqual([0, '']);
    expect(run.stdout()).toMatch(
      /^user:\n\n<file name="\/dev\/\w+(?:\/\d+)?">\none\ntwo\n\n<\/file>\n\nuser:\n\nsay\n$/,
    );
  });

it('the name of a pipe is not asked as if it were a question', async () => {
  home = await askHome(openaiStream('Yes.'));
  const run = home.start(['ask'], inShell('<(printf "user: x\\n")'));
  expect((await run.ended).code).toBe(2);
  expect(run.stderr()).toMatch(/^error: "\/dev\/fd\/\d+" is no regular file, not a chat file\n/);
  expect(home.server.requests).toEqual([]);
});

it('the name of a folder may be a question', async () => {
  home = await askHome(openaiStream('Yes.'));
  const run = home.start(['ask', '-d', 'home']);
  expect([(await run.ended).code, run.stdout()]).toEqual([0, 'user:\n\nhome\n']);
});
