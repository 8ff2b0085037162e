// What a chat says to forget.

import { describe, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { clean } from '../../src/chat/stages/clean.ts';
import { clear } from '../../src/chat/stages/clear.ts';
import type { Message } from '../../src/types.ts';
import { deepFreeze, plain } from '../helpers/compiling.ts';
import { vectors } from '../helpers/vectors.ts';

interface Case {
  readonly name: string;
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
  readonly result: readonly Message[];
}

describe('vectors', () => {
  for (const each of vectors<{ clear: Case[] }>('options.json').clear)
    test(each.name, () => {
      const chat = each.messages.map((message) => ({ ...message, content: message.content ?? '' }));
      expect(plain(clear(deepFreeze(chat)))).toEqual(each.result);
    });
});

const CASES: readonly { name: string; text: string; roles: readonly string[] }[] = [
  {
    name: 'clear_tools forgets the tools that were declared before it',
    text: 'tool: A\nmcp: http://x\nkb: k\nclear_tools:\n\ntool: B\nuser: q\n',
    roles: ['tool', 'user'],
  },
  {
    name: 'clear_tools false forgets nothing',
    text: 'tool: A\nclear_tools: false\nuser: q\n',
    roles: ['tool', 'user'],
  },
  {
    name: 'clear_associations forgets associations and keeps tools',
    text: 'association: a b\ntool: A\nclear_associations:\n\nassociation: c d\nuser: q\n',
    roles: ['tool', 'association', 'user'],
  },
  {
    name: 'an empty clear followed by another header clears',
    text: 'user: old\n\nclear:\n\nuser: new\n',
    roles: ['user'],
  },
];

for (const { name, text, roles } of CASES)
  test(name, () => {
    expect(clear(deepFreeze(parse(text))).map(({ role }) => role)).toEqual(roles);
  });

test('clean drops skip and empty messages, and keeps empty options, which take something away', () => {
  const text = 'user:\n\nskip: partial\nmodel:\n\nuser: q\n\nassistant:\n\nmeta: pt=1\n';
  expect(clean(deepFreeze(parse(text))).map(({ role }) => role)).toEqual(['model', 'user', 'meta']);
});

test('clean takes Unicode spaces for text', () => {
  expect(clean([{ role: 'user', content: '\u00a0' }])).toHaveLength(1);
});
