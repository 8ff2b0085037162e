// The level of thinking as fields of the Messages protocol, and the room that an answer needs besides. Pure.

import type { Endpoint } from '../../config/types.ts';
import { type Fields, fields } from '../../json.ts';
import { type ThinkingLevel, thinkingLevel } from '../thinking-level.ts';
import { isThinking } from './blocks.ts';
import type { Turn } from './prompt.ts';

/** Tokens of thinking for hosts that want a number in place of a level. */
const BUDGETS: Readonly<Record<ThinkingLevel, number>> = { low: 2048, medium: 8192, high: 24_576 };
/** The protocol's smallest budget, and the least room that an answer gets besides it. */
const LEAST_BUDGET = 1024;

export interface ThinkingForm {
  /** How thinking is to be shown; absent where the field is not taken. */
  readonly display?: string;
  /** A number of tokens in place of a level. */
  readonly budget: boolean;
  /** Nothing is said about thinking. */
  readonly none?: boolean;
}

export interface Made {
  readonly fields: Fields;
  readonly warnings: readonly string[];
}

/** `thinking` and `output_config` for the endpoint's level; nothing for `default`. */
export function thinkingFields(endpoint: Endpoint, form: ThinkingForm): Made {
  if (form.none === true) return { fields: {}, warnings: [] };
  const { level, warnings } = thinkingLevel(endpoint);
  return { fields: level === undefined ? {} : levelFields(level, form), warnings };
}

function levelFields(level: ThinkingLevel | 'off', { display, budget }: ThinkingForm): Fields {
  const shown = display === undefined ? {} : { display };
  if (level === 'off') return { thinking: { type: 'disabled' } };
  return budget
    ? { thinking: { type: 'enabled', budget_tokens: BUDGETS[level], ...shown } }
    : { thinking: { type: 'adaptive', ...shown }, output_config: { effort: level } };
}

export interface Room {
  readonly limit: number;
  /** The field as it goes out; absent when there is no room for thinking. */
  readonly thinking?: unknown;
  readonly warnings: readonly string[];
}

/** The longest answer, raised to leave room besides a budget of thinking; where `most` forbids that, the budget gives way. */
export function withRoom(wanted: number, most: number | undefined, thinking: unknown): Room {
  const top = most ?? Number.POSITIVE_INFINITY;
  const limit = Math.min(wanted, top);
  const { type, budget_tokens: budget } = fields(thinking);
  if (thinking === undefined) return { limit, warnings: [] };
  if (type !== 'enabled' || typeof budget !== 'number') return { limit, thinking, warnings: [] };
  const needed = budget + LEAST_BUDGET + 1;
  if (limit >= needed) return { limit, thinking, warnings: [] };
  if (needed <= top) return { limit: needed, thinking, warnings: [] };
  const smaller = top - LEAST_BUDGET - 1;
  if (smaller >= LEAST_BUDGET)
    return { limit: top, thinking: { ...fields(thinking), budget_tokens: smaller }, warnings: [] };
  const warning = `there is no room for thinking in ${top} tokens of output; asked without it`;
  return { limit, warnings: [warning] };
}

/**
 * Thinking with a budget cannot begin in the middle of a turn: where calls were made without it (by another model, by hand, from jobs), the
 * request that brings their results goes without it too.
 */
export function withoutGap(
  room: Room,
  turns: readonly Turn[],
  [wanted, most]: readonly [number, number | undefined],
): Room {
  if (fields(room.thinking).type !== 'enabled') return room;
  const newest = turns.findLast(({ role }) => role === 'assistant')?.pieces ?? [];
  const called = newest.some(({ block }) => block.type === 'tool_use');
  const first = newest[0]?.block;
  if (!called || first === undefined || isThinking(first)) return room;
  return { ...withRoom(wanted, most, undefined), warnings: [GAP] };
}

const GAP = 'asked without thinking: the last calls were made without it';
