// Starts a server, or finds it at its address: the ways to speak with it are tried in order, and the first that works is taken.

import type { Client, Transport } from '@modelcontextprotocol/client';
import type { World } from '../../world/types/world.ts';
import { type ConnectionSinks, connectClient, createClient } from './connection.ts';
import { ProgramTransport } from './program.ts';
import { type AttemptState, mayBeItsEnd, startFailure } from './troubles.ts';
import type { ServerPlace, ServerSettings } from './types.ts';
import { webFetch } from './web.ts';

export interface StartOptions extends ConnectionSinks {
  readonly place: ServerPlace;
  readonly name: string;
  readonly settings: ServerSettings;
  /** Milliseconds. */
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly onNoise: (text: string) => void;
}

export interface Started {
  readonly client: Client;
  /** How it ended, and what it said last; undefined while it runs. */
  fate(): string | undefined;
  /** Waits a moment for an end that is about to come. */
  settle(): Promise<void>;
  /** It knows this client by a session, which it can forget. */
  hasSession(): boolean;
  close(): Promise<void>;
}

export type StartWorld = Pick<World, 'processes' | 'http' | 'cwd'>;

/** The protocol's older handshake first: every server that is installed understands it, or says that it does not. */
type Way = 'handshake' | 'stateless' | 'events';
const WAYS = {
  program: ['handshake', 'stateless'],
  address: ['handshake', 'stateless', 'events'],
} as const satisfies Record<ServerPlace['kind'], readonly Way[]>;

/** Rejects with a Failure: `mcp-command`, `mcp-refused` for what will not work as it is written, `mcp-unavailable` for the rest; or the signal's reason. */
export async function startServer(options: StartOptions, world: StartWorld): Promise<Started> {
  const library = await import('@modelcontextprotocol/client');
  let first: unknown;
  for (const way of WAYS[options.place.kind]) {
    const attempt = await open(way, options, world, library);
    const client = createClient(library, way === 'stateless', options);
    try {
      await connectClient(client, attempt.transport, options.limit, options.signal);
      attempt.watch?.(client);
      return {
        client,
        fate: attempt.fate,
        settle: attempt.settle,
        hasSession: () =>
          'sessionId' in attempt.transport && attempt.transport.sessionId !== undefined,
        close: () => leave(client, attempt.transport),
      };
    } catch (error) {
      options.signal.throwIfAborted();
      if (mayBeItsEnd(error)) await attempt.settle();
      // What the usual way met says most.
      first ??= startFailure(error, attempt, options);
      if (!mayTryAnother(error, attempt, options.place, library)) break;
    }
  }
  throw first;
}

interface Attempt extends AttemptState, Pick<Started, 'settle'> {
  readonly transport: Transport;
  /** From now on it is connected: an end is its fate. */
  watch?(client: Client): void;
}

async function open(
  way: Way,
  { place, settings, onNoise }: StartOptions,
  world: StartWorld,
  library: typeof import('@modelcontextprotocol/client'),
): Promise<Attempt> {
  if (place.kind === 'program') {
    const transport = new ProgramTransport(
      { place, cwd: world.cwd, env: settings.env, hide: settings.hide, onNoise },
      world.processes,
    );
    return {
      transport,
      fate: () =>
        transport.fate === undefined ? undefined : withLastWords(transport.fate, transport),
      settle: () => transport.settle(700),
      status: () => 0,
    };
  }
  let status = 0;
  const url = new URL(place.url);
  // A key that cannot be had stops before anything is sent.
  await settings.headers();
  const options = {
    fetch: webFetch(world.http, {
      headers: settings.headers,
      origin: url.origin,
      answersAtOnce: way !== 'events',
      onStatus: (given) => {
        status = given;
      },
    }),
  };
  const transport =
    way === 'events'
      ? new library.SSEClientTransport(url, options)
      : answering(new library.StreamableHTTPClientTransport(url, options));
  let fate: string | undefined;
  const breaks = (error: Error) => {
    // It connects again by itself, but to a session that knows nothing of this one.
    if (!(error instanceof library.SseError)) return;
    fate = 'its connection broke';
    void transport.close();
  };
  return {
    transport,
    watch: (client) => {
      client.onerror = breaks;
    },
    fate: () => fate,
    settle: () => Promise.resolve(),
    status: () => status,
  };
}

/** The same transport; a request whose answer ends too soon and cannot be taken up again fails at once, and not when its time is over. */
function answering<T extends Transport>(transport: T): T {
  const send = transport.send.bind(transport);
  const fail = (id: string | number) =>
    transport.onmessage?.({
      jsonrpc: '2.0',
      id,
      error: { code: -32603, message: 'the connection ended before its answer was complete' },
    });
  transport.send = (message, options) => {
    if (!('method' in message && 'id' in message)) return send(message, options);
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      // An answer that has arrived counts.
      fail(message.id);
    };
    return send(message, { ...options, onRequestStreamEnd });
  };
  return transport;
}

function withLastWords(fate: string, { lastWords }: ProgramTransport): string {
  return lastWords === '' ? fate : `${fate}; it said: ${lastWords}`;
}

/** A server that answers, but not to this. */
function mayTryAnother(
  error: unknown,
  { status }: Attempt,
  { kind }: ServerPlace,
  library: typeof import('@modelcontextprotocol/client'),
): boolean {
  if (error instanceof library.ProtocolError) return true;
  const code = status();
  return kind === 'address' && code >= 400 && code < 500 && code !== 401 && code !== 403;
}

/** A session at an address is ended for its server, too, as far as that takes a moment only. */
async function leave(client: Client, transport: Transport): Promise<void> {
  if ('terminateSession' in transport && typeof transport.terminateSession === 'function')
    await Promise.race([
      transport.terminateSession().catch(() => {}),
      new Promise((resolve) => {
        setTimeout(resolve, 1000).unref();
      }),
    ]);
  await client.close().catch(() => {});
  // The client has let go of one that ended by itself, and something may be left of it.
  await transport.close().catch(() => {});
}
