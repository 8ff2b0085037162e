// A terminal that can write over nothing (`TERM=dumb`: an editor's shell, a log): lines that are added, one after the other.

import { expect, onTestFinished, test } from 'vitest';
import { askHome } from '../helpers/ask-home.ts';
import { onTerminal } from '../helpers/built.ts';
import { chatChunks, openaiError } from '../helpers/openai-replies.ts';

test('TERM=dumb: no status line, and nothing is ever written over', async () => {
  const chunks = chatChunks(['**One** ', 'two ', '`three`.\n\n', '- four']);
  const home = await askHome((_, index) =>
    index === 0
      ? openaiError(503, 'busy')
      : {
          headers: { 'content-type': 'text/event-stream' },
          body: chunks.flatMap((chunk) => [chunk, { wait: 150 }]),
        },
  );
  onTestFinished(() => home.close());
  const { code, output } = await onTerminal('chat', ['ask', 'Count.'], {
    cwd: home.folder,
    env: { HOME: home.file('home'), TERM: 'dumb' },
  });
  expect(code).toBe(0);
  expect(output).not.toMatch(/\x1b|\r(?!\n)/);
  expect(output).toMatch(/trying again \(1 of 1\), in /);
  expect(output).toContain('**One** two `three`.\r\n\r\n- four\r\n');
});
