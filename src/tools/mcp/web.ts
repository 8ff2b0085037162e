// Requests of the client library over this program's own HTTP: proxies, certificates and redirects are the same as everywhere.

import type { FetchLike } from '@modelcontextprotocol/client';
import type { Http, HttpRequest } from '../../world/types.ts';

export interface WebOptions {
  /** Given with every request to the origin of the server, and to no other. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly origin: string;
  /** Told the status of each answer to a POST. */
  readonly onStatus: (status: number) => void;
}

/** Statuses whose answers have no body by definition. */
const EMPTY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** The function that the transports of the library send with. Redirects are left to them. */
export function webFetch(http: Http, { headers, origin, onStatus }: WebOptions): FetchLike {
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
    const known = status >= 200 && status <= 599;
    return new Response(EMPTY.has(status) ? null : streamOf(response.body), {
      status: known ? status : 502,
      headers: new Headers({ ...response.headers }),
    });
  };
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
