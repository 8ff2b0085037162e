// What meta text promises: any text is read, and fields survive being written.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMeta, serializeMeta, tokensOf } from '../../src/chat/meta.ts';
import { parse } from '../../src/chat/parse.ts';
import { print } from '../../src/chat/print.ts';
import { trimmed } from '../../src/chat/white-space.ts';
import { line, RUNS, text } from '../helpers/nasty.ts';

const pair = fc.oneof(
  fc.constantFrom(
    'a=',
    ' b=1',
    ' c="',
    '"',
    '\\"',
    '\\',
    ' d="x" ',
    '" e=',
    ' f=-1.50',
    '  ',
    '\n',
    '=',
    'x',
  ),
  line,
);

/** Values that the form can hold: no white space at their ends, not all in quotes, and no text that reads as a number. */
const value = fc.oneof(
  fc.array(pair, { maxLength: 6 }).map((parts) => trimmed(parts.join(''))),
  fc.integer(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((each) => /^-?\d+\.\d+$/.test(String(each))),
);
const survives = (each: string | number) =>
  typeof each === 'number' ||
  (!(/^".*"$/s.test(each) && !each.includes('=')) && !/^-?\d+(\.\d+)?$/.test(each));

const fields = fc.dictionary(
  fc.constantFrom('pt', 'ct', 'inference_id', 'reas', 'clé', 'a-b.c', '__proto__', '"'),
  value.filter(survives),
);

describe('meta', { timeout: 3_600_000 }, () => {
  test('fields survive being written, also in a chat', () => {
    fc.assert(
      fc.property(fields, (written) => {
        const content = serializeMeta(written);
        const entries = (read: object) =>
          Object.entries(read).sort(([one], [other]) => (one < other ? -1 : 1));
        expect(entries(parseMeta(content))).toEqual(entries(written));
        const [stored] = parse(print([{ role: 'meta', content }]));
        expect(stored?.content).toBe(trimmed(content.replaceAll('\r\n', '\n')));
      }),
      { numRuns: RUNS },
    );
  });

  test('any text is read, and no count is less than 0 or no number', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          fc.array(pair, { maxLength: 12 }).map((parts) => parts.join('')),
        ),
        (any) => {
          for (const count of Object.values(tokensOf(parseMeta(any))))
            expect(count).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
