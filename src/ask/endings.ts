// How a run ends that ends without an answer: what each end means, as a failure with what to do next.

import { Failure, Interruption, limitFailure, providerFailure, workFailure } from '../errors.ts';
import type { Reply } from './types/events.ts';

const FULL =
  'the context of the model is full: shorten the chat (`clear:` drops what stands before it), or ask a model with a larger one (-m)';

/** Ends that are an answer return; the others throw what they mean. The round is stored by then. */
export function settle(reply: Reply): void {
  const { reason, detail } = reply.finish;
  if (reason === 'length')
    throw limitFailure('length-limit', 'the answer was cut at its length limit', {
      next: detail === 'context' ? FULL : 'raise `option: max_tokens`, or ask it to go on',
    });
  if (reason === 'refusal' || reason === 'content_filter')
    throw providerFailure(
      'refused',
      `the model refused to answer${detail === undefined ? '' : ` (${detail})`}`,
      {
        next: 'change the question; asking the same again would be refused again',
        facts: { kind: 'refused' },
      },
    );
}

/** The failure of a run whose answer does not fit, also when asked again. */
export const misfitFailure = (problem: string): Failure =>
  workFailure(
    'answer-misfit',
    `the answer does not fit its format, also when asked again: ${problem}`,
    {
      next: 'ask again, ask another model (-m), or ask for less at once',
    },
  );

/** The failure of a run whose model answers nothing, also when asked again. */
export function emptyAnswer(endpoint: string, reply: Reply): Failure {
  const at = `endpoint ${endpoint}`;
  if (reply.finish.reason === 'length')
    return limitFailure(
      'length-limit',
      'the answer was cut at its length limit before any visible text',
      {
        at,
        next: reply.finish.detail === 'context' ? FULL : 'raise `option: max_tokens`',
      },
    );
  return providerFailure('empty-answer', 'the model gave an empty answer, also when asked again', {
    at,
    next: 'ask again, or change the question or the model (-m)',
    facts: { kind: 'empty_answer' },
  });
}

/** Why a round did not complete, in words for the one who reads the chat. */
export function reasonOf(reason: unknown): string {
  if (reason instanceof Interruption)
    return reason.signal === 'SIGINT' ? 'interrupted' : 'terminated';
  if (reason instanceof Failure)
    return typeof reason.facts.kind === 'string'
      ? reason.facts.kind.replaceAll('_', ' ')
      : reason.code;
  return 'failed';
}
