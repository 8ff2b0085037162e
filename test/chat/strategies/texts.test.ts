// What a shortened text looks like, and when there is none.

import { expect, test } from 'vitest';
import { shortened, shortText } from '../../../src/chat/strategies/texts.ts';

const LIMITS = { shortened_argument: 200, shortened_output: 400 };
const call = (args: unknown) => ({
  role: 'function_call',
  content: JSON.stringify({ name: 'write', arguments: args, id: 'c' }),
});
const output = (fields: object) => ({
  role: 'function_call_output',
  content: JSON.stringify({ name: 'write', id: 'c', ...fields }),
});

test('start, length, digest, job and end', () => {
  const text = `${'a'.repeat(3000)}${'z'.repeat(1200)}`;
  expect(shortText(text, 400, '/jobs/Files/read/one')).toBe(
    `${'a'.repeat(180)} …[shortened from 4,200 characters, sha256 77fbda28, whole in job /jobs/Files/read/one]… ${'z'.repeat(60)}`,
  );
});

test('characters are counted as people see them in the file, and none is cut in two', () => {
  expect(shortText('🌍'.repeat(400), 400)).toBe('🌍'.repeat(400));
  const short = shortText('🌍'.repeat(401), 400);
  expect(short).toContain('from 401 characters');
  expect(short).not.toMatch(/\p{Cs}/u);
  expect(shortText(`x${'🌍'.repeat(401)}y`, 401)).not.toMatch(/\p{Cs}/u);
});

test('a text that would not become shorter stays as it is', () => {
  const text = 'x'.repeat(410);
  const job = `/jobs/${'deep/'.repeat(60)}one`;
  expect(shortText(text, 400, job)).toBe(text);
  expect(shortText('x'.repeat(60), 50)).toBe('x'.repeat(60));
});

const cases = [
  { name: 'a short call', message: call({ text: 'x'.repeat(200) }), same: true },
  { name: 'a long argument', message: call({ text: 'x'.repeat(300) }), same: false },
  {
    name: 'a long text deep in',
    message: call({ edits: [{ new: 'x'.repeat(300) }] }),
    same: false,
  },
  { name: 'arguments as text', message: call(JSON.stringify({ a: 'x'.repeat(300) })), same: false },
  { name: 'arguments that are no JSON', message: call(`{"a": "${'x'.repeat(300)}`), same: false },
  { name: 'many short ones', message: call({ all: Array(99).fill('word') }), same: true },
  { name: 'a short output', message: output({ content: 'x'.repeat(400) }), same: true },
  { name: 'a long output', message: output({ content: 'x'.repeat(500) }), same: false },
  {
    name: 'an output that is no text',
    message: output({ content: Array(99).fill('word') }),
    same: false,
  },
  {
    name: 'an output without content',
    message: output({ exception: 'x'.repeat(500) }),
    same: true,
  },
  {
    name: 'no JSON',
    message: { role: 'function_call_output', content: 'x'.repeat(900) },
    same: true,
  },
  {
    name: 'JSON with room in it and nothing long',
    message: { role: 'function_call', content: '{ "name": "a",   "arguments": {}, "id": "1" }' },
    same: true,
  },
];

test.each(cases)('$name', ({ message, same }) => {
  const result = shortened(message, LIMITS);
  expect(result === message).toBe(same);
  expect(shortened(message, LIMITS)).toBe(result);
  if (same) return;
  expect(result.content.length).toBeLessThan(message.content.length);
  expect(JSON.parse(result.content)).toMatchObject({ name: 'write', id: 'c' });
  if (message.content.includes('\\"a\\"') && !message.content.includes('no JSON'))
    expect(typeof JSON.parse(result.content).arguments).toBe('string');
});

test('other measures make another text of the same message', () => {
  const message = output({ content: 'x'.repeat(5000) });
  const one = shortened(message, LIMITS).content.length;
  expect(shortened(message, { ...LIMITS, shortened_output: 2000 }).content.length).toBeGreaterThan(
    one,
  );
  expect(shortened(message, LIMITS).content.length).toBe(one);
});
