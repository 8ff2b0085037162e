// Requests that break a wire's rules get the provider's own answer, and are noted.

import { expect, it, onTestFinished } from 'vitest';
import { toScenario } from './scenario.ts';
import { startFake } from './server.ts';
import type { WireName } from './types.ts';

interface Case {
  readonly name: string;
  readonly wire: WireName;
  readonly body: Record<string, unknown>;
  /** Part of what is said. */
  readonly said: string;
  readonly headers?: Record<string, string>;
  readonly status?: number;
}

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const use = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'look', input });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' });
const mark = (text: string) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } });
const call = (id: string, given: unknown = '{}') => ({
  ...{ id, type: 'function' },
  function: { name: 'look', arguments: given },
});
const fc = (call_id: string) => ({ type: 'function_call', call_id, name: 'look', arguments: '{}' });

const anthropic = (messages: unknown, more = {}) => ({
  ...{ model: 'claude-fake-1', max_tokens: 2000, messages },
  ...more,
});
const openai = (messages: unknown, more = {}) => ({ model: 'fake-mini', messages, ...more });
const responses = (input: unknown, more = {}) => ({ model: 'fake-5', input, ...more });
const ollama = (messages: unknown, more = {}) => ({ model: 'fake:1b', messages, ...more });

const HI = [user('Hi')];

const CASES: readonly Case[] = [
  {
    name: 'no key',
    wire: 'anthropic',
    body: anthropic(HI),
    headers: { authorization: '' },
    said: 'invalid key',
    status: 401,
  },
  {
    name: 'no version',
    wire: 'anthropic',
    body: anthropic(HI),
    headers: { 'anthropic-version': '' },
    said: 'anthropic-version',
  },
  {
    name: 'a field of another wire',
    wire: 'anthropic',
    body: anthropic(HI, { reasoning_effort: 'low' }),
    said: 'reasoning_effort: Extra inputs',
  },
  {
    name: 'no output limit',
    wire: 'anthropic',
    body: anthropic(HI, { max_tokens: undefined }),
    said: 'max_tokens: Field required',
  },
  {
    name: 'a call without its result',
    wire: 'anthropic',
    body: anthropic([user('Hi'), assistant(use('a')), user('and?')]),
    said: 'were found without `tool_result`',
  },
  {
    name: 'a result after text',
    wire: 'anthropic',
    body: anthropic([user('Hi'), assistant(use('a')), user([mark('first'), result('a')])]),
    said: 'were found without `tool_result`',
  },
  {
    name: 'a result without its call',
    wire: 'anthropic',
    body: anthropic([user([result('a')])]),
    said: 'unexpected `tool_use_id`',
  },
  {
    name: 'blank text',
    wire: 'anthropic',
    body: anthropic([user([{ type: 'text', text: ' ' }])]),
    said: 'non-whitespace',
  },
  {
    name: 'an id with a dot',
    wire: 'anthropic',
    body: anthropic([user('Hi'), assistant(use('a.b')), user([result('a.b')])]),
    said: 'should match pattern',
  },
  {
    name: 'the same id twice',
    wire: 'anthropic',
    body: anthropic([
      user('Hi'),
      assistant(use('a')),
      user([result('a')]),
      assistant(use('a')),
      user([result('a')]),
    ]),
    said: 'ids must be unique',
  },
  {
    name: 'thinking without a signature',
    wire: 'anthropic',
    body: anthropic([user('Hi'), assistant({ type: 'thinking', thinking: 'x' }), user('Go on')]),
    said: 'signature: Field required',
  },
  {
    name: 'thinking that was never given out',
    wire: 'anthropic',
    body: anthropic([
      user('Hi'),
      assistant({ type: 'thinking', thinking: 'x', signature: 'y' }),
      user('Go on'),
    ]),
    said: 'Invalid `signature`',
  },
  {
    name: 'a mark on thinking',
    wire: 'anthropic',
    body: anthropic([
      user('Hi'),
      assistant({
        type: 'thinking',
        thinking: 'x',
        signature: 'y',
        cache_control: { type: 'ephemeral' },
      }),
    ]),
    said: 'thinking.cache_control: Extra inputs',
  },
  {
    name: 'five marks',
    wire: 'anthropic',
    body: anthropic([user(['a', 'b', 'c', 'd', 'e'].map(mark))]),
    said: 'Found 5',
  },
  {
    name: 'a budget above the limit',
    wire: 'anthropic',
    body: anthropic(HI, { thinking: { type: 'enabled', budget_tokens: 2000 } }),
    said: 'must be greater than',
  },
  {
    name: 'a turn in progress that has not begun with thinking',
    wire: 'anthropic',
    body: anthropic([user('Hi'), assistant(use('a')), user([result('a')])], {
      thinking: { type: 'enabled', budget_tokens: 1024 },
    }),
    said: 'but found `tool_use`',
  },
  {
    name: 'a start that ends in white space',
    wire: 'anthropic',
    body: anthropic([user('Hi'), { role: 'assistant', content: 'So ' }]),
    said: 'trailing whitespace',
  },
  {
    name: 'a call without its answer',
    wire: 'openai',
    body: openai([
      user('Hi'),
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      user('and?'),
    ]),
    said: 'did not have response messages: a',
  },
  {
    name: 'an answer without its call',
    wire: 'openai',
    body: openai([user('Hi'), { role: 'tool', tool_call_id: 'a', content: 'x' }]),
    said: 'must be a response to',
  },
  {
    name: 'arguments as an object',
    wire: 'openai',
    body: openai([
      user('Hi'),
      { role: 'assistant', tool_calls: [call('a', {})] },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
    ]),
    said: 'arguments',
  },
  {
    name: 'stream options without a stream',
    wire: 'openai',
    body: openai(HI, { stream_options: {} }),
    said: "'stream_options'",
  },
  {
    name: 'both names of the limit',
    wire: 'openai',
    body: openai(HI, { max_tokens: 1, max_completion_tokens: 1 }),
    said: 'at the same time',
  },
  { name: 'a blank message', wire: 'openai', body: openai([user('')]), said: 'is blank' },
  {
    name: 'a call without its output',
    wire: 'responses',
    body: responses([user('Hi'), fc('a')]),
    said: 'No tool output found for function call a',
  },
  {
    name: 'an output without its call',
    wire: 'responses',
    body: responses([{ type: 'function_call_output', call_id: 'a', output: 'x' }]),
    said: 'No tool call found',
  },
  {
    name: 'reasoning alone',
    wire: 'responses',
    body: responses([{ type: 'reasoning', id: 'rs_1', summary: [] }]),
    said: "Item with id 'rs_1' not found",
  },
  {
    name: 'a response that nobody knows',
    wire: 'responses',
    body: responses('Hi', { previous_response_id: 'resp_no' }),
    said: "'resp_no' not found",
  },
  {
    name: 'an id of another kind',
    wire: 'responses',
    body: responses([
      user('Hi'),
      { ...fc('a'), id: 'call_a' },
      { type: 'function_call_output', call_id: 'a', output: 'x' },
    ]),
    said: "begins with 'fc'",
  },
  {
    name: 'arguments as text',
    wire: 'ollama',
    body: ollama([
      user('Hi'),
      { role: 'assistant', content: '', tool_calls: [call('a')] },
      { role: 'tool', tool_name: 'look', content: 'x' },
    ]),
    said: 'cannot unmarshal string',
  },
  {
    name: 'a tool message without a name',
    wire: 'ollama',
    body: ollama([
      user('Hi'),
      { role: 'assistant', content: '', tool_calls: [call('a', {})] },
      { role: 'tool', content: 'x' },
    ]),
    said: 'needs tool_name',
  },
  {
    name: 'content as parts',
    wire: 'ollama',
    body: ollama([user([{ type: 'text', text: 'Hi' }])]),
    said: 'cannot unmarshal array',
  },
];

