// Connections over HTTP of clients that open them with `initialize`: each has a server of its own, found again by the id that it got.

import { randomUUID } from 'node:crypto';
import type {
  McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { refusal } from './guard.ts';
import type { Library } from './library.ts';

export interface Sessions {
  answer(request: Request, parsedBody: unknown): Promise<Response>;
  close(): Promise<void>;
}

/** So many are kept; the one that was silent longest is closed first. Its client opens another when it comes back. */
const MOST = 500;

export function createSessions(factory: McpServerFactory, library: Library): Sessions {
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>();

  const begin = async (request: Request): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new library.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, transport),
      onsessionclosed: (id) => void open.delete(id),
    });
    const server = await factory({ era: 'legacy', requestInfo: request });
    await server.connect(transport);
    return transport;
  };
  const tidy = async () => {
    for (const [id, transport] of open) {
      if (open.size <= MOST) return;
      open.delete(id);
      await transport.close();
    }
  };

  return {
    async answer(request, parsedBody) {
      const options = parsedBody === undefined ? {} : { parsedBody };
      const id = request.headers.get('mcp-session-id');
      if (id === null) {
        const transport = await begin(request);
        const response = await transport.handleRequest(request, options);
        // Only `initialize` opens a session; everything else was refused.
        if (transport.sessionId === undefined) await transport.close();
        await tidy();
        return response;
      }
      const transport = open.get(id);
      if (transport === undefined) return refusal(404, 'Session not found');
      // The last one in the map is the one that was heard of last.
      open.delete(id);
      open.set(id, transport);
      return transport.handleRequest(request, options);
    },
    async close() {
      await Promise.all([...open.values()].map((transport) => transport.close()));
      open.clear();
    },
  };
}
