// Thinking that is switched on or off in the middle of a turn with tools: providers refuse a turn that is half one and half the other.

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import type { Chat } from '../../src/types.ts';
import { anthropicError, anthropicStream } from '../helpers/anthropic-replies.ts';
import { askBackend, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { Wire } from '../helpers/prompts.ts';
import { served } from '../helpers/served.ts';

const THOUGHT = { type: 'thinking', thinking: 'hm', signature: 's' };
const CALL = { type: 'tool_use', id: 'c1', name: 'size', input: {} };
const kept = (...blocks: unknown[]) => ({
  role: 'provider_content',
  content: JSON.stringify({ backend: 'anthropic', blocks }),
});
const QUESTION = { role: 'user', content: 'q' };
const PAIR: Chat = [
  { role: 'function_call', content: '{"name":"size","arguments":{},"id":"c1"}' },
  { role: 'function_call_output', content: '{"name":"size","content":"1","id":"c1"}' },
];
const THOUGHTFUL: Chat = [QUESTION, kept(THOUGHT, CALL), ...PAIR];
const BARE: Chat = [QUESTION, ...PAIR];

const EXPECTED =
  'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.';
const DISABLED =
  'messages.1.content.0: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.';

/** What is said about the newest message of the model: thinking may stand there if, and only if, it is asked for. */
function refusal({ thinking, messages }: Wire, strict: readonly string[]): string | undefined {
  const last = messages.findLast(({ role }: Wire) => role === 'assistant')?.content ?? [];
  const has = last.some(({ type }: Wire) => type === 'thinking');
  if (strict.includes(thinking?.type) && last.length > 0 && !has) return EXPECTED;
  return has && !['enabled', 'adaptive'].includes(thinking?.type) ? DISABLED : undefined;
}

async function ask(chat: Chat, thinking: string, { budget = false, strict = ['enabled'] } = {}) {
  const server = await served(({ json }) => {
    if (budget && json.thinking?.type === 'adaptive')
      return anthropicError(400, 'adaptive thinking is not supported on this model');
    const message = refusal(json, strict);
    return message === undefined ? anthropicStream('fine') : anthropicError(400, message);
  });
  const endpoint = fakeEndpoint(server.url, { backend: 'anthropic', settings: { thinking } });
  const asked = await askBackend(createAnthropic(), fakeRequest(endpoint, chat));
  const bodies: Wire[] = server.requests.map(({ json }) => json);
  return { ...asked, bodies, last: bodies.at(-1) };
}

describe('Expected `thinking` or `redacted_thinking`, but found `tool_use`', () => {
  test('calls made without thinking are not answered with a budget for it', async () => {
    const { text, bodies, last, warnings } = await ask(BARE, 'high', { budget: true });
    expect(text).toBe('fine');
    // The first one told that the model wants a budget.
    expect(bodies).toHaveLength(2);
    expect(last).not.toHaveProperty('thinking');
    expect(last.max_tokens).toBe(64_000);
    expect(warnings.join('\n')).toMatch(/asked without thinking/);
  });

  test('levels may begin anywhere; a host that thinks otherwise is asked again without', async () => {
    expect((await ask(BARE, 'high')).bodies).toHaveLength(1);
    const { text, bodies, last } = await ask(BARE, 'high', { strict: ['enabled', 'adaptive'] });
    expect(text).toBe('fine');
    expect(bodies).toHaveLength(2);
    expect(last).not.toHaveProperty('thinking');
    expect(last).not.toHaveProperty('output_config');
  });

  test('calls made with thinking go on with it, and so does a new question after them', async () => {
    for (const chat of [THOUGHTFUL, [...THOUGHTFUL, { role: 'user', content: 'now?' }]]) {
      const { last, text } = await ask(chat, 'high', { budget: true });
      expect(text).toBe('fine');
      expect(last.thinking).toMatchObject({ type: 'enabled' });
    }
  });

  test('an answer without calls is no obstacle', async () => {
    const answered = [...BARE, { role: 'assistant', content: 'one' }, QUESTION];
    const { last } = await ask(answered, 'high', { budget: true, strict: [] });
    expect(last.thinking).toMatchObject({ type: 'enabled' });
  });
});

describe('when thinking is disabled, a message in the final position cannot contain it', () => {
  test('switched off in the middle of a turn: the thinking so far stays here', async () => {
    const { text, bodies, last } = await ask(THOUGHTFUL, 'off');
    expect(text).toBe('fine');
    expect(bodies).toHaveLength(1);
    expect(last.messages[1].content).toEqual([CALL]);
  });

  test('not asked for any more: the host says so, and is asked again without', async () => {
    const { text, bodies, last } = await ask(THOUGHTFUL, 'default');
    expect(text).toBe('fine');
    expect(bodies).toHaveLength(2);
    expect(bodies[0].messages[1].content).toEqual([THOUGHT, CALL]);
    expect(last.messages[1].content).toEqual([CALL]);
  });
});

describe('thinking that another host signed makes the chat useless', () => {
  const place = (url: string) =>
    createHash('sha256').update(new URL(url).host).digest('hex').slice(0, 16);
  const from = (host: string) => kept({ type: 'host', place: place(host) }, THOUGHT, CALL);

  test('it goes back to its own host alone, under whatever path; others get the calls', async () => {
    const bodies: Wire[] = [];
    const server = await served(({ json }) => {
      bodies.push(json.messages[1].content);
      return anthropicStream([THOUGHT, CALL]);
    });
    const hosts = [server.url, `${server.url}/v1`, 'https://elsewhere.example'];
    for (const host of hosts) {
      const endpoint = fakeEndpoint(server.url, { backend: 'anthropic' });
      const chat = [QUESTION, from(host), ...PAIR];
      const { events } = await askBackend(createAnthropic(), fakeRequest(endpoint, chat));
      expect(events.find(({ kind }) => kind === 'provider-content')).toEqual({
        kind: 'provider-content',
        blocks: [{ type: 'host', place: place(server.url) }, THOUGHT, CALL],
      });
    }
    expect(bodies).toEqual([[THOUGHT, CALL], [THOUGHT, CALL], [CALL]]);
  });
});
