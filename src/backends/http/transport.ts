// The only caller of Http: sends a request, repeats it while that makes sense and nothing was shown, and ends in a Failure that says what
// to do. Knows no provider.

import { Failure } from '../../errors.ts';
import type { HttpResponse } from '../../world/types/network.ts';
import { flagSetting, numberSetting } from '../settings.ts';
import type { BackendContext } from '../types.ts';
import { limited } from './limited.ts';
import { type RequestLog, requestLog } from './log.ts';
import { changed, problem, type Site, unreachable } from './problems.ts';
import { refused } from './refusals.ts';
import { isRemote } from './remote.ts';
import { httpRequest } from './request.ts';
import { type RetryRules, retryAfter, retryRules } from './retry.ts';
import type { Answer, Call, Reader } from './types.ts';
import { readLines } from './value-lines.ts';
import { readStart, readValues } from './values.ts';

/**
 * Sends, and yields what the reader makes of the answer. Items come out when the model has begun to speak, or the answer is whole: those of a
 * request that is repeated are dropped. Before each wait `context.onRetry` is called. A failure after the beginning is of kind
 * `stream_dropped`. Rejects with the signal's reason when it aborts, also while waiting.
 */
export async function* exchange<Item>(
  call: Call,
  context: BackendContext,
  read: Reader<Item>,
): AsyncGenerator<Item> {
  const site = siteOf(call);
  const rules = retryRules(call.endpoint);
  const log = requestLog(call, context);
  try {
    for (let attempt = 1; ; attempt++) {
      const sending = send(call, site, context, log);
      try {
        const held: Item[] = [];
        for await (const item of read(await sending.answer())) {
          held.push(item);
          // Without a yield* to an array: that costs several turns for each item, and there may be many.
          if (sending.state.begun) for (const each of held.splice(0)) yield each;
        }
        for (const each of held) yield each;
        return;
      } catch (error) {
        context.signal.throwIfAborted();
        const { begun, expired } = sending.state;
        const failure = expired ? tooSlow(call, site) : asFailure(error, site);
        if (begun) throw dropped(failure, attempt);
        const delay = rules.delay(failure, attempt, context.clock.random());
        if (delay === undefined) throw spent(failure, attempt, rules);
        context.onRetry({
          attempt,
          maxRetries: rules.most,
          delay,
          kind: String(failure.facts.kind),
          message: failure.message,
        });
        await context.clock.sleep(delay, context.signal);
      } finally {
        sending.end();
      }
    }
  } catch (error) {
    log.end(error);
    throw error;
  } finally {
    log.end();
  }
}

const siteOf = ({ endpoint, url, body, attachments }: Call): Site => ({
  endpoint,
  url,
  sent: body?.length ?? 0,
  ...(body === undefined ? {} : { body }),
  ...(attachments === undefined ? {} : { attachments }),
});

/** The JSON answer to a GET, or to a POST when there is a body, with the same repeats and failures. */
export async function fetchJson(
  call: Omit<Call, 'method' | 'streamed'>,
  context: BackendContext,
): Promise<unknown> {
  const read = async function* (answer: Answer) {
    for await (const items of answer.batches)
      for (const item of items) if (item.kind === 'value') yield item.value;
  };
  const method = call.body === undefined ? 'GET' : 'POST';
  let last: unknown;
  for await (const value of exchange({ ...call, method, streamed: false }, context, read))
    last = value;
  return last;
}

interface State {
  begun: boolean;
  /** The first token did not come in time. */
  expired: boolean;
}

interface Sending {
  readonly state: State;
  answer(): Promise<Answer>;
  /** Lets go of the clock and of the signal. */
  end(): void;
}

