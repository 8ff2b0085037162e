import { describe, expect, it } from 'vitest';
import { toHistory } from '../../src/models/history.ts';
import type { Chat } from '../../src/types.ts';

const message = (role: string, content: string) => ({ role, content });
const call = (id: string, name: string, args: unknown) =>
  message('function_call', JSON.stringify({ name, arguments: args, id }));
const output = (id: string, rest: Record<string, unknown>) =>
  message('function_call_output', JSON.stringify({ name: 'f', id, ...rest }));
const called = (name: string, params: unknown, result: unknown, startsNewChunk = true) => ({
  type: 'functionCall',
  name,
  params,
  result,
  startsNewChunk,
});

const rows: readonly { name: string; chat: Chat; note?: string; becomes: unknown }[] = [
  {
    name: 'the plain roles',
    chat: [
      message('system', 's'),
      message('developer', 'd'),
      message('user', 'u'),
      message('assistant', 'a'),
    ],
    becomes: [
      { type: 'system', text: 's' },
      { type: 'system', text: 'd' },
      { type: 'user', text: 'u' },
      { type: 'model', response: ['a'] },
    ],
  },
  {
    name: 'a call, its result, and the answer are one turn of the model',
    chat: [
      message('user', 'u'),
      call('1', 'f', { a: 1 }),
      output('1', { content: '{"b":2}' }),
      message('assistant', 'a'),
    ],
    becomes: [
      { type: 'user', text: 'u' },
      { type: 'model', response: [called('f', { a: 1 }, { b: 2 }), 'a'] },
    ],
  },
  {
    name: 'calls of one batch get their own results, whatever their order',
    chat: [
      call('1', 'f', {}),
      call('2', 'g', '{"x":1}'),
      output('2', { content: 'two' }),
      output('1', { content: 'one' }),
    ],
    becomes: [
      { type: 'model', response: [called('f', {}, 'one'), called('g', { x: 1 }, 'two', false)] },
    ],
  },
  {
    name: 'an id that is used again belongs to the call before it',
    chat: [
      call('1', 'f', {}),
      output('1', { content: 'a' }),
      call('1', 'f', {}),
      output('1', { content: 'b' }),
    ],
    becomes: [{ type: 'model', response: [called('f', {}, 'a'), called('f', {}, 'b')] }],
  },
  {
    name: 'a failure is a result',
    chat: [call('1', 'f', {}), output('1', { exception: 'no' })],
    becomes: [{ type: 'model', response: [called('f', {}, { exception: 'no' })] }],
  },
  {
    name: 'what another provider wants back is left out, a note goes last',
    chat: [message('provider_content', '{}'), message('user', 'u')],
    note: 'please answer',
    becomes: [
      { type: 'user', text: 'u' },
      { type: 'user', text: 'please answer' },
    ],
  },
];

describe('the history of a prompt', () => {
  for (const { name, chat, note, becomes } of rows)
    it(name, () => {
      expect(toHistory(chat, note)).toEqual(becomes);
    });

  for (const role of ['image', 'pdf'])
    it(`refuses a message of role ${role}, at its place`, () => {
      const origin = { file: 'a.chat', line: 3 };
      expect(() => toHistory([{ role, content: 'x', origin }])).toThrow(
        expect.objectContaining({ exitCode: 4, at: origin, facts: { kind: 'vision_unsupported' } }),
      );
    });
});
