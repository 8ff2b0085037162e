// Options of chats, the command line and the environment as settings of an endpoint.

import { describe, expect, onTestFinished, test } from 'vitest';
import type { EndpointRequest } from '../../src/config/endpoints.ts';
import { failureOf, placeOf } from '../helpers/compiling.ts';
import { endpointWorld, resolved } from '../helpers/endpoint.ts';
import { startFakeServer } from '../helpers/fake-server.ts';

const KEY = 'KEY-mock-123';
const FILE = 'home/etc/AI/x.yaml';

describe('options', () => {
  const wrong: readonly { name: string; request: EndpointRequest; at: string; message: RegExp }[] =
    [
      {
        name: 'a temperature that is no number',
        request: {
          chat: { temperature: 'abc' },
          origins: { temperature: { file: 'a.chat', line: 3 } },
        },
        at: 'a.chat:3',
        message: /"temperature" takes a number from 0 on, not "abc"/,
      },
      {
        name: 'the same on the command line',
        request: { flags: { temperature: 'abc' } },
        at: 'command line',
        message: /takes a number/,
      },
      {
        name: 'an address in a chat',
        request: {
          chat: { url: 'http://evil.example' },
          origins: { url: { file: 'a.chat', line: 1 } },
        },
        at: 'a.chat:1',
        message: /"url" cannot be set in a chat/,
      },
      {
        name: 'a key in a chat',
        request: { chat: { key: KEY }, origins: { key: { file: 'a.chat', line: 1 } } },
        at: 'a.chat:1',
        message: /"key" cannot be set in a chat/,
      },
      {
        name: 'an address that is none',
        request: { flags: { url: 'host' } },
        at: 'command line',
        message: /takes an address/,
      },
    ];
  for (const { name, request, at, message } of wrong)
    test(`${name} is exit 2 at its place`, async () => {
      const failure = await failureOf(resolved(request, endpointWorld()));
      expect(failure).toMatchObject({ exitCode: 2, message: expect.stringMatching(message) });
      expect(placeOf(failure)).toBe(at);
    });

  for (const name of ['temprature', 'constructor'])
    test(`the unknown option "${name}" is a warning at its place`, async () => {
      const { endpoint, warnings } = await resolved(
        { chat: { [name]: '1' }, origins: { [name]: { file: 'a.chat', line: 3 } } },
        endpointWorld(),
      );
      expect(endpoint.settings).toEqual({});
      expect(warnings[0]).toMatchObject({
        code: 'unknown-option',
        origin: { file: 'a.chat', line: 3 },
      });
    });

  test('a wrong value in the environment is exit 3', async () => {
    const failure = await failureOf(resolved({}, endpointWorld({}, { MAX_TOOL_CHARS: 'many' })));
    expect(failure).toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('MAX_TOOL_CHARS'),
    });
  });

  test('an endpoint without a model is exit 3, a server of this machine is asked for one', async () => {
    const away = endpointWorld({ [FILE]: 'url: http://host.example/v1\n' });
    expect(await failureOf(resolved({ flags: { endpoint: 'x' } }, away))).toMatchObject({
      code: 'no-model',
      exitCode: 3,
    });
    const server = await startFakeServer({ body: { data: [{ id: 'served' }] } });
    onTestFinished(() => server.close());
    const { createHttp } = await import('../../src/world/http.ts');
    const here = endpointWorld(
      { [FILE]: `url: ${server.url}/v1\nkey: ${KEY}\n` },
      {},
      { http: createHttp({}) },
    );
    expect((await resolved({ flags: { endpoint: 'x' } }, here)).endpoint.model).toBe('served');
    expect(server.requests[0]).toMatchObject({
      path: '/v1/models',
      headers: { authorization: `Bearer ${KEY}` },
    });
  });
});
