// Servers over HTTP for tests: sessions that can expire, the stateless revision of the protocol, and what is no server.

import {
  type FakeServer,
  type RecordedRequest,
  type Script,
  startFakeServer,
} from '../helpers/fake-server.ts';

type Message = { id?: number | string; method: string; params?: Record<string, unknown> };

const result = (id: Message['id'], value: unknown) => ({ jsonrpc: '2.0', id, result: value });
const TOOLS = { tools: [{ name: 'slow', inputSchema: { type: 'object' } }] };
const READY = { content: [{ type: 'text', text: 'ready' }] };
const asEvents = (...messages: readonly unknown[]): Script => ({
  headers: { 'content-type': 'text/event-stream' },
  body: messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join(''),
});
const asJson = (message: unknown, headers: Record<string, string> = {}): Script => ({
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(message),
});

export interface SessionServer {
  answer(request: RecordedRequest): Script;
  /** The session that clients have now is not known any more. */
  expire(): void;
}

/** Sessions as the revision 2025-06-18 has them; answers to calls come as events. */
export function sessionServer(
  gone: Script = { status: 404, body: 'no such session' },
): SessionServer {
  let sessions = 0;
  let current = '';
  return {
    expire() {
      current = '';
    },
    answer(request) {
      if (request.method === 'GET') return { status: 405 };
      if (request.method === 'DELETE') return { status: 200 };
      const { id, method, params } = request.json as Message;
      if (method === 'initialize') {
        current = `sess-fake-${++sessions}`;
        const info = {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'fakehttp', version: '1' },
        };
        return asJson(result(id, info), { 'mcp-session-id': current });
      }
      if (request.headers['mcp-session-id'] !== current) return gone;
      if (request.headers['mcp-protocol-version'] === undefined) return { status: 400 };
      if (id === undefined) return { status: 202 };
      if (method === 'tools/list') return asJson(result(id, TOOLS));
      const log = { level: 'info', data: 'working' };
      return asEvents(
        { jsonrpc: '2.0', method: 'notifications/message', params: log },
        result(id, READY),
      );
    },
  };
}

/** The revision without sessions: what it does not know is refused as it should be. */
export function statelessServer(request: RecordedRequest): Script {
  const { id, method, params } = request.json as Message;
  const refuse = (status: number, code: number, message: string): Script => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }),
  });
  const meta = (params?._meta ?? {}) as Record<string, unknown>;
  const version = meta['io.modelcontextprotocol/protocolVersion'];
  if (version !== '2026-07-28') return refuse(400, -32022, 'unsupported version');
  if (
    request.headers['mcp-protocol-version'] !== version ||
    request.headers['mcp-method'] !== method
  )
    return refuse(400, -32020, 'headers do not match');
  const complete = (value: object) => asJson(result(id, { resultType: 'complete', ...value }));
  if (method === 'server/discover')
    return complete({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 60_000,
      cacheScope: 'private',
    });
  if (method === 'tools/list') return complete({ ...TOOLS, ttlMs: 0, cacheScope: 'private' });
  if (method !== 'tools/call') return refuse(404, -32601, 'unknown method');
  return request.headers['mcp-name'] === 'slow'
    ? complete({ ...READY, isError: false })
    : refuse(400, -32020, 'no name');
}

/** A server for as long as it is used. */
export async function withServer<T>(
  answers: Parameters<typeof startFakeServer>[0],
  use: (server: FakeServer) => Promise<T>,
): Promise<T> {
  const server = await startFakeServer(answers);
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}