/** One attempt. */
function send(call: Call, site: Site, context: BackendContext, log: RequestLog): Sending {
  const state: State = { begun: false, expired: false };
  const stop = linked(context.signal);
  const limit = startLimit(firstTokenSeconds(call), context, () => {
    state.expired = true;
    stop.abort(new Error('the first token is late'));
  });
  let rest: { end(): void } | undefined;
  return {
    state,
    async answer() {
      log.attempt();
      const response = await context.http.send(httpRequest(call, stop.signal));
      log.answered(response.status);
      if (response.status < 200 || response.status > 299)
        throw await refusal(site, response, context.clock.now());
      const read = call.lines === true ? readLines : readValues;
      const batches = read(limited(response.body, site), site, context.warn);
      return {
        site,
        headers: response.headers,
        batches,
        begun() {
          if (state.begun) return;
          state.begun = true;
          log.begun();
          limit.end();
        },
        ended(all) {
          if (all) {
            rest ??= startLimit(REST, context, () => stop.abort(new SilentRest()));
            return;
          }
          rest?.end();
          rest = undefined;
        },
      };
    },
    end() {
      limit.end();
      rest?.end();
      stop.end();
    },
  };
}

/** Seconds for what follows the end of an answer, such as counts: some servers never close the connection. */
const REST = 5;

/** To those who read, the same as a server that says nothing more. */
class SilentRest extends Error {
  readonly code = 'UND_ERR_BODY_TIMEOUT';
}

/** An abort controller that follows a signal; `end` lets go of it. */
function linked(signal: AbortSignal) {
  const own = new AbortController();
  const follow = () => own.abort(signal.reason);
  if (signal.aborted) follow();
  signal.addEventListener('abort', follow, { once: true });
  return {
    signal: own.signal,
    abort: (reason: unknown) => own.abort(reason),
    end() {
      signal.removeEventListener('abort', follow);
    },
  };
}

const FIRST_TOKEN_REMOTE = 120;

/** Seconds to wait for the first token; 0 for as long as it takes. */
function firstTokenSeconds({ endpoint, url, streamed }: Call): number {
  if (!streamed) return 0;
  const remote = flagSetting(endpoint, 'remote') ?? isRemote(url);
  return numberSetting(endpoint, 'first_token_timeout') ?? (remote ? FIRST_TOKEN_REMOTE : 0);
}

function startLimit(seconds: number, { clock }: BackendContext, expire: () => void) {
  const cancel = new AbortController();
  if (seconds > 0) clock.sleep(seconds * 1000, cancel.signal).then(expire, () => {});
  return { end: () => cancel.abort() };
}

async function refusal(site: Site, response: HttpResponse, now: Date): Promise<Failure> {
  const body = await readStart(response.body);
  const wait = retryAfter(response.headers, now);
  const { location } = response.headers;
  return refused(site, {
    status: response.status,
    body,
    ...(wait === undefined ? {} : { retryAfter: wait }),
    ...(location === undefined ? {} : { location }),
  });
}

/** Errors that are no business of the network are faults of ours and go on as they are. */
function asFailure(error: unknown, site: Site): Failure {
  if (error instanceof Failure) return error;
  const failure = unreachable(site, error);
  if (failure === undefined) throw error;
  return failure;
}

function tooSlow(call: Call, site: Site): Failure {
  const seconds = firstTokenSeconds(call);
  return problem(site, 'first-token-timeout', `${site.url.host} sent no text within ${seconds} s`, {
    next: `ask again, or raise "first_token_timeout" (seconds, 0 for no limit) of endpoint ${site.endpoint.name}`,
    facts: { kind: 'first_token_timeout', retryable: false },
  });
}

/** What was shown cannot be taken back here: whoever asked decides whether to start again. */
function dropped(failure: Failure, attempts: number): Failure {
  const { kind, retryable } = failure.facts;
  if (retryable !== true) return changed(failure, { facts: { attempts } });
  return changed(failure, {
    code: 'stream-dropped',
    message: `the answer broke off: ${failure.message}`,
    next: 'ask again',
    facts: { kind: 'stream_dropped', cause_kind: kind ?? null, attempts },
  });
}

function spent(failure: Failure, attempts: number, rules: RetryRules): Failure {
  if (failure.facts.retryable !== true || attempts === 1 || attempts <= rules.most)
    return changed(failure, { facts: { attempts } });
  return changed(failure, {
    message: `${failure.message} (${attempts} attempts)`,
    facts: { kind: 'retry_exhausted', cause_kind: failure.facts.kind ?? null, attempts },
  });
}
