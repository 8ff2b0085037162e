// The word that an answer ends with, as why it ended. Servers of one protocol also use the words of the others, and their own. Pure.

import type { Failure } from '../errors.ts';
import { problem, type Site } from './http/problems.ts';
import type { FinishReason } from './types.ts';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const ORDINARY = words('stop end_turn stop_sequence eos tool_calls tool_use function_call');

const CUT: ReadonlySet<string> = words('length max_tokens max_output_tokens');
const FULL: ReadonlySet<string> = words('model_length model_context_window_exceeded');
const FILTERED: ReadonlySet<string> = words('content_filter sensitive safety');

/** Ends that are none: the answer broke off at the provider's. */
const GIVEN_UP: ReadonlySet<string> = words(
  'error network_error insufficient_system_resource abort cancelled',
);

/** Calls make an ordinary end one for calls, whatever the server says; a word that nobody knows is passed on. */
export function finishReason(word: string, called: boolean): FinishReason {
  const known = word.toLowerCase();
  if (ORDINARY.has(known)) return { reason: called ? 'tool_calls' : 'stop' };
  if (CUT.has(known)) return { reason: 'length' };
  if (FULL.has(known)) return { reason: 'length', detail: 'context' };
  if (FILTERED.has(known)) return { reason: 'content_filter' };
  if (known === 'refusal') return { reason: 'refusal' };
  const detail = /^[\w .:/-]{1,60}$/.test(word) ? word : 'in words that are no reason';
  return called ? { reason: 'tool_calls', detail } : { reason: 'other', detail };
}

/** The Failure of an answer that the provider gave up, undefined for any other end. */
export function givenUp(site: Site, word: string | undefined): Failure | undefined {
  if (word === undefined || !GIVEN_UP.has(word.toLowerCase())) return undefined;
  return problem(site, 'server-error', `${site.url.host} gave the answer up ("${word}")`, {
    next: 'ask again',
    facts: { kind: 'server', retryable: true },
  });
}
