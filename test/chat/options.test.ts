// Options: what is set at the end of a chat, and what is left of the chat.

import { describe, expect, test } from 'vitest';
import { options } from '../../src/chat/options.ts';
import { parse } from '../../src/chat/parse.ts';
import type { Message } from '../../src/types.ts';
import { deepFreeze, failureOf, placeOf, plain } from '../helpers/compiling.ts';
import { vectors } from '../helpers/vectors.ts';

interface Case {
  readonly name: string;
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
  readonly options: Record<string, string>;
  readonly rest: readonly Message[];
}

describe('vectors', () => {
  for (const each of vectors<{ options: Case[] }>('options.json').options)
    test(each.name, () => {
      const chat = deepFreeze(
        each.messages.map((message) => ({ ...message, content: message.content ?? '' })),
      );
      const found = options(chat);
      expect(found.options).toEqual(each.options);
      expect(plain(found.chat)).toEqual(each.rest);
    });
});

const CASES: readonly { name: string; text: string; options: Record<string, string> }[] = [
  {
    name: 'a value of several lines keeps them',
    text: 'option:\nstop ["a",\n"b"]\n',
    options: { stop: '["a",\n"b"]' },
  },
  {
    name: 'an empty model takes an earlier one away',
    text: 'model: m1\nmodel:\n\nuser: q\n',
    options: {},
  },
  {
    name: 'a sticky nil takes a sticky value away',
    text: 'sticky_option: k 1\nsticky_option: k nil\n',
    options: {},
  },
  {
    name: 'a sticky value comes back after the answer that a pending one was for',
    text: 'sticky_option: k 1\noption: k 2\nuser: a\nassistant: b\nuser: c\n',
    options: { k: '1' },
  },
  {
    name: 'names that objects have by themselves are options as well',
    text: 'option: constructor x\noption: __proto__ y\n',
    options: JSON.parse('{"constructor":"x","__proto__":"y"}'),
  },
];

for (const { name, text, options: expected } of CASES)
  test(name, () => {
    expect(options(deepFreeze(parse(text))).options).toEqual(expected);
  });

test('an option knows where it was set', () => {
  const found = options(parse('user: a\n\noption: temperature 1\n', { file: 'f.chat' }));
  expect(found.origins).toEqual({ temperature: { file: 'f.chat', line: 3 } });
});

const WRONG: readonly { name: string; text: string; next: RegExp }[] = [
  { name: 'an option without a name', text: 'user: q\noption:\n', next: /option: name value/ },
  {
    name: 'an option written with an equals sign',
    text: 'user: q\noption: temperature=0.5\n',
    next: /option: temperature 0\.5/,
  },
  {
    name: 'a sticky option written with a colon',
    text: 'user: q\nsticky_option: top_p: 1\n',
    next: /sticky_option: top_p 1/,
  },
];

for (const { name, text, next } of WRONG)
  test(`${name} is an error with its line`, async () => {
    const failure = await failureOf(() => options(parse(text, { file: 'f.chat' })));
    expect(failure).toMatchObject({ code: 'bad-option', exitCode: 2 });
    expect(placeOf(failure)).toBe('f.chat:2');
    expect(failure.next).toMatch(next);
  });
