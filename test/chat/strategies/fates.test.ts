// What goes with the calls and outputs that a strategy drops or shortens.

import { expect, test } from 'vitest';
import { withFates, withNote } from '../../../src/chat/strategies/fates.ts';
import type { Fate } from '../../../src/chat/strategies/traffic.ts';
import type { Chat } from '../../../src/types.ts';

const LIMITS = { shortened_argument: 10, shortened_output: 20 };
const LONG = 'x'.repeat(200);

/** One letter a message: u user, a assistant, b blocks, c call, o output, i image; capital letters hold a long text. */
function chatOf(letters: string): Chat {
  const roles: Readonly<Record<string, string>> = {
    u: 'user',
    a: 'assistant',
    b: 'provider_content',
    c: 'function_call',
    o: 'function_call_output',
    i: 'image',
  };
  return [...letters].map((letter, index) => {
    const role = roles[letter.toLowerCase()] ?? '';
    const text = letter === letter.toUpperCase() ? LONG : `${index}`;
    const fields = role === 'function_call' ? { arguments: { text } } : { content: text };
    return role.startsWith('function')
      ? { role, content: JSON.stringify({ name: 'n', id: '1', ...fields }) }
      : { role, content: text };
  });
}

const letterOf = ({ role }: Chat[number]): string =>
  role === 'provider_content'
    ? 'b'
    : role === 'function_call_output'
      ? 'o'
      : role === 'function_call'
        ? 'c'
        : (role[0] ?? '');

const cases = [
  {
    name: 'dropped calls take their blocks along',
    chat: 'ubacoubacou',
    fates: '...dd......',
    left: 'uaubacou',
  },
  { name: 'one dropped call of two, too', chat: 'ubccoou', fates: '..d.d..', left: 'ucou' },
  { name: 'a shortened call', chat: 'ubCou', fates: '..ss.', left: 'ucou' },
  { name: 'a shortened output leaves the blocks', chat: 'ubcOu', fates: '..ss.', left: 'ubcou' },
  {
    name: 'a call that is not longer than it may be',
    chat: 'ubcou',
    fates: '..s..',
    left: 'ubcou',
  },
  {
    name: 'blocks of an answer without calls stay',
    chat: 'ubaubcou',
    fates: '.....dd.',
    left: 'ubauu',
  },
  { name: 'calls that were stored as pairs', chat: 'ubcocou', fates: '....dd.', left: 'ucou' },
  { name: 'images of the user stay', chat: 'ucouiu', fates: '.dd...', left: 'uuiu' },
  { name: 'images behind a shortened output stay', chat: 'ucOiu', fates: '..s..', left: 'ucoiu' },
];

test.each(cases)('$name', ({ chat, fates, left }) => {
  const made = new Map<number, Fate>(
    [...fates].flatMap((letter, index): [number, Fate][] =>
      letter === 'd' ? [[index, 'drop']] : letter === 's' ? [[index, 'shorten']] : [],
    ),
  );
  const result = withFates(chatOf(chat), made, LIMITS).chat;
  expect(result.map(letterOf).join('')).toBe(left);
});

test('images go with the outputs that they stand behind, when all of those go', () => {
  const letters = (fates: Record<number, Fate>) =>
    withFates(
      chatOf('uccooiiucoi'),
      new Map(Object.entries(fates).map(([place, fate]) => [Number(place), fate])),
      LIMITS,
    )
      .chat.map(letterOf)
      .join('');
  expect(letters({ 1: 'drop', 2: 'drop', 3: 'drop', 4: 'drop' })).toBe('uucoi');
  expect(letters({ 1: 'drop', 3: 'drop' })).toBe('ucoiiucoi');
  expect(letters({ 2: 'drop', 4: 'drop' })).toBe('ucoiiucoi');
});

test.each([
  ['ucoco', 'ucouco'],
  ['uccooiia', 'uccooiiua'],
  ['ua', 'uau'],
])('in %s the note stands behind the first calls and all that they gave', (chat, expected) => {
  const result = withNote(chatOf(chat), 'NOTE');
  expect(result.map(letterOf).join('')).toBe(expected);
  expect(result.filter(({ content }) => content === 'NOTE')).toHaveLength(1);
});
