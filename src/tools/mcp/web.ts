// Requests of the client library over this program's own HTTP: proxies, certificates and redirects are the same as everywhere.

import type { FetchLike } from '@modelcontextprotocol/client';
import type { Http, HttpRequest, HttpResponse } from '../../world/types/network.ts';
import { LONGEST } from './lines.ts';
import { wellFormedText } from './well-formed.ts';

export interface WebOptions {
  /** Given with every request to the origin of the server, and to no other. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly origin: string;
  /** Told the status of each answer to a POST. */
  readonly onStatus: (status: number) => void;
  /** A request is answered in the answer to its POST, not in a stream of its own. */
  readonly answersAtOnce: boolean;
}

/** Statuses whose answers have no body by definition. */
const EMPTY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** The function that the transports of the library send with. Redirects are left to them. */
export function webFetch(
  http: Http,
  { headers, origin, onStatus, answersAtOnce }: WebOptions,
): FetchLike {
  return async (input, init) => {
    const url = new URL(String(input));
    const given = Object.fromEntries(new Headers(init?.headers).entries());
    const own = url.origin === origin ? lowerCase(await headers()) : {};
    const method = (init?.method ?? 'GET').toUpperCase() as HttpRequest['method'];
    const { body, signal } = init ?? {};
    const response = await http.send({
      method,
      url: url.href,
      headers: { ...given, ...own },
      // How long an answer may take is up to the call's own limit.
      readTimeout: 0,
      ...(typeof body === 'string' ? { body } : {}),
      ...(signal === undefined || signal === null ? {} : { signal }),
    });
    if (method === 'POST') onStatus(response.status);
    const { status } = response;
    if (answersAtOnce && (status === 202 || status === 204) && isRequest(body))
      throw new Error(`it took the request and gave no answer (HTTP ${status})`);
    const known = status >= 200 && status <= 599;
    return new Response(EMPTY.has(status) ? null : streamOf(wellFormedBody(response)), {
      status: known ? status : 502,
      headers: new Headers({ ...response.headers }),
    });
  };
}

/** Not a notification, nor an answer. */
function isRequest(body: unknown): boolean {
  if (typeof body !== 'string') return false;
  const { id, method } = JSON.parse(body);
  return id !== undefined && method !== undefined;
}

/** The messages of an answer in the form that the library takes. */
function wellFormedBody({ status, headers, body }: HttpResponse): AsyncIterable<Uint8Array> {
  const type = headers['content-type'] ?? '';
  if (status !== 200) return body;
  if (/^\s*application\/json\b/i.test(type)) return changed(body, wellFormedText, () => 0);
  return /^\s*text\/event-stream\b/i.test(type) ? changed(body, eventLines, afterLines) : body;
}

/** Lines of events; data that is one message in a line is made well-formed. */
const eventLines = (text: string): string => text.replace(/^data:([^\r\n]*)/gm, eventLine);

function eventLine(line: string, data: string): string {
  const formed = wellFormedText(data);
  return formed === data ? line : `data: ${formed}`;
}

/** Behind the last whole line. */
const afterLines = (text: string): number =>
  Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;

/** Text piece by piece: each as far as it is whole (`end`; 0 when nothing is). */
async function* changed(
  body: AsyncIterable<Uint8Array>,
  change: (text: string) => string,
  end: (text: string) => number,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let begun: string[] = [];
  let length = 0;
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    const whole = end(text);
    if (whole > 0) yield encoder.encode(change([...begun, text.slice(0, whole)].join('')));
    if (whole > 0) begun = [];
    begun.push(text.slice(whole));
    length = (whole > 0 ? 0 : length) + text.length - whole;
    if (length > LONGEST) throw new Error(`its answer has more than ${LONGEST} characters`);
  }
  const rest = [...begun, decoder.decode()].join('');
  if (rest !== '') yield encoder.encode(change(rest));
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function streamOf(body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return?.();
    },
  });
}
