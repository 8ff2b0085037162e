// Signed thinking and the calls behind it stay as they were made, or go together.

import { expect, test } from 'vitest';
import { withFates } from '../../../src/chat/strategies/fates.ts';
import type { Fate } from '../../../src/chat/strategies/traffic.ts';
import type { Chat } from '../../../src/types.ts';

const LIMITS = { shortened_argument: 10, shortened_output: 20 };
const LONG = 'x'.repeat(2000);

const chat = (signature: object, calls: number): Chat => [
  { role: 'user', content: 'q' },
  {
    role: 'provider_content',
    content: JSON.stringify({ backend: 'a', blocks: [{ type: 'thinking', ...signature }] }),
  },
  { role: 'assistant', content: 'Looking.' },
  ...Array.from({ length: calls }, (_, id) => ({
    role: 'function_call',
    content: JSON.stringify({ name: 'n', id, arguments: { text: LONG } }),
  })),
  ...Array.from({ length: calls }, (_, id) => ({
    role: 'function_call_output',
    content: JSON.stringify({ name: 'n', id, content: LONG }),
  })),
];

const signed = { signature: 'sig==' };

const cases: readonly {
  readonly name: string;
  readonly chat: Chat;
  /** Of the calls, then of the outputs: `d` dropped, `s` shortened. */
  readonly fates: string;
  /** Capital letters are whole. */
  readonly left: string;
}[] = [
  { name: 'a signed call is not shortened', chat: chat(signed, 1), fates: 'ss', left: 'bCo' },
  { name: 'one without a signature is', chat: chat({}, 1), fates: 'ss', left: 'co' },
  { name: 'all of a round go', chat: chat(signed, 2), fates: 'dddd', left: '' },
  { name: 'one of two does not go alone', chat: chat(signed, 2), fates: 'd.d.', left: 'bCCoO' },
  {
    name: 'nor does one while the other is shortened',
    chat: chat(signed, 2),
    fates: 'dsds',
    left: 'bCCoo',
  },
];

test.each(cases)('$name', ({ chat: messages, fates, left }) => {
  const given = new Map<number, Fate>();
  for (const [index, letter] of [...fates].entries())
    if (letter !== '.') given.set(3 + index, letter === 'd' ? 'drop' : 'shorten');
  const told = withFates(messages, given, LIMITS).chat.flatMap(({ role, content }) => {
    if (role === 'provider_content') return 'b';
    if (!role.startsWith('function')) return [];
    const letter = role === 'function_call' ? 'c' : 'o';
    return content.length > LONG.length ? letter.toUpperCase() : letter;
  });
  expect(told.join('')).toBe(left);
});
