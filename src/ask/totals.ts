// Token sums: the running totals of a chat and of this process, and what a budget has left.

import { TOKEN_FIELDS } from '../chat/meta.ts';
import type { Endpoint } from '../config/types.ts';
import { limitFailure, usageFailure } from '../errors.ts';
import type { Chat, Price, Tokens } from '../types.ts';
import type { Budget, Ledger } from './types/run.ts';

type Sums = Record<string, number>;

/** Adds the counts that are there; a missing one adds nothing and makes no entry. */
export function addTokens(sums: Readonly<Sums>, tokens: Tokens, suffix = ''): Sums {
  const next: Sums = { ...sums };
  for (const field of TOKEN_FIELDS) {
    const count = tokens[field];
    if (count !== undefined) next[field + suffix] = (next[field + suffix] ?? 0) + count;
  }
  return next;
}

/** Sum of this process, over all its runs. Never written into a sum again. */
let processTotals: Sums = {};

/** Adds to the totals of this process and returns them as `pt_s` …. */
export function addToProcess(tokens: Tokens): Sums {
  processTotals = addTokens(processTotals, tokens, '_s');
  return processTotals;
}

const MILLION = 1_000_000;

/** Money for one request by a price per million tokens; undefined when a count or a price that it needs is not known. */
export function costOf(tokens: Tokens, price: Price | undefined): number | undefined {
  if (price?.input === undefined || price.output === undefined) return undefined;
  if (tokens.pt === undefined || tokens.ct === undefined) return undefined;
  const read = tokens.cct ?? 0;
  const written = tokens.cwt ?? 0;
  const plain = Math.max(0, tokens.pt - read - written);
  return (
    (plain * price.input +
      read * (price.cache_read ?? price.input) +
      written * (price.cache_write ?? price.input) +
      tokens.ct * price.output) /
    MILLION
  );
}

/** Watches a run's budget. */
export interface Meter {
  /** Throws a limit Failure (exit 5) when the next request would go over, by an estimate of its prompt in tokens. */
  check(round: number, estimatedPrompt: number): void;
  /** Tokens the next answer may have; undefined without a token budget. */
  answerLimit(estimatedPrompt: number): number | undefined;
  add(tokens: Tokens): void;
}

/** A cost budget for an endpoint without a price is a usage Failure: it could never be kept. */
export function meter(
  budget: Budget,
  price: Price | undefined,
  endpointName: string,
  ledger: Ledger = { tokens: 0, cost: 0 },
): Meter {
  if (budget.cost !== undefined && (price?.input === undefined || price.output === undefined)) {
    throw usageFailure(
      'no-price',
      `--max-cost needs a price, and endpoint "${endpointName}" has none for its model`,
      {
        next: 'add `price: {input: …, output: …}` (per million tokens) to an endpoint file that names this model, or use --max-tokens',
      },
    );
  }
  return {
    check(round, estimatedPrompt) {
      if (round > budget.rounds)
        throw limitFailure('round-limit', `the limit of ${budget.rounds} rounds was reached`, {
          next: 'ask the same chat again to go on, or raise `option: max_rounds`',
        });
      const { tokens: used, cost: spent } = ledger;
      if (budget.tokens !== undefined && used + estimatedPrompt >= budget.tokens)
        throw limitFailure(
          'token-limit',
          `the budget of ${budget.tokens} tokens is used up: ${used} spent, about ${estimatedPrompt} needed for the next prompt`,
          { next: 'raise --max-tokens, or shorten the chat (`clear:`)' },
        );
      const next = ((price?.input ?? 0) * estimatedPrompt) / MILLION;
      if (budget.cost !== undefined && spent + next >= budget.cost)
        throw limitFailure(
          'cost-limit',
          `the budget of ${budget.cost} is used up: ${spent.toFixed(6)} spent, about ${next.toFixed(6)} needed for the next prompt`,
          { next: 'raise --max-cost, or ask a cheaper model (-m)' },
        );
    },
    answerLimit(estimatedPrompt) {
      if (budget.tokens === undefined) return undefined;
      return Math.max(1, budget.tokens - ledger.tokens - estimatedPrompt);
    },
    add(tokens) {
      ledger.tokens += tokens.tt ?? (tokens.pt ?? 0) + (tokens.ct ?? 0);
      ledger.cost += costOf(tokens, price) ?? 0;
    },
  };
}

/** About four characters make a token: good enough to stop before a budget is passed by much. */
export function estimateTokens(messages: Chat): number {
  return Math.ceil(messages.reduce((sum, { content }) => sum + content.length, 0) / 4);
}

/**
 * With a token budget the answer may not be longer than what is left of it: `max_tokens` is lowered, and `answer_limit` says that it may
 * not be raised again.
 */
export function limited(
  endpoint: Endpoint,
  limits: Pick<Meter, 'answerLimit'>,
  estimate: number,
): Endpoint {
  const left = limits.answerLimit(estimate);
  if (left === undefined) return endpoint;
  const { max_tokens, max_completion_tokens } = endpoint.settings;
  const own = max_tokens ?? max_completion_tokens;
  const most = typeof own === 'number' ? Math.min(own, left) : left;
  return { ...endpoint, settings: { ...endpoint.settings, max_tokens: most, answer_limit: left } };
}
