// Starts a server, or finds it at its address: the ways to speak with it are tried in order, and the first that works is taken.

import type { Client, Transport } from '@modelcontextprotocol/client';
import { configFailure, type Failure } from '../../errors.ts';
import type { World } from '../../world/types.ts';
import { type ConnectionSinks, connectClient, createClient, LateError } from './connection.ts';
import { shownPlace } from './declaration.ts';
import { ProgramTransport } from './program.ts';
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
  /** Status of its last answer to a request; 0 when it is a program. */
  status(): number;
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
      return {
        client,
        fate: attempt.fate,
        settle: attempt.settle,
        status: attempt.status,
        close: () => leave(client, attempt.transport),
      };
    } catch (error) {
      options.signal.throwIfAborted();
      if (mayBeItsEnd(error)) await attempt.settle();
      // What the usual way met says most.
      first ??= failureOf(error, attempt, options);
      if (!mayTryAnother(error, attempt, options.place, library)) break;
    }
  }
  throw first;
}

interface Attempt extends Pick<Started, 'fate' | 'settle' | 'status'> {
  readonly transport: Transport;
}

async function open(
  way: Way,
  { place, settings, onNoise }: StartOptions,
  world: StartWorld,
  library: typeof import('@modelcontextprotocol/client'),
): Promise<Attempt> {
  if (place.kind === 'program') {
    const transport = new ProgramTransport(
      { place, cwd: world.cwd, env: settings.env, onNoise },
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
      onStatus: (given) => {
        status = given;
      },
    }),
  };
  const transport =
    way === 'events'
      ? new library.SSEClientTransport(url, options)
      : new library.StreamableHTTPClientTransport(url, options);
  return {
    transport,
    fate: () => undefined,
    settle: () => Promise.resolve(),
    status: () => status,
  };
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

function failureOf(error: unknown, attempt: Attempt, options: StartOptions): Failure {
  const { place, name, limit } = options;
  const hide = options.settings.hide;
  const make = (code: string, why: string, next: string) =>
    configFailure(code, hide(`the MCP server "${name}" ${why}`), {
      next,
      detail: [hide(shownPlace(place))],
      cause: error,
    });
  const status = attempt.status();
  const system = codeOf(error);
  if (place.kind === 'program' && (system === 'ENOENT' || system === 'EACCES'))
    return make(
      'mcp-command',
      `cannot be started: ${system === 'ENOENT' ? 'there is no command' : 'it may not be run:'} "${place.command}"`,
      'check the name, install it, or give its path',
    );
  if (status === 401 || status === 403)
    return make(
      'mcp-refused',
      `refuses this client (HTTP ${status})`,
      `name its key in etc/mcp.yaml: an entry with \`url: ${new URL(shownPlace(place)).origin}\` and \`key_env: NAME\` (chat-mcp(5))`,
    );
  const fate = attempt.fate();
  if (fate !== undefined)
    return make('mcp-unavailable', `ended before it answered: ${fate}`, 'run its command by hand');
  if (error instanceof LateError)
    return make(
      'mcp-unavailable',
      `did not answer within ${limit / 1000} s (mcp_start_timeout)`,
      'raise `option: mcp_start_timeout`, or run it by hand and see what it waits for',
    );
  if (place.kind === 'address' && status === 0)
    return make(
      'mcp-unavailable',
      `cannot be reached${system === undefined ? '' : ` (${system})`}: ${messageOf(error)}`,
      'check the address, and that the server runs',
    );
  return make(
    'mcp-unavailable',
    `does not speak the protocol${status >= 300 ? ` (HTTP ${status})` : ''}: ${messageOf(error)}`,
    'check the address or command: it may be no MCP server',
  );
}

/** The system's word for what went wrong, wherever in the chain of causes it stands. */
function codeOf(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; depth++) {
    if ('code' in at && typeof at.code === 'string' && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(at.code))
      return at.code;
    at = at.cause;
  }
  return undefined;
}

/** Whether an end of the program may be behind it that is told in a moment: an answer, and a limit that is over, are none. */
export function mayBeItsEnd(error: unknown): boolean {
  if (error instanceof LateError) return false;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code !== 'number' && code !== 'REQUEST_TIMEOUT';
}

/** In one line, and not a whole page of it. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 300);

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
}
