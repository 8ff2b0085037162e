// What holds on every wire alike: addresses, keys and the name of the run; messages of tools that are odd.

import { describe, expect, test } from 'vitest';
import { loadBackend } from '../../src/backends/index.ts';
import type { Endpoint } from '../../src/config/types.ts';
import type { Chat } from '../../src/types.ts';
import { anthropicStream } from '../helpers/anthropic-replies.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import { ollamaStream } from '../helpers/ollama-replies.ts';
import { openaiStream } from '../helpers/openai-replies.ts';
import { near, output, user } from '../helpers/prompts.ts';
import { responsesStream } from '../helpers/responses-replies.ts';
import { served } from '../helpers/served.ts';

const WIRES = [
  ['openai', '/v1', '/v1/chat/completions', 'authorization', openaiStream('fine')],
  ['responses', '/v1', '/v1/responses', 'authorization', responsesStream('fine')],
  ['anthropic', '', '/v1/messages', 'x-api-key', anthropicStream('fine')],
  ['ollama', '', '/api/chat', 'authorization', ollamaStream('fine')],
] as const;

describe.each(WIRES)('over the wire of %s', (name, base, path, header, answer) => {
  const wire = async (endpoint: Endpoint, chat: Chat = [user('q')]) =>
    (await loadBackend(name)).wire(fakeRequest(endpoint, chat), askContext());
  const asked = async (chat: Chat, rest: Partial<Endpoint> = {}) => {
    const server = await served(answer);
    const endpoint = fakeEndpoint(`${server.url}${base}`, rest);
    return {
      ...(await askBackend(await loadBackend(name), fakeRequest(endpoint, chat))),
      request: server.requests[0],
    };
  };

  test('an address that is none is a clear error', async () => {
    for (const url of ['localhost:8080', 'not a url', 'ftp://x']) {
      const { failure, request } = await asked([user('q')], { url });
      expect([failure?.code, failure?.exitCode, request]).toEqual(['bad-url', 3, undefined]);
    }
  });

  test('the request carries the key and the session, as the endpoint says', async () => {
    const { text, events, request } = await asked([user('q')], {
      key: { reveal: () => 'KEY-mock-123' },
      settings: { session_header: 'X-Run' },
    });
    expect(text).toBe('fine');
    expect(JSON.stringify(events)).not.toContain('KEY-mock-123');
    const key = header === 'authorization' ? 'Bearer KEY-mock-123' : 'KEY-mock-123';
    expect(request).toMatchObject({
      method: 'POST',
      path,
      headers: {
        [header]: key,
        'content-type': 'application/json',
        'session-id': 'session-1',
        'x-run': 'session-1',
      },
    });
  });

  test('an output without its call is left out with a warning', async () => {
    const { warnings, request } = await asked([user('a'), output('lost words', 'gone'), user('b')]);
    expect(request?.body).not.toContain('lost words');
    expect(warnings).toEqual(['a tool output without its call is left out (id "gone")']);
  });

  test('a message of a tool that holds no JSON is an error with its place', async () => {
    const origin = { file: 'a.chat', line: 7 };
    const chat = [{ role: 'function_call', content: 'count the birds', origin }];
    await expect(wire(near(), chat)).rejects.toMatchObject({ exitCode: 2, at: origin });
  });
});
