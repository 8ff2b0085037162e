// Answers of another protocol than the endpoint's: the address is right, "backend" is not.

import { describe, expect, test } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import { createOllama } from '../../src/backends/ollama/backend.ts';
import { createOpenai } from '../../src/backends/openai/backend.ts';
import { PRESETS } from '../../src/backends/openai/place.ts';
import { createResponses } from '../../src/backends/responses/backend.ts';
import type { Backend } from '../../src/backends/types.ts';
import { anthropicStream, messageEvents } from '../helpers/anthropic-replies.ts';
import { askBackend, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { Script } from '../helpers/fake-server.ts';
import { last, piece } from '../helpers/ollama-replies.ts';
import { served } from '../helpers/served.ts';

const BACKENDS: readonly (readonly [string, () => Backend])[] = [
  ['anthropic', createAnthropic],
  ['responses', createResponses],
  ['ollama', createOllama],
];

const openai = () => createOpenai(PRESETS.openai);

async function ask(create: () => Backend, script: Script) {
  const server = await served(script);
  const backend = create();
  const endpoint = fakeEndpoint(server.url, { backend: backend.name });
  const asked = await askBackend(backend, fakeRequest(endpoint));
  return { ...asked, count: server.requests.length };
}

const json = (body: Readonly<Record<string, unknown>>): Script => ({
  headers: { 'content-type': 'application/json' },
  body,
});
const CHUNK = '{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"hi"}}]}';
const FOREIGN: readonly (readonly [string, Script, RegExp])[] = [
  ['one object', json({ choices: [{ index: 0, message: { content: 'hi' } }] }), /choices/],
  ['an empty object', json({}), /\{\}/],
  ['a stream', { body: `data: ${CHUNK}\n\ndata: [DONE]\n\n` }, /chat\.completion\.chunk/],
];

describe.each(BACKENDS)('an answer of another protocol: %s', (_, create) => {
  test.each(FOREIGN)('%s is quoted, and not paid for six times', async (_name, script, quote) => {
    const { count, failure } = await ask(create, script);
    expect(count).toBe(1);
    expect(failure?.message).toMatch(/sent no answer of this protocol/);
    expect(failure?.message).toMatch(quote);
    expect(failure?.facts.retryable).toBe(false);
  });
});

const MESSAGES = messageEvents(['hi']).join('');
const LINES = `${JSON.stringify(piece({ content: 'hi' }))}\n${JSON.stringify(last())}\n`;
const WHOLE = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'hi' }] };
const OTHERS: readonly (readonly [string, () => Backend, Script, RegExp])[] = [
  ['chat, one object', openai, json(WHOLE), /"type":"message"/],
  ['chat, an empty object', openai, json({}), /\{\}/],
  ['chat, a stream', openai, { body: MESSAGES }, /message_start/],
  [
    'chat, a stream with an end mark',
    openai,
    { body: `${MESSAGES}data: [DONE]\n\n` },
    /message_start/,
  ],
  ['chat, lines', openai, { body: LINES }, /"content":"hi"/],
  ['responses, lines', createResponses, { body: LINES }, /"content":"hi"/],
  ['messages, lines', createAnthropic, { body: LINES }, /"content":"hi"/],
  ['ollama, a stream with names', createOllama, { body: MESSAGES }, /message_start/],
];

test.each(OTHERS)('an answer of another protocol: %s', async (_, create, script, quote) => {
  const { count, failure } = await ask(create, script);
  expect([count, failure?.message]).toEqual([1, expect.stringMatching(quote)]);
  expect(failure?.message).toMatch(/sent no answer of this protocol/);
});

describe('the protocol itself', () => {
  test('a stream that closes after its pings is asked for again', async () => {
    const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
    const server = await served([{ body: ping }, anthropicStream(['fine'])]);
    const endpoint = fakeEndpoint(server.url, {
      backend: 'anthropic',
      settings: { retry_base: 0.001 },
    });
    const asked = await askBackend(createAnthropic(), fakeRequest(endpoint));
    expect(asked.text).toBe('fine');
    expect(server.requests).toHaveLength(2);
  });

  test('a whole message that does not name its type is one all the same', async () => {
    const message = { role: 'assistant', content: [{ type: 'text', text: 'whole' }] };
    const asked = await ask(createAnthropic, json({ ...message, stop_reason: 'end_turn' }));
    expect(asked.text).toBe('whole');
  });
});
