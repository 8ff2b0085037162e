// Resolved settings. Types only.

import type { Origin, Price } from '../types.ts';

/** A key that cannot be printed by accident: text, JSON and inspection all show `***`. */
export interface Secret {
  reveal(): string;
}

/** Everything of an endpoint file but the named fields below: sampling, adapter settings, timeouts. */
export type Settings = Readonly<Record<string, unknown>>;

/** Places by name: a line of a file, or words such as `command line`. */
export type Origins = Readonly<Record<string, Origin | string | undefined>>;

export interface Endpoint {
  readonly name: string;
  readonly backend: string;
  /** The base that the provider documents, without a trailing slash. */
  readonly url?: string;
  readonly model?: string;
  readonly key?: Secret;
  readonly headers: Readonly<Record<string, string>>;
  /** `temperature`, `max_tokens`, `thinking`, `request_timeout` …; command line over chat over agent over file over environment. */
  readonly settings: Settings;
  /** Where each of them was said, as far as is known. */
  readonly origins?: Origins;
  readonly price?: Price;
  /** The file it came from, or `built-in`. */
  readonly source: string;
}

/** Where this program keeps things; absolute. */
export interface Folders {
  readonly config: string;
  readonly data: string;
  readonly state: string;
  readonly cache: string;
}

/** Kinds of things that are looked for on the search path. */
export type Kind =
  | 'chats'
  | 'Agent'
  | 'workflows'
  | 'etc'
  | 'share'
  | 'var'
  | 'questions'
  | 'knowledge_base'
  | 'strategies';
