// One line about each request, with all its attempts: where it went, how it ended, how long it took.

import { Failure } from '../../errors.ts';
import type { BackendContext } from '../types.ts';
import type { Call } from './types.ts';

export interface RequestLog {
  attempt(): void;
  answered(status: number): void;
  /** The model began to speak. */
  begun(): void;
  /** Writes the line, once. `error` is what the request ended in. */
  end(error?: unknown): void;
}

/** The log of one request; a request that is not read to its end is told as it stands then. */
export function requestLog(
  call: Call,
  { log, clock }: Pick<BackendContext, 'log' | 'clock'>,
): RequestLog {
  const started = clock.monotonic();
  const seconds = () => Math.round(clock.monotonic() - started) / 1000;
  let attempts = 0;
  let status: number | undefined;
  let firstToken: number | undefined;
  let ended = false;
  return {
    attempt() {
      attempts += 1;
    },
    answered(given) {
      status = given;
    },
    begun() {
      firstToken ??= seconds();
    },
    end(error) {
      if (ended) return;
      ended = true;
      const { endpoint, url, method, cache } = call;
      log?.({
        kind: 'http',
        method,
        host: url.host,
        url: `${url.origin}${url.pathname}`,
        purpose: call.purpose ?? (method === 'POST' ? 'chat' : 'models'),
        ...(endpoint.model === undefined ? {} : { model: endpoint.model }),
        ...(status === undefined ? {} : { status }),
        ...(firstToken === undefined ? {} : { firstToken }),
        total: seconds(),
        attempts,
        ...(cache === undefined ? {} : { cache }),
        ...(error === undefined ? {} : { error: kindOf(error) }),
      });
    },
  };
}

function kindOf(error: unknown): string {
  if (error instanceof Failure) return String(error.facts.kind ?? error.code);
  return error instanceof Error ? error.name : 'error';
}
