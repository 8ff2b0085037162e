// Replies whose characters are cut in two by the server, as everybody sees them who takes them piece by piece.

import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { wholeText } from '../../src/ask/whole-text.ts';
import { type Script, startFakeServer } from '../helpers/fake-server.ts';
import { chunk, DONE } from '../helpers/openai-replies.ts';
import { runCli } from '../helpers/run.ts';

const [FIRST = '', SECOND = ''] = '🐌'.split('');

async function asked(pieces: readonly string[], ...words: string[]) {
  const chunks = pieces.flatMap((content) => [chunk({ content }), { wait: 40 }]);
  const body: Script['body'] = [...chunks, chunk({}, 'stop'), DONE];
  const server = await startFakeServer({ headers: { 'content-type': 'text/event-stream' }, body });
  onTestFinished(() => server.close());
  return runCli(['ask', '-q', ...words, 'hi'], {
    files: {
      'home/.scout/etc/AI/default.yaml': `backend: openai\nurl: ${server.url}/v1\nmodel: m\n`,
    },
  });
}

const recordsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; text?: string });

const HALVES: readonly (readonly [string, readonly string[], string])[] = [
  ['an emoji in two pieces is one again', [`a${FIRST}`, `${SECOND}b`], 'a🐌b'],
  ['a first half at the end is U+FFFD', ['a', FIRST], 'a\uFFFD'],
  ['a half between letters is U+FFFD', [`a${SECOND}`, `${FIRST}b`], 'a\uFFFD\uFFFDb'],
];

describe('a character that comes in halves:', () => {
  for (const [name, pieces, whole] of HALVES)
    test(`${name}, in each event and in the JSON of the answer`, async () => {
      const { stdout } = await asked(pieces, '--events', '-');
      const told = recordsOf(stdout).flatMap(({ type, text }) =>
        type === 'generation_chunk' ? [text ?? ''] : [],
      );
      expect(told.join('')).toBe(whole);
      for (const text of told) expect(text).not.toMatch(/\p{Surrogate}/u);

      const json = (await asked(pieces, '--json')).stdout;
      expect(json).not.toMatch(/\\ud[89a-f]/);
      expect(JSON.parse(json).answer).toBe(whole);
    });

  test('however a text is cut, the pieces hold whole characters and lose none', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '🐌', FIRST, SECOND, '\n', '')), (pieces) => {
        const stream = wholeText();
        const told = [...pieces.map((piece) => stream.push(piece)), stream.end()];
        expect(told.join('')).toBe(pieces.join('').replace(/\p{Surrogate}/gu, '\uFFFD'));
        for (const text of told) expect(text).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });
});
