// What the chat format promises, tried on texts drawn to hurt.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { append, appender, openBlock } from '../../src/chat/append.ts';
import { decode } from '../../src/chat/decode.ts';
import { normalise } from '../../src/chat/normalise.ts';
import { parse } from '../../src/chat/parse.ts';
import { print } from '../../src/chat/print.ts';
import { Failure } from '../../src/errors.ts';
import { bare, chatText, messages, RUNS, text } from '../helpers/nasty.ts';
import { readPlainly } from '../helpers/plain-reader.ts';

const check = <T extends unknown[]>(property: fc.IProperty<T>) =>
  fc.assert(property, { numRuns: RUNS });

/** No text to add when the chat ends inside a block, which has to be refused with the line that opens it. */
function tryAppend(old: string, added: Parameters<typeof append>[1]): string | undefined {
  const open = openBlock(old);
  try {
    const result = append(old, added, { file: 'old.chat' });
    expect(open).toBeUndefined();
    return result;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    expect(error).toMatchObject({
      code: 'open-block',
      exitCode: 2,
      at: { file: 'old.chat', line: open?.line },
    });
    return undefined;
  }
}

describe('writing and reading', { timeout: 3_600_000 }, () => {
  test('messages that are printed are read back as they were, in normal form', () => {
    check(
      fc.property(messages, (list) => {
        expect(bare(parse(print(list)))).toEqual(bare(normalise(list)));
      }),
    );
  });

  test('what was read is read the same after printing it, and printed the same after that', () => {
    check(
      fc.property(chatText, (source) => {
        const read = parse(source);
        const printed = print(read);
        expect(bare(parse(printed))).toEqual(bare(read));
        expect(print(parse(printed))).toBe(printed);
      }),
    );
  });

  test('messages in normal form are in it', () => {
    check(
      fc.property(messages, (list) => {
        expect(normalise(normalise(list))).toEqual(normalise(list));
      }),
    );
  });

  test('a text reads as the format page says, rule by rule', () => {
    check(
      fc.property(chatText, (source) => {
        const plain = readPlainly(source);
        expect(bare(parse(source))).toEqual(plain.messages);
        expect(openBlock(source)?.line).toBe(plain.open);
      }),
    );
  });

  test('each message knows the line on which it starts', () => {
    check(
      fc.property(chatText, (source) => {
        const lines = source.replace(/^\ufeff/, '').split('\n');
        for (const { role, origin } of parse(source, { file: 'x.chat' })) {
          const line = lines[(origin?.line ?? 0) - 1] ?? '';
          expect(origin?.file).toBe('x.chat');
          expect(line.startsWith(`${role}:`) || /[^ \t\v\f\r]/.test(line)).toBe(true);
        }
      }),
    );
  });

  test('line ends of the other kind mean the same', () => {
    check(
      fc.property(chatText, (source) => {
        const plain = source.replaceAll('\r', '');
        expect(parse(plain.replaceAll('\n', '\r\n'))).toEqual(parse(plain));
      }),
    );
  });

  test('bytes keep the promise too, but for half characters', () => {
    check(
      fc.property(messages, (list) => {
        const stored = new TextEncoder().encode(print(list));
        const expected = normalise(list).map(({ role, content }) => ({
          role,
          content: new TextDecoder('utf-8', { ignoreBOM: true }).decode(
            new TextEncoder().encode(content),
          ),
        }));
        expect(bare(parse(decode(stored)))).toEqual(expected);
      }),
    );
  });

  test('input stays untouched', () => {
    check(
      fc.property(messages, (list) => {
        const before = structuredClone(list);
        append('', list);
        expect(list).toEqual(before);
      }),
    );
  });
});

describe('appending', { timeout: 3_600_000 }, () => {
  test('a text that does not end in a block keeps its meaning, and the new messages theirs', () => {
    check(
      fc.property(chatText, messages, (old, added) => {
        const addition = tryAppend(old, added);
        if (addition === undefined) return;
        expect(bare(parse(old + addition))).toEqual([
          ...bare(parse(old)),
          ...bare(normalise(added)),
        ]);
      }),
    );
  });

  test('many additions through one appender are the same as one after the other', () => {
    check(
      fc.property(chatText, fc.array(messages, { maxLength: 4 }), (old, rounds) => {
        if (openBlock(old) !== undefined) return;
        const adder = appender(old);
        let grown = old;
        for (const round of rounds) {
          const addition = adder.add(round);
          expect(addition).toBe(append(grown, round));
          grown += addition;
        }
        expect(bare(parse(grown))).toEqual([
          ...bare(parse(old)),
          ...bare(normalise(rounds.flat())),
        ]);
      }),
    );
  });

  test('texts that end in a block are found, and only those', () => {
    check(
      fc.property(text, (old) => {
        const marker = { role: 'user', content: 'the end' };
        const forced = bare(parse(`${old}\n\nuser:\n\nthe end\n`)).at(-1);
        if (openBlock(old) === undefined) expect(forced).toEqual(marker);
        else expect(forced).not.toEqual(marker);
      }),
    );
  });
});
