// What a server and model of the Responses protocol do not take, as far as refusals told: in the form that bodies are made with, and in the one that
// is kept for other processes. Pure.

import { type Fields, list } from '../../json.ts';

export interface Known {
  /** Fields that are left out; `reasoning.summary` for one inside another. */
  readonly left: ReadonlySet<string>;
  /** How the form of the answer is asked for; a schema then goes into the prompt in words. */
  readonly format: 'schema' | 'object' | 'none';
  /** What stands for "no reasoning" with a model that always reasons. */
  readonly least: 'none' | 'minimal' | 'low';
  /** Most tokens that an answer may be asked to have. */
  readonly limit?: number;
  /** Whether a request can go on from a response that the server keeps. */
  readonly continues: boolean;
}

export const NOTHING_KNOWN: Known = {
  left: new Set(),
  format: 'schema',
  least: 'none',
  continues: true,
};

/** What is kept, as the requests of today know it. What cannot be read was not learned. */
export function fromLesson({ left_out, format, least, limit, continues }: Fields): Known {
  return {
    left: new Set(list(left_out).filter((name) => typeof name === 'string')),
    format: format === 'object' || format === 'none' ? format : NOTHING_KNOWN.format,
    least: least === 'minimal' || least === 'low' ? least : NOTHING_KNOWN.least,
    continues: continues !== false,
    ...(typeof limit === 'number' && limit >= 1 ? { limit } : {}),
  };
}

export function toLesson({ left, format, least, limit, continues }: Known): Fields {
  return {
    left_out: [...left],
    format,
    least,
    continues,
    ...(limit === undefined ? {} : { limit }),
  };
}

/** Which of the provider's own items go back to it: all, those that bring what they say, none. */
export type Replay = 'all' | 'readable' | 'none';

/** What holds for the requests of one run alone: what the provider forgot, and what it could not read. */
export interface RunState {
  /** Responses that it does not know any more. */
  readonly lost: ReadonlySet<string>;
  readonly replay: Replay;
  /** Names of tools that it refused. */
  readonly tools: ReadonlySet<string>;
  /** In place of what is known: its schema was refused. */
  readonly format?: 'object';
}

export const FRESH_RUN: RunState = { lost: new Set(), replay: 'all', tools: new Set() };

/** A server that forgets at once keeps nothing: as often as this it is believed to. */
const MOST_LOST = 2;

export const mayContinue = (known: Known, { lost }: RunState): boolean =>
  known.continues && lost.size < MOST_LOST;
