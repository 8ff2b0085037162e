// Answers of the Responses protocol that are none, as failures: of another protocol, failed, or not what was asked for.

import type { Failure } from '../../errors.ts';
import { badReply, problem } from '../http/problems.ts';
import { refused } from '../http/refusals.ts';
import type { Answer } from '../http/types.ts';
import { type Fields, fields, text } from '../json.ts';

/** What came is of another protocol: asking again would bring the same. */
export function foreign({ site }: Answer, quote: string): Failure {
  return badReply(site, 'sent no answer of this protocol', quote, false);
}

/** The answer does not go on from the one that was named. */
export function ignored({ site }: Answer): Failure {
  return problem(
    site,
    'response-ignored',
    `${site.url.host} did not go on from the answer before`,
    {
      next: `set "previous_response: false" in ${site.endpoint.source}`,
      // Text that was shown already is void: the round starts again.
      facts: { kind: 'stream_dropped', retryable: false, response_ignored: true },
    },
  );
}

const TEMPORARY: Readonly<Record<string, number>> = {
  server_error: 500,
  rate_limit_exceeded: 429,
  vector_store_timeout: 500,
};

/** Somebody at the provider's stopped it; what came is no whole answer. */
export function cancelled({ site }: Answer): Failure {
  return problem(site, 'server-error', `${site.url.host} cancelled the answer`, {
    next: 'ask again',
    facts: { kind: 'server', retryable: true },
  });
}

/** The response says itself that it failed. */
export function failed({ error }: Fields, { site }: Answer): Failure {
  const code = text(fields(error).code) ?? '';
  const body = JSON.stringify({ error: error ?? { message: 'the answer failed' } });
  return refused(site, { status: TEMPORARY[code] ?? (code === '' ? 500 : 400), body });
}
