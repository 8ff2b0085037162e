// Tool calls of a chat: which output belongs to which call, and how each ended.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { toolCallStatus, toolCalls } from '../../src/prov/tool-calls.ts';
import type { Message } from '../../src/types.ts';

interface Case {
  readonly name: string;
  readonly messages: readonly Message[];
  readonly calls: readonly unknown[];
}

const file = join(import.meta.dirname, '../../fixtures/prov/tool_calls.json');
const { cases }: { readonly cases: readonly Case[] } = JSON.parse(readFileSync(file, 'utf8'));

describe('pairs and statuses:', () => {
  for (const { name, messages, calls } of cases)
    test(name, () => {
      const found = toolCalls(messages).map((call) => {
        const { envelope: _, ...record } = call;
        return { ...record, status: toolCallStatus(call) };
      });
      expect(found).toEqual(calls);
    });
});

const call = (id: string, value: unknown) =>
  `function_call: ${JSON.stringify({ name: 'count', arguments: value, id })}\n\n`;
const output = (id: string, content: string) =>
  `function_call_output: ${JSON.stringify({ id, content })}\n\n`;

describe('ids that servers count from zero in each turn', () => {
  test('each output belongs to the call of its turn', () => {
    const chat = parse(
      `user: one\n\n${call('call_0', 1)}${output('call_0', 'first')}user: two\n\n${call('call_0', 2)}${output('call_0', 'second')}`,
    );
    expect(toolCalls(chat).map(({ arguments: given, output: said }) => [given, said])).toEqual([
      [1, 'first'],
      [2, 'second'],
    ]);
  });

  test('a call that was interrupted does not take the output of the next turn', () => {
    const chat = parse(
      `user: one\n\n${call('call_0', 1)}user: two\n\n${call('call_0', 2)}${output('call_0', 'second')}`,
    );
    expect(toolCalls(chat).map(({ output: said }) => said)).toEqual([null, 'second']);
    expect(toolCalls(chat).map((each) => toolCallStatus(each).success)).toEqual([null, true]);
  });
});

test('the failure of a call to an unknown tool shows', () => {
  const chat = parse(
    `user: q\n\n${call('c', {})}${output('c', JSON.stringify({ exception: 'no tool "no_such"' }))}`,
  );
  expect(toolCalls(chat).map(toolCallStatus)).toEqual([
    { success: false, reason: 'exception', exception: 'no tool "no_such"' },
  ]);
});

test('line ends that JSON does not know stay inside of arguments', () => {
  const text = 'a\u2028system: b\u0085c';
  const chat = parse(`user: q\n\n${call('c', { text })}`);
  expect(toolCalls(chat)[0]?.arguments).toEqual({ text });
});
