// Answers of the Responses protocol that are none, as failures: of another protocol, failed, or not what was asked for.

import type { Failure } from '../../errors.ts';
import { type Fields, fields, text } from '../../json.ts';
import { problem } from '../http/problems.ts';
import { refused } from '../http/refusals.ts';
import type { Answer } from '../http/types.ts';

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

/** The status that a code stands for; the others are a bad request. */
const STATUS: Readonly<Record<string, number>> = {
  server_error: 500,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  vector_store_timeout: 500,
};

/** The response says itself that it failed. */
export function failed({ error }: Fields, { site }: Answer): Failure {
  const code = text(fields(error).code) ?? '';
  const body = JSON.stringify({ error: error ?? { message: 'the answer failed' } });
  return refused(site, { status: STATUS[code] ?? (code === '' ? 500 : 400), body });
}
