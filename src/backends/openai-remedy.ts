// What a refused Chat Completions request is asked again without: the name of the output limit, a sampling field, thinking, the form of the
// answer. Decides only; sends nothing.

import type { Failure } from '../errors.ts';
import { type Fields, fields, isObject, list } from './json.ts';
import type { Refused } from './openai-body.ts';

export interface Remedy {
  readonly refused: Refused;
  readonly what: 'limit_name' | 'format' | 'sampling' | 'reasoning_history' | 'thinking' | 'cache';
  /** The fields that are left out now. */
  readonly fields?: readonly string[];
  /** For the user: what is different now. */
  readonly told: string;
}

const LIMITS = ['max_tokens', 'max_completion_tokens'] as const;
const THINKING = ['chat_template_kwargs', 'reasoning_effort', 'reasoning'] as const;
export const isThinkingField = (name: string): boolean => THINKING.some((each) => each === name);

/** What an answer cannot do without, and the limit that guards a purse. */
const KEPT: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'tools',
  'tool_choice',
  ...LIMITS,
]);

/** The change that a refusal suggests for the body that was sent; undefined when it suggests none. */
export function remedy(failure: Failure, body: Fields, refused: Refused): Remedy | undefined {
  const { facts } = failure;
  const message = `${failure.message} ${facts.param ?? ''}`;
  if (facts.status !== 400 && facts.status !== 422) return undefined;
  if (facts.context_overflow === true || facts.tools_unsupported === true) return undefined;
  if (facts.kind !== 'bad_request' || facts.model_not_found === true) return undefined;
  return (
    otherLimit(message, body, refused) ??
    otherFormat(message, body, refused) ??
    withoutMarks(message, body, refused) ??
    withoutField(message, body, refused) ??
    withoutHistory(message, body, refused) ??
    withoutThinking(message, body, refused)
  );
}

function otherLimit(message: string, body: Fields, refused: Refused): Remedy | undefined {
  const sent = LIMITS.find((name) => body[name] !== undefined);
  if (sent === undefined || refused.limitName || !new RegExp(`\\b${sent}\\b`).test(message))
    return undefined;
  if (isAboutValue(message)) return undefined;
  const other = LIMITS.find((name) => name !== sent) ?? sent;
  return {
    refused: { ...refused, limitName: true },
    what: 'limit_name',
    told: `asked again with ${other} for ${sent}`,
  };
}

function otherFormat(message: string, body: Fields, refused: Refused): Remedy | undefined {
  const sent = body.response_format;
  if (
    !isObject(sent) ||
    !/response_format|json_schema|json_object|json mode|structured|grammar|schema/i.test(message)
  )
    return undefined;
  if (sent.type === 'json_schema')
    return {
      refused: { ...refused, format: 'object' },
      what: 'format',
      told: 'asked again for JSON without its schema',
    };
  return {
    refused: { ...refused, format: 'none' },
    what: 'format',
    told: 'asked again without JSON mode',
  };
}

function withoutMarks(message: string, body: Fields, refused: Refused): Remedy | undefined {
  const sent = list(body.messages).some((each) =>
    list(fields(each).content).some((part) => fields(part).cache_control !== undefined),
  );
  if (!sent || !/cache_control/.test(message)) return undefined;
  return {
    refused: { ...refused, marks: true },
    what: 'cache',
    told: 'asked again without marks for the prompt cache',
  };
}

function withoutField(message: string, body: Fields, refused: Refused): Remedy | undefined {
  const field = Object.keys(body).find((name) => !KEPT.has(name) && isNamed(name, message));
  if (field === undefined || isAboutValue(message)) return undefined;
  return without([field], refused);
}

/** A refusal about reasoning is first taken to be about what was sent back. */
function withoutHistory(message: string, body: Fields, refused: Refused): Remedy | undefined {
  const sent = list(body.messages).some((each) => fields(each).reasoning_content !== undefined);
  if (!sent || !isAboutReasoning(message)) return undefined;
  return {
    refused: { ...refused, history: true },
    what: 'reasoning_history',
    told: 'asked again without the reasoning of earlier answers',
  };
}

function withoutThinking(message: string, body: Fields, refused: Refused): Remedy | undefined {
  const sent = THINKING.filter((name) => body[name] !== undefined);
  return sent.length === 0 || !isAboutReasoning(message) ? undefined : without(sent, refused);
}

/** Signed blocks that do not fit the conversation are no matter of fields: leaving some out would not help. */
const isAboutReasoning = (message: string): boolean =>
  /reasoning|thinking/i.test(message) && !/signature|bound to|binding/i.test(message);

function without(names: readonly string[], refused: Refused): Remedy {
  return {
    refused: { ...refused, fields: new Set([...refused.fields, ...names]) },
    what: names.some(isThinkingField) ? 'thinking' : 'sampling',
    fields: names,
    told: `asked again without ${names.join(' and ')}`,
  };
}

/** In quotes, or as a word of its own that is no plain English one. */
function isNamed(field: string, message: string): boolean {
  if (new RegExp(`['"\`]${field}['"\`]`).test(message)) return true;
  if (field === 'user' || field === 'provider' || field === 'store') return false;
  return new RegExp(`(?<![\\w.])${field}(?![\\w])`).test(message);
}

/** A value out of its range is a mistake of the user's, to be told and not to be hidden. */
function isAboutValue(message: string): boolean {
  return /must be (?:between|less|greater|at (?:least|most)|a |an |in )|out of range|too (?:large|high|small|low)|[<>]=? ?-?\d|maximum|minimum|at most|at least/i.test(
    message,
  );
}
