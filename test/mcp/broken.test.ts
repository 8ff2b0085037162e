// Servers at addresses whose answers break off, whose sessions are forgotten, whose streams end: told at once, or begun anew.

import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { createServers } from '../../src/tools/mcp/servers.ts';
import {
  type Answers,
  type FakeServer,
  type Script,
  startFakeServer,
} from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { createWorld } from '../helpers/run.ts';
import { ask } from './asking.ts';
import { sessionServer, statelessServer } from './http-servers.ts';

const SLOW = [[{ name: 'slow' }]];
const open: FakeServer[] = [];
afterAll(() => Promise.all(open.map((server) => server.close())));

async function started(answers: Answers): Promise<FakeServer> {
  const server = await startFakeServer(answers);
  open.push(server);
  return server;
}

const events = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };

describe('a call whose answer does not come fails at once, not when its time is over', () => {
  const CASES: readonly { name: string; script: Script; says: string }[] = [
    {
      name: 'a stream that ends',
      script: { headers: events, body: ': wait\n\n' },
      says: 'the connection ended before its answer was complete',
    },
    {
      name: 'a stream that breaks off',
      script: { headers: events, body: [': wait\n\n', { wait: 50 }], ending: 'reset' },
      says: 'the connection ended before its answer was complete',
    },
    {
      name: 'nothing but that it was accepted',
      script: { status: 202 },
      says: 'it took the request and gave no answer (HTTP 202)',
    },
    {
      name: 'JSON that is no message',
      script: { headers: json, body: '{"hello":1}' },
      says: 'its answer is no message of the protocol',
    },
    {
      name: 'an answer without end',
      script: {
        headers: json,
        body: ['{"x":"', ...Array.from({ length: 65 }, () => 'x'.repeat(1_000_000))],
        ending: 'hang',
      },
      says: 'its answer has more than 64000000 characters',
    },
    { name: 'a refusal', script: { status: 401, body: 'who?' }, says: 'HTTP 401: who?' },
  ];
  test.each(CASES)('$name', async ({ script, says }) => {
    const fake = sessionServer();
    const server = await started((request) =>
      request.json?.method === 'tools/call' ? script : fake.answer(request),
    );
    const asked = await ask(`mcp: ${server.url}/mcp`, SLOW);
    expect(asked.outputs[0]?.exception).toMatch(/^the MCP server "127\.0\.0\.1:\d+" failed: /);
    expect(asked.outputs[0]?.exception).toContain(says);
    expect(asked.code).toBe(0);
  });
});

test('answers with null for what is not there are taken, as JSON and as events', async () => {
  const fake = sessionServer();
  const server = await started((request) => {
    const script = fake.answer(request);
    if (typeof script.body !== 'string') return script;
    return { ...script, body: script.body.replaceAll('"jsonrpc"', '"error":null,"jsonrpc"') };
  });
  const asked = await ask(`mcp: ${server.url}/mcp`, SLOW);
  expect(asked.stderr).not.toContain('warning');
  expect(asked.outputs).toMatchObject([{ content: 'ready' }]);
});

test('two calls at once of a session that has expired are both repeated', async () => {
  const fake = sessionServer();
  let calls = 0;
  const server = await started((request) => {
    if (request.json?.method === 'tools/call' && ++calls === 2) fake.expire();
    const script = fake.answer(request);
    // The second of the two learns it later.
    return calls === 3 ? { ...script, delay: 300 } : script;
  });
  const asked = await ask(`mcp: ${server.url}/mcp`, [...SLOW, [...SLOW, ...SLOW].flat()]);
  expect(asked.outputs.map(({ content }) => content)).toEqual(['ready', 'ready', 'ready']);
});

test('a session that has expired is begun anew for a list, as for a call', async () => {
  const fake = sessionServer();
  const server = await started((request) => fake.answer(request));
  const warnings: string[] = [];
  const servers = createServers(createWorld(temporaryFolder()), ({ message }) =>
    warnings.push(message),
  );
  const known = await servers.at({ kind: 'address', url: `${server.url}/mcp` });
  const limits = { call: 5000, start: 5000 };
  const signal = new AbortController().signal;
  // More often than a server is started again when it dies: it does not.
  for (let time = 0; time < 6; time++) {
    expect((await known.server.list(limits, signal)).tools).toMatchObject([{ name: 'slow' }]);
    fake.expire();
  }
  await servers.close();
  expect(warnings).toEqual([]);
});