for (const { name, wire, body, said, headers, status = 400 } of CASES)
  it(`${wire}: ${name}`, async () => {
    const fake = await startFake(wire, toScenario(['fine']));
    onTestFinished(() => fake.close());
    const response = await fetch(`${fake.url}${fake.wire.path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        authorization: 'Bearer key-1',
        ...headers,
      },
      body: JSON.stringify(body),
    });
    const answer = await response.text();
    expect([response.status, answer]).toEqual([status, expect.stringContaining(said)]);
    expect(fake.violations).toEqual([expect.stringContaining(said)]);
  });

it('thinking in a loop of calls comes back as it was, or is refused', async () => {
  const fake = await startFake(
    'anthropic',
    toScenario([{ thinking: 'Hm ', calls: ['look'] }, 'done']),
  );
  onTestFinished(() => fake.close());
  const ask = async (messages: unknown) => {
    const response = await fetch(`${fake.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        'x-api-key': 'k',
      },
      body: JSON.stringify(anthropic(messages)),
    });
    return JSON.parse(await response.text());
  };
  const { content } = await ask(HI);
  const id = content[1].id;
  const rest = [user([result(id)])];
  expect((await ask([...HI, assistant(content[1]), ...rest])).error.message).toContain(
    'but found `tool_use`',
  );
  const trimmed = { ...content[0], thinking: 'Hm' };
  expect((await ask([...HI, assistant(trimmed, content[1]), ...rest])).error.message).toContain(
    'Invalid `signature`',
  );
  expect((await ask([...HI, assistant(...content), ...rest])).content[0].text).toBe('done');
});
