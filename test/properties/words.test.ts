import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinWords, keysAndWords, splitWords } from '../../src/chat/words.ts';

const runs = { numRuns: Number(process.env.DEEP ?? 1000) };
const hostile = fc.string({
  unit: fc.constantFrom("'", '"', '\\', ' ', '\t', '\n', '$', '`', '=', 'a', 'é', ';'),
});

test('splitting words undoes joining them, for any words', () => {
  fc.assert(
    fc.property(fc.array(hostile), (words) => {
      expect(splitWords(joinWords(words))).toEqual(words);
    }),
    runs,
  );
});

const table: readonly (readonly [text: string, words: readonly string[]])[] = [
  ['', []],
  ['  one   two\tthree\n', ['one', 'two', 'three']],
  ['a="b c" d', ['a=b c', 'd']],
  ["a='b \\ \"c'", ['a=b \\ "c']],
  ['a\\ b', ['a b']],
  ['"a\\"b\\x"', ['a"b\\x']],
  ["''", ['']],
  ["x''y", ['xy']],
  ['$HOME `date` *', ['$HOME', '`date`', '*']],
];
for (const [text, words] of table)
  test(`${JSON.stringify(text)} has the words ${JSON.stringify(words)}`, () => {
    expect(splitWords(text)).toEqual(words);
  });

test('an open quote is a failure that says so', () => {
  expect(() => splitWords('say "hello')).toThrow('a quote is not closed');
});

test('a key is a name: a path with = in it is a plain word', () => {
  expect(keysAndWords(['a/b=c', 'n=1', 'x=', '=y', 'a-b=2=3'])).toEqual({
    plain: ['a/b=c', '=y'],
    pairs: [
      ['n', '1'],
      ['x', ''],
      ['a-b', '2=3'],
    ],
  });
});
