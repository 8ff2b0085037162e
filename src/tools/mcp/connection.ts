// One connection to a server: negotiated, listed, called, closed. What goes wrong is told in words, with what the server said last.

import type {
  CallToolRequestOptions,
  Client,
  RequestOptions,
  Transport,
} from '@modelcontextprotocol/client';
import manifest from '../../../package.json' with { type: 'json' };
import { fields } from '../../json.ts';
import type { ListedTool } from './types.ts';
import { unwrapped } from './well-formed.ts';

export interface ConnectionSinks {
  readonly onListChanged: () => void;
  /** Log messages of the server. */
  readonly onLog: (text: string) => void;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Milliseconds; progress renews it. */
  readonly limit: number;
  readonly onProgress: (text: string) => void;
}

/** How long is waited without end: as long as timers can. */
const FOR_EVER = 2 ** 31 - 1;
const PAGES = 1000;
const MOST = 20_000;

export const timeLimit = (milliseconds: number): number =>
  milliseconds > 0 ? Math.min(milliseconds, FOR_EVER) : FOR_EVER;

/** Lets every answer through: what it holds is read by this program, leniently. */
export const ANYTHING = {
  '~standard': {
    version: 1,
    vendor: manifest.name,
    validate: (value: unknown) => ({ value }),
  },
} as const;

/** A client that has not connected yet. It can answer no questions of a server: it says so. */
export function createClient(
  library: typeof import('@modelcontextprotocol/client'),
  modern: boolean,
  sinks: ConnectionSinks,
): Client {
  const { name, version } = manifest;
  const client = new library.Client(
    { name, version },
    {
      capabilities: {},
      listChanged: { tools: { autoRefresh: false, onChanged: sinks.onListChanged } },
      ...(modern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
    },
  );
  client.setNotificationHandler('notifications/message', ({ params }) => {
    const data = typeof params.data === 'string' ? params.data : JSON.stringify(params.data);
    sinks.onLog(`${params.level}: ${data}`);
  });
  return client;
}

/** Connects within the limit; the transport is closed when that fails. Rejects with the library's error, or `late`. */
export async function connectClient(
  client: Client,
  transport: Transport,
  limit: number,
  signal: AbortSignal,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateError()), timeLimit(limit));
  });
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  stopped.catch(() => {});
  try {
    signal.throwIfAborted();
    const connecting = client.connect(transport, { timeout: FOR_EVER, signal });
    connecting.catch(() => {});
    await Promise.race([connecting, late, stopped]);
  } catch (error) {
    await transport.close().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** The server did not answer in time. */
export class LateError extends Error {}

/** All that the server lists, page by page; a server that repeats its pages, or has too many, is cut short. The limit is one of all pages. */
export async function listAll(
  client: Client,
  limit: number,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  let found: unknown[] = [];
  const seen = new Set<string>();
  const end = performance.now() + timeLimit(limit);
  let cursor: string | undefined;
  for (let page = 0; page < PAGES && found.length < MOST; page++) {
    const params = cursor === undefined ? {} : { params: { cursor } };
    const result: unknown = await client.request({ method: 'tools/list', ...params }, ANYTHING, {
      signal,
      timeout: Math.max(1, end - performance.now()),
    });
    const { tools, nextCursor } = fields(unwrapped(result));
    if (Array.isArray(tools)) found = found.concat(tools.slice(0, MOST));
    if (typeof nextCursor !== 'string' || seen.has(nextCursor)) return found;
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  return found;
}

/** The raw result. When the signal aborts, the server is told. */
export async function callTool(
  client: Client,
  tool: Pick<ListedTool, 'name' | 'parameters'>,
  args: Readonly<Record<string, unknown>>,
  { signal, limit, onProgress }: CallOptions,
): Promise<unknown> {
  const params = { name: tool.name, arguments: { ...args } };
  const options: RequestOptions = {
    signal,
    timeout: timeLimit(limit),
    resetTimeoutOnProgress: true,
    onprogress: (progress) => onProgress(progressText(progress)),
  };
  if (client.getProtocolEra() !== 'modern')
    return client.request({ method: 'tools/call', params }, ANYTHING, options);
  // Some parameters travel in headers there, which the library makes from the schema.
  const definition = { name: tool.name, inputSchema: { ...tool.parameters, type: 'object' } };
  const result = await client.callTool(params, {
    ...options,
    toolDefinition: definition as NonNullable<CallToolRequestOptions['toolDefinition']>,
  });
  return unwrapped(result);
}

function progressText(progress: {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}): string {
  const { progress: done, total, message } = progress;
  const share = total === undefined ? `${done}` : `${done} of ${total}`;
  return message === undefined || message === '' ? share : `${share}: ${message}`;
}

/** Waits no longer than the signal lets it. */
export function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