/** A server of the oldest form: answers come in the stream of the GET, and the first call breaks it off. */
async function streamServer(): Promise<{ url: string; streams(): number; close(): void }> {
  let streams = 0;
  let stream: http.ServerResponse | undefined;
  let calls = 0;
  const server = http.createServer((request, reply) => {
    if (request.method === 'GET') {
      streams += 1;
      stream = reply;
      reply.writeHead(200, events);
      reply.write(`event: endpoint\ndata: /messages?stream=${streams}\n\n`);
      return;
    }
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      if (request.url === '/sse') return void reply.writeHead(404).end();
      reply.writeHead(202).end();
      const { id, method, params } = JSON.parse(body);
      const send = (result: object) =>
        stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
      if (method === 'initialize') {
        const serverInfo = { name: 'old', version: '1' };
        send({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
      } else if (method === 'tools/list')
        send({ tools: [{ name: 'slow', inputSchema: { type: 'object' } }] });
      else if (method === 'tools/call' && ++calls === 1) stream?.destroy();
      else if (method === 'tools/call') send({ content: [{ type: 'text', text: 'ready' }] });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/sse`,
    streams: () => streams,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

test('a stream of an older server that breaks off fails its call at once, and the next call begins anew', async () => {
  const server = await streamServer();
  const asked = await ask(`mcp: ${server.url}`, [...SLOW, ...SLOW]);
  expect(asked.outputs[0]?.exception).toContain('its connection broke');
  expect(asked.outputs[1]?.content).toBe('ready');
  expect(server.streams()).toBe(2);
  server.close();
});

describe('the stateless revision', () => {
  const modern = (method: string, result: object) =>
    started((request) => {
      if (request.json?.method !== method || request.headers['mcp-method'] !== method)
        return statelessServer(request);
      const body = { jsonrpc: '2.0', id: request.json.id, result };
      return { headers: json, body: JSON.stringify(body) };
    });
  const text = (words: string) => ({ type: 'text', text: words });

  test.each([
    {
      name: 'a part of a new kind',
      result: { content: [{ type: 'hologram' }, text('rest')] },
      content: '[a part of the kind "hologram", which cannot be shown]\n\nrest',
    },
    { name: 'no content', result: {}, content: 'success' },
    {
      name: 'structure that does not fit its schema',
      result: { content: [], structuredContent: { n: 'x' } },
      content: '{"n":"x"}',
    },
  ])('$name costs nothing else, as with the older ones', async ({ result, content }) => {
    const server = await modern('tools/call', { resultType: 'complete', ...result });
    expect((await ask(`mcp: ${server.url}/mcp`, SLOW)).outputs).toMatchObject([{ content }]);
  });

  test('a tool whose schema is no object costs a warning and none of the others', async () => {
    const tools = [
      { name: 'odd', inputSchema: 'string' },
      { name: 'slow', inputSchema: { type: 'object' } },
    ];
    const server = await modern('tools/list', { resultType: 'complete', tools });
    const asked = await ask(`mcp: ${server.url}/mcp`, SLOW);
    expect(asked.tools).toEqual(['slow']);
    expect(asked.stderr).toContain('"odd" is left out: its schema is a string, not an object');
    expect(asked.outputs).toMatchObject([{ content: 'ready' }]);
  });

  test('a server that asks back is told of as such', async () => {
    const who = {
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'Whom?',
        requestedSchema: { type: 'object', properties: {} },
      },
    };
    const result = {
      resultType: 'input_required',
      inputRequests: { who },
      requestState: 'st-1',
    };
    const server = await modern('tools/call', result);
    const [output] = (await ask(`mcp: ${server.url}/mcp`, SLOW)).outputs;
    expect(output?.exception).toContain(
      'it asks back (elicitation/create), and nobody can answer it here',
    );
  });

  test('404 for a call is no forgotten session', async () => {
    const server = await started((request) =>
      request.json?.method === 'tools/call'
        ? { status: 404, body: 'no method' }
        : statelessServer(request),
    );
    const [output] = (await ask(`mcp: ${server.url}/mcp`, SLOW)).outputs;
    expect(output?.exception).toContain('HTTP 404: no method');
  });
});
