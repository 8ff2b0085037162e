// Refusals of the Messages protocol whose words mean more than their status: what happened and what to do. Sends nothing.

import type { Failure } from '../../errors.ts';
import { changed } from '../http/problems.ts';

/** The same failure, with better words where this protocol's are known. */
export function advised(failure: Failure): Failure {
  const { status, kind } = failure.facts;
  if (status === 400 && SIGNATURE.test(failure.message)) return foreignThinking(failure);
  if (status === 400 && ALWAYS.test(failure.message))
    return changed(failure, {
      next: 'the model always thinks: set `option: thinking low`, or leave it out',
    });
  const sizes = kind === 'bad_request' ? SIZES.exec(failure.message) : null;
  return sizes === null ? failure : noRoom(failure, sizes.slice(1).map(Number));
}

const SIGNATURE = /signature\b.{0,20}\bthinking|thinking\.signature|block_binding/i;

const foreignThinking = (failure: Failure): Failure =>
  changed(failure, {
    next: 'the chat holds thinking that the provider does not know as its own, or what stands before it was changed: take the "provider_content:" messages out of the chat (its text stays), or set `option: reasoning_history turn` when they are older than the last question',
  });

const ALWAYS = /thinking\b.{0,60}\bdisabled\b.{0,60}not (?:supported|allowed|permitted)/i;

/** Prompt and answer together: `190000 + 20000 > 200000`. */
const SIZES = /context limit: (\d+) \+ (\d+) > (\d+)/;

function noRoom(
  failure: Failure,
  [prompt = 0, answer = 0, window = 0]: readonly number[],
): Failure {
  const count = (tokens: number): string => tokens.toLocaleString('en-US');
  const room = window - prompt;
  return changed(failure, {
    message: `prompt and answer together are too long: ${count(prompt)} tokens and at most ${count(answer)}, and ${count(window)} fit`,
    next:
      room > 0
        ? `set "max_tokens" to ${room} or less, or shorten the chat (\`clear:\` drops what stands before it)`
        : 'shorten the chat (`clear:` drops what stands before it), or ask a model with a larger context (-m)',
    facts: { prompt_tokens: prompt, context_window: window },
  });
}
