// HTTP, asked and answered. Types only.

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'HEAD' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds; default 10,000. */
  readonly connectTimeout?: number;
  /** Longest silence between two pieces of the answer, in milliseconds; default 600,000. */
  readonly readTimeout?: number;
  /** Redirects are followed at most this often, never to another host with a key. Default 0. */
  readonly redirects?: number;
  /** Path of a PEM file with certificates to trust besides those of the environment. */
  readonly certificates?: string;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly url: string;
  /** The body as it arrives. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Http {
  /** Rejects with the client library's error (it has a `code`); a status is never an error here. */
  send(request: HttpRequest): Promise<HttpResponse>;
}

/** Who waits for requests at an address. */
export interface Listening {
  readonly port: number;
  /** Takes no more requests, lets answers that are nearly done come to their end, and cuts the rest. */
  close(): Promise<void>;
}

export interface Servers {
  /**
   * Answers HTTP requests; port 0 is any free one. The request's signal aborts when its client goes away before it has the whole
   * answer. What `answer` rejects with becomes status 500 without a word. Rejects with a usage Failure when the address cannot be had.
   */
  listen(
    place: { readonly host: string; readonly port: number },
    answer: (request: Request) => Promise<Response>,
  ): Promise<Listening>;
}
