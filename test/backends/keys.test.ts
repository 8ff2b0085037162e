// Keys reach the server that they are for, and are shown nowhere.

import { describe, expect, test } from 'vitest';
import { openai } from '../../src/backends/openai/backend.ts';
import { secret } from '../../src/config/secret.ts';
import type { Endpoint } from '../../src/config/types.ts';
import { askBackend, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import { NOBODY, type Script } from '../helpers/fake-server.ts';
import { chunk, openaiStream, openaiWhole } from '../helpers/openai-replies.ts';
import { served } from '../helpers/served.ts';
import { ask, shown } from '../helpers/transport-asks.ts';

describe('keys in the open', () => {
  const key = 'KEY-mock-123';
  const echo = (request: { headers: Readonly<Record<string, string>>; path: string }) =>
    `${request.headers.authorization} ${request.headers['x-api-key']} ${request.path} ${JSON.stringify(request.headers)}`;
  const ways: readonly [string, Partial<Endpoint>][] = [
    ['the key', { key: secret(key) }],
    ['a header of the endpoint file', { headers: { authorization: `Bearer ${key}` } }],
    ['another header of the endpoint file', { headers: { 'x-api-key': key } }],
  ];
  const echoes: readonly [string, (text: string) => Script][] = [
    ['a 400', (text) => ({ status: 400, body: { error: { message: text } } })],
    ['a plain 401', (text) => ({ status: 401, body: text })],
    ['a web page', (text) => ({ status: 500, body: `<html><title>${text}</title>` })],
    [
      'an error in a stream',
      (text) => ({
        body: [`data: ${JSON.stringify({ error: { message: text, code: 400 } })}\n\n`],
      }),
    ],
    ['an answer that is none', (text) => ({ body: text })],
    [
      'an error after text',
      (text) => ({
        body: [
          chunk({ content: 'x' }),
          `data: ${JSON.stringify({ error: { message: text } })}\n\n`,
        ],
      }),
    ],
    ['a long text, at its cut', (text) => ({ status: 400, body: `${'y'.repeat(490)}${text}` })],
  ];
  for (const [way, rest] of ways)
    for (const [name, script] of echoes)
      test(`${way}, repeated by the server in ${name}, is shown nowhere`, async () => {
        const { failure, retries, warnings, server } = await ask(
          (request) => script(echo(request)),
          { retry_max: 1 },
          rest,
        );
        expect(JSON.stringify(server.requests[0]?.headers)).toContain(key);
        expect(failure).toBeDefined();
        expect(shown(failure) + JSON.stringify([retries, warnings])).not.toContain(key);
        expect(shown(failure) + JSON.stringify([retries, warnings])).not.toContain('KEY-mock');
      });

  test('in the query of the address are shown nowhere', async () => {
    const server = await served((request) => ({ status: 400, body: request.path }));
    const endpoint = fakeEndpoint(`${server.url}/v1?api_key=${key}`);
    const { failure } = await askBackend(openai, fakeRequest(endpoint));
    expect(server.requests[0]?.path).toBe(`/v1/chat/completions?api_key=${key}`);
    expect(shown(failure)).not.toContain(key);
    const nobody = fakeEndpoint(`${NOBODY}/v1?api_key=${key}`);
    const refused = await askBackend(openai, fakeRequest(nobody));
    expect(shown(refused.failure) + String(refused.failure?.cause)).not.toContain(key);
  });

  test('are not sent to another host', async () => {
    const other = await served(openaiWhole('caught'));
    const { failure, server } = await ask(
      { status: 308, headers: { location: `${other.url}/v1/chat/completions` } },
      {},
      { key: secret(key) },
    );
    expect(failure?.code).toBe('redirected');
    expect(server.requests.length).toBe(1);
    expect(other.requests).toEqual([]);
  });

  test('a header of the file goes once, in whatever case it is written', async () => {
    const server = await served(openaiWhole('x'));
    const endpoint = {
      ...fakeEndpoint(`${server.url}/v1`, { key: secret(key) }),
      headers: { Authorization: 'Bearer other', 'Content-TYPE': 'application/json' },
    };
    await askBackend(openai, fakeRequest(endpoint));
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer other',
      'content-type': 'application/json',
    });
  });

  const HEADERS: readonly [string, Record<string, string>][] = [
    ['has no name', { 'a b': 'c' }],
    ['holds letters', { 'x-a': 'žluť' }],
    ['belongs to the connection', { 'Content-Length': '3' }],
  ];
  for (const [why, headers] of HEADERS)
    test(`a header that ${why} is told before anything is sent, not as a lost connection`, async () => {
      const server = await served(openaiWhole('x'));
      const endpoint = { ...fakeEndpoint(`${server.url}/v1`), headers };
      const { failure } = await askBackend(openai, fakeRequest(endpoint));
      expect(failure).toMatchObject({ code: 'bad-header', exitCode: 3 });
      expect(failure?.message).toContain(why);
      expect(server.requests).toEqual([]);
    });

  test('user and password of the address reach the server, and nobody else', async () => {
    const server = await served(({ headers }) => ({
      status: 401,
      body: `bad ${headers.authorization}`,
    }));
    const url = `${server.url}/v1`.replace('http://', `http://me:${key}%21@`);
    const { failure } = await askBackend(openai, fakeRequest(fakeEndpoint(url)));
    const token = Buffer.from(`me:${key}!`).toString('base64');
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${token}`);
    expect(shown(failure)).not.toContain(key);
    expect(shown(failure)).not.toContain(token);
  });

  test('with a line end in them are told without them', async () => {
    const { failure, server } = await ask(openaiStream('x'), {}, { key: secret(`${key}\n`) });
    expect(failure).toMatchObject({ code: 'bad-header', exitCode: 3 });
    expect(shown(failure)).not.toContain(key);
    expect(server.requests).toEqual([]);
  });

  test('go out in the style that the endpoint asks for', async () => {
    for (const [auth, header, value] of [
      [undefined, 'authorization', `Bearer ${key}`],
      ['bearer', 'authorization', `Bearer ${key}`],
      ['x-api-key', 'x-api-key', key],
      ['api-key', 'api-key', key],
    ] as const) {
      const { server } = await ask(openaiStream('x'), { auth }, { key: secret(key) });
      expect(server.requests[0]?.headers[header]).toBe(value);
    }
    const { server } = await ask(openaiStream('x'), { auth: 'none' }, { key: secret(key) });
    expect(JSON.stringify(server.requests)).not.toContain(key);
  });
});
