// Servers at addresses: sessions, events, the older and the newer protocol, keys, refusals, and what does not answer.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Interruption } from '../../src/errors.ts';
import type { FakeServer, Script } from '../helpers/fake-server.ts';
import { ask, installed } from './asking.ts';
import { EVERYTHING } from './everything.ts';
import { sessionServer, statelessServer, withServer } from './http-servers.ts';

const SLOW = [[{ name: 'slow' }]];

const posted = (server: FakeServer): readonly string[] =>
  server.requests.map(({ method, json }) => (method === 'POST' ? json.method : method));

/** A port that nothing listens on now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe.each([
  { transport: 'streamableHttp', path: 'mcp' },
  { transport: 'sse', path: 'sse' },
])('server-everything over $transport', ({ transport, path }) => {
  let url = '';
  let child: ReturnType<typeof spawn>;
  beforeAll(async () => {
    const port = await freePort();
    child = spawn(process.execPath, [installed('mcp-server-everything'), transport], {
      env: { PATH: process.env.PATH, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    url = `http://127.0.0.1:${port}/${path}`;
    let said = '';
    await new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (piece) => {
          said += piece;
          if (/running on|listening on/.test(said)) resolve();
        });
    });
  });
  afterAll(() => void child.kill('SIGKILL'));

  test('all tools are called; images arrive and progress shows', async () => {
    const asked = await ask(
      `mcp: ${url}`,
      EVERYTHING.map((call) => [call]),
      { args: ['-v'] },
    );
    expect(asked.code).toBe(0);
    expect(asked.tools).toEqual(EVERYTHING.map(({ name }) => name).sort());
    for (const output of asked.outputs) expect(output).not.toHaveProperty('exception');
    expect(asked.outputs[0]).toMatchObject({
      content: 'Echo: hi',
      mcp: expect.stringContaining('/echo'),
    });
    expect(asked.messages('image')).toHaveLength(2);
    expect(asked.stderr).toMatch(/trigger-long-running-operation: [1-4] of 4/);
  });
});

describe('the protocol', () => {
  test('a session is told with every request, and ended', async () => {
    const fake = sessionServer();
    await withServer(fake.answer, async (server) => {
      const asked = await ask(`mcp: ${server.url}/mcp`, SLOW, { args: ['-v'] });
      expect(asked.outputs).toMatchObject([{ content: 'ready' }]);
      expect(asked.stderr).toContain('slow: info: working');
      expect(posted(server)).toEqual([
        'initialize',
        'notifications/initialized',
        'GET',
        'tools/list',
        'tools/call',
        'DELETE',
      ]);
      for (const { headers } of server.requests.slice(1))
        expect(headers['mcp-session-id']).toBe('sess-fake-1');
      expect(server.requests[0]?.headers.accept).toBe('application/json, text/event-stream');
    });
  });

  test.each([
    { status: 404, body: 'no such session' },
    { status: 400, body: 'Bad Request: No valid session ID provided' },
  ])(
    'a session that has expired ($status) is begun anew, and the call is repeated',
    async (gone) => {
      const fake = sessionServer(gone);
      await withServer(fake.answer, async (server) => {
        let calls = 0;
        server.answer((request) => {
          if (request.json?.method === 'tools/call' && ++calls === 2) fake.expire();
          return fake.answer(request);
        });
        const asked = await ask(`mcp: ${server.url}/mcp`, [...SLOW, ...SLOW]);
        expect(asked.outputs.map(({ content }) => content)).toEqual(['ready', 'ready']);
        expect(posted(server).filter((method) => method === 'initialize')).toHaveLength(2);
        const second = server.requests.filter(({ json }) => json?.method === 'initialize')[1];
        expect(second?.headers).not.toHaveProperty('mcp-session-id');
      });
    },
  );

  test('a server of the stateless revision is spoken to as it wants', async () => {
    await withServer(statelessServer, async (server) => {
      const asked = await ask(`mcp: ${server.url}/mcp`, SLOW);
      expect(asked.stderr).not.toContain('warning');
      expect(asked.outputs).toMatchObject([{ content: 'ready' }]);
    });
  });

  test('a proxy is used as for every other request', async () => {
    const fake = sessionServer();
    await withServer(fake.answer, async (proxy) => {
      const asked = await ask('mcp: http://mcp.invalid/mcp', SLOW, {
        env: { http_proxy: proxy.url, no_proxy: '127.0.0.1' },
      });
      expect(asked.outputs).toMatchObject([{ content: 'ready' }]);
      expect(proxy.requests[0]?.path).toBe('http://mcp.invalid/mcp');
    });
  });
});

test('a call that is stopped is cancelled at its server', async () => {
  const fake = sessionServer();
  const stop = new AbortController();
  await withServer(
    (request) => {
      if (request.json?.method !== 'tools/call') return fake.answer(request);
      setTimeout(() => stop.abort(new Interruption('SIGINT')), 100);
      return {
        headers: { 'content-type': 'text/event-stream' },
        body: ': wait\n\n',
        ending: 'hang',
      };
    },
    async (server) => {
      const asked = await ask(`mcp: ${server.url}/mcp`, SLOW, { signal: stop.signal });
      expect(asked.code).toBe(130);
      const call = server.requests.find(({ json }) => json?.method === 'tools/call');
      const cancel = server.requests.find(({ json }) => json?.method === 'notifications/cancelled');
      expect(cancel?.json.params.requestId).toBe(call?.json.id);
      expect(posted(server).at(-1)).toBe('DELETE');
      expect(asked.messages('function_call')).toEqual([]);
    },
  );
});

describe('what is no server costs a warning with what to do', () => {
  const CASES: readonly { name: string; script: Script; says: RegExp }[] = [
    {
      name: 'a page',
      script: { headers: { 'content-type': 'text/html' }, body: '<html>hi</html>' },
      says: /does not speak the protocol/,
    },
    {
      name: 'nothing there',
      script: { status: 404, body: 'not found' },
      says: /does not speak the protocol: HTTP 404: not found/,
    },
    {
      name: 'a server that fails',
      script: { status: 500, body: 'oops' },
      says: /does not speak the protocol: HTTP 500: oops/,
    },
    {
      name: 'a server that hangs',
      script: { ending: 'hang' },
      says: /did not answer within 0\.5 s/,
    },
  ];
  test.each(CASES)('$name', async ({ script, says }) => {
    await withServer(script, async (server) => {
      const asked = await ask(`mcp: ${server.url}/mcp`, [], {
        args: ['-o', 'mcp_start_timeout=0.5'],
      });
      expect(asked.stderr).toMatch(says);
      expect(asked.stderr).toMatch(/^x\.chat:1: warning: .*going on without its tools$/m);
      expect(asked.code).toBe(0);
      expect(asked.stdout).toBe('done\n');
    });
  });

  test('an address that does not answer', async () => {
    const asked = await ask(`mcp: http://127.0.0.1:${await freePort()}/mcp`);
    expect(asked.stderr).toMatch(/cannot be reached \(ECONNREFUSED\).*check the address/);
    expect(asked.code).toBe(0);
  });
});

test('a chat that was fetched names no program', async () => {
  const script: Script = { body: 'mcp: stdio touch started-by-a-stranger\n' };
  await withServer(script, async (server) => {
    const asked = await ask(`import: ${server.url}/x.chat`, [], { args: ['--allow-remote'] });
    expect(asked.code).toBe(3);
    expect(asked.stderr).toContain('a chat that was fetched may not run programs: "touch"');
    expect(asked.read('started-by-a-stranger')).toBeUndefined();
  });
});
