// The protocol over standard input and output: one message a line. What is no message is answered with an error, and never ends the connection.

import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import type { Clock } from '../world/types/clock.ts';
import type { Input, Output } from '../world/types/streams.ts';
import type { Library } from './library.ts';

export interface LineTransport extends Transport {
  /** Resolves when the client is gone: the input has ended, or nobody reads the output. Rejects when the output takes nothing, as on a full disk. */
  readonly ended: Promise<void>;
}

export interface LinePorts {
  readonly input: Pick<Input, 'pieces'>;
  readonly output: Pick<Output, 'write' | 'closed'>;
  readonly clock: Pick<Clock, 'sleep'>;
}

/** A longer line is no message but a mistake, in bytes. */
const LONGEST = 64 * 1024 * 1024;
const LINE_END = 10;

/** With so many characters unread no more is taken from a client until it has read them. */
const MOST_UNREAD = 16 * 1024 * 1024;
/** So many requests may wait for their answers; further ones are refused. Cancelling is heard all the same. */
const MOST_OPEN = 5000;

/** How long a client that reads nothing is waited for at the end, in milliseconds. */
const PATIENCE = 1000;

export function lineTransport(
  { input, output, clock }: LinePorts,
  library: Library,
): LineTransport {
  const stop = new AbortController();
  let isClosed = false;
  let [end, fail] = [() => {}, (_: unknown) => {}];
  const ended = new Promise<void>((resolve, reject) => {
    [end, fail] = [resolve, reject];
  });
  // One after the other: a full pipe takes a message in parts.
  let written = Promise.resolve();
  let unread = 0;
  const open = openRequests();
  const write = (text: string): Promise<void> => {
    unread += text.length;
    written = written.then(async () => {
      await output.write(text);
      unread -= text.length;
      if (output.closed) stop.abort();
    });
    written.catch((error: unknown) => {
      fail(error);
      stop.abort();
    });
    return written;
  };
  const take = (text: string): void => {
    // What some write before the first line says nothing.
    const line = text.replace(/^\ufeff/, '');
    if (line.trim() === '') return;
    const message = read(line, library);
    if ('problem' in message) void write(message.problem);
    else if (open.take(message)) transport.onmessage?.(message);
    else void write(errorLine(idOf(message), -32000, `${MOST_OPEN} requests wait for answers`));
  };
  const readAll = async () => {
    for await (const line of lines(input.pieces(stop.signal))) {
      if (line === undefined) void write(errorLine(null, -32600, 'the message is too long'));
      else take(line);
      if (unread > MOST_UNREAD) await written.catch(() => {});
    }
    await transport.close();
  };
  const transport: LineTransport = {
    ended,
    async start() {
      void readAll();
    },
    send(message) {
      open.answer(message);
      return write(library.serializeMessage(message));
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      stop.abort();
      transport.onclose?.();
      const patience = new AbortController();
      const lost = clock.sleep(PATIENCE, patience.signal);
      await Promise.race([written, lost]).catch(() => {});
      lost.catch(() => {});
      patience.abort();
      end();
    },
  };
  return transport;
}

/** Counts the requests of a client that have no answer yet. */
function openRequests() {
  const open = new Set<RequestId>();
  return {
    /** False for a request that is one too many. */
    take(message: JSONRPCMessage): boolean {
      if ('method' in message && message.method === 'notifications/cancelled') {
        // It gets no answer.
        const { requestId } = message.params ?? {};
        open.delete(requestId as RequestId);
      }
      if (!('method' in message && 'id' in message)) return true;
      if (open.size >= MOST_OPEN) return false;
      open.add(message.id);
      return true;
    },
    answer(message: JSONRPCMessage): void {
      const id = idOf(message);
      if (id !== null && !('method' in message)) open.delete(id);
    },
  };
}

const idOf = (message: JSONRPCMessage): RequestId | null =>
  ('id' in message ? message.id : undefined) ?? null;

/** Whole lines; undefined for one that is too long. What the input ends with is a line, too. */
async function* lines(pieces: AsyncIterable<Uint8Array>): AsyncIterable<string | undefined> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const take = (): string | undefined => {
    const line = length > LONGEST ? undefined : Buffer.concat(parts).toString();
    parts = [];
    length = 0;
    return line;
  };
  for await (const piece of pieces) {
    let from = 0;
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, from)) {
      parts.push(piece.subarray(from, at));
      length += at - from;
      from = at + 1;
      yield take();
    }
    const rest = piece.subarray(from);
    length += rest.length;
    if (length <= LONGEST) parts.push(rest);
    else parts = [];
  }
  if (length > 0) yield take();
}

/** The message, or the line that answers what is none. */
function read(line: string, library: Library): JSONRPCMessage | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { problem: errorLine(null, -32700, 'the line is not JSON') };
  }
  try {
    return library.parseJSONRPCMessage(value);
  } catch {
    const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
    const known = typeof id === 'string' || typeof id === 'number' ? id : null;
    return { problem: errorLine(known, -32600, 'the line is no JSON-RPC message') };
  }
}

const errorLine = (id: string | number | null, code: number, message: string): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`;
