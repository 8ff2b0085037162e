// What is sent to an endpoint, and what comes back. Types only.

import type { Endpoint } from '../../config/types.ts';
import type { Attachment } from '../../types.ts';
import type { Purpose } from '../types.ts';
import type { Site } from './problems.ts';
import type { Value } from './values.ts';

/** A request to an endpoint. */
export interface Call {
  readonly endpoint: Endpoint;
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  /** On top of those of the endpoint file, which win; the key's header too. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Files that are in the body, for the words of a refusal. */
  readonly attachments?: ReadonlyMap<string, Attachment>;
  /** Whether the answer comes in pieces, so that its first one may be waited for with a limit. */
  readonly streamed: boolean;
  /** Each line of the answer is one JSON value; else it is a stream of events or one value. */
  readonly lines?: boolean;
  /** For the log; a POST is for a chat, a GET for the list of models. */
  readonly purpose?: Purpose;
  /** For the log: what was asked of the provider's prompt cache. */
  readonly cache?: string;
}

/** An answer that was not refused. */
export interface Answer {
  readonly site: Site;
  readonly headers: Readonly<Record<string, string>>;
  /** The body's JSON values as they arrive, those of one read together; to be read once. */
  readonly batches: AsyncIterable<readonly Value[]>;
  /** Tells that the model has begun to speak: the limit for the first token ends, and the request is not repeated any more. */
  begun(): void;
  /** Tells whether all that counts has arrived: what may still follow is then waited for only a little while. */
  ended(all: boolean): void;
}

/** Reads an answer. Throws a Failure with `retryable: true` for an answer that did not come to its end. */
export type Reader<Item> = (answer: Answer) => AsyncIterable<Item>;
