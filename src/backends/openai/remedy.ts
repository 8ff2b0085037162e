// What a refused Chat Completions request is asked again without: the name of the output limit, a sampling field, thinking, the form of the
// answer. Decides only; sends nothing.

import type { Failure } from '../../errors.ts';
import { type Fields, fields, isObject, list } from '../../json.ts';
import {
  isAboutOneSchema,
  isAboutValue,
  literally,
  refusedFields,
  refusedTool,
  withoutOffers,
} from '../refusal-words.ts';
import type { WireNames } from '../tool-names.ts';
import { type Body, LIMITS, type Refused } from './body.ts';

export interface Remedy {
  readonly refused: Refused;
  /** One for each kind of thing that the refusal is about. */
  readonly lessons: readonly Lesson[];
  /** For the user: what is different now. */
  readonly told: string;
}

export interface Lesson {
  readonly what:
    | 'tool'
    | 'limit_name'
    | 'format'
    | 'sampling'
    | 'reasoning_history'
    | 'thinking'
    | 'cache';
  /** The fields that are left out now. */
  readonly fields?: readonly string[];
}

/** The change for one thing. `told` goes on from "asked again". */
interface Change extends Lesson {
  readonly refused: Refused;
  readonly told: string;
}

const THINKING = ['chat_template_kwargs', 'reasoning_effort', 'reasoning'] as const;
export const isThinkingField = (name: string): boolean => THINKING.some((each) => each === name);

/** What an answer cannot do without, and the limit that guards a purse. */
const KEPT: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'tools',
  'tool_choice',
  // Has other forms before it is left out.
  'response_format',
  ...LIMITS,
]);

/** The change that a refusal suggests for the body that was sent; undefined when it suggests none. */
export function remedy(
  failure: Failure,
  { fields: body, names }: Pick<Body, 'fields' | 'names'>,
  refused: Refused,
): Remedy | undefined {
  const { facts } = failure;
  const message = `${failure.message} ${facts.param ?? ''}`;
  if (facts.status !== 400 && facts.status !== 422) return undefined;
  if (facts.context_overflow === true || facts.tools_unsupported === true) return undefined;
  if (facts.kind !== 'bad_request' || facts.model_not_found === true) return undefined;
  const changes = changesFor(message, body, names, refused);
  const last = changes.at(-1);
  if (last === undefined) return undefined;
  return {
    refused: last.refused,
    lessons: changes.map(({ what, fields: left }) =>
      left === undefined ? { what } : { what, fields: left },
    ),
    told: `asked again ${changes.map(({ told }) => told).join(', ')}`,
  };
}

/** All that a refusal names goes with one request; what it may only hint at goes alone. */
function changesFor(
  message: string,
  body: Fields,
  names: WireNames,
  refused: Refused,
): readonly Change[] {
  const tool = withoutTool(message, body, names, refused);
  if (tool !== undefined) return [tool];
  const format = otherFormat(message, body, refused);
  const hinted = format !== undefined && !/response_format/.test(message);
  const named: Change[] = [];
  const rules = hinted ? [otherLimit] : [otherLimit, otherFormat, withoutMarks, withoutField];
  for (const rule of rules) {
    const change = rule(message, body, named.at(-1)?.refused ?? refused);
    if (change !== undefined) named.push(change);
  }
  if (named.length > 0) return named;
  const about =
    format ?? withoutHistory(message, body, refused) ?? withoutThinking(message, body, refused);
  return about === undefined ? [] : [about];
}

/** One tool that is refused does not make the whole request fail. */
function withoutTool(
  message: string,
  body: Fields,
  names: WireNames,
  refused: Refused,
): Change | undefined {
  if (!/schema|parameters/i.test(message) || /response_format/.test(message)) return undefined;
  const wired = list(body.tools).map((tool) => String(fields(fields(tool).function).name));
  const name = wired[refusedTool(message, wired) ?? -1];
  if (name === undefined) return undefined;
  const tool = names.fromWire(name);
  return {
    refused: { ...refused, tools: new Set([...refused.tools, tool]) },
    what: 'tool',
    told: `without the tool "${tool}"`,
  };
}

function otherLimit(message: string, body: Fields, refused: Refused): Change | undefined {
  const sent = LIMITS.find((name) => body[name] !== undefined);
  if (sent === undefined || refused.limit === sent || isAboutValue(message)) return undefined;
  if (!new RegExp(`\\b${sent}\\b`).test(withoutOffers(message))) return undefined;
  const other = LIMITS.find((name) => name !== sent) ?? sent;
  return {
    refused: { ...refused, limit: other },
    what: 'limit_name',
    told: `with ${other} for ${sent}`,
  };
}

function otherFormat(message: string, body: Fields, refused: Refused): Change | undefined {
  const sent = body.response_format;
  if (
    !isObject(sent) ||
    !/response_format|json_schema|json_object|json mode|structured|grammar|schema/i.test(message) ||
    isAboutTools(message)
  )
    return undefined;
  if (sent.type === 'json_schema')
    return {
      refused: { ...refused, format: 'object', oneSchema: isAboutOneSchema(message) },
      what: 'format',
      told: 'for JSON without its schema',
    };
  return {
    refused: { ...refused, format: 'none', oneSchema: false },
    what: 'format',
    told: 'without JSON mode',
  };
}

/** The schema of a tool is no form of the answer. */
const isAboutTools = (message: string): boolean =>
  /\b(?:functions?|tools?)\b/i.test(message) &&
  !/response_format|json_schema|json_object/i.test(message);

function withoutMarks(message: string, body: Fields, refused: Refused): Change | undefined {
  const sent = list(body.messages).some((each) =>
    list(fields(each).content).some((part) => fields(part).cache_control !== undefined),
  );
  if (!sent || !/cache_control/.test(message)) return undefined;
  return {
    refused: { ...refused, marks: true },
    what: 'cache',
    told: 'without marks for the prompt cache',
  };
}

function withoutField(message: string, body: Fields, refused: Refused): Change | undefined {
  const sent = Object.keys(body).filter((name) => !KEPT.has(name));
  const names = refusedFields(message, (words) => namedIn(words, sent)) ?? [];
  return names.length === 0 ? undefined : without(names, refused);
}

/** A refusal about reasoning is first taken to be about what was sent back. */
function withoutHistory(message: string, body: Fields, refused: Refused): Change | undefined {
  const sent = list(body.messages)
    .map(fields)
    .some((each) => (each.reasoning_content ?? each.reasoning_details) !== undefined);
  if (!sent || !isAboutReasoning(message)) return undefined;
  return {
    refused: { ...refused, history: true },
    what: 'reasoning_history',
    told: 'without the reasoning of earlier answers',
  };
}

function withoutThinking(message: string, body: Fields, refused: Refused): Change | undefined {
  const sent = THINKING.filter((name) => body[name] !== undefined);
  return sent.length === 0 || !isAboutReasoning(message) ? undefined : without(sent, refused);
}

/** Signed blocks that do not fit the conversation are no matter of fields: leaving some out would not help. */
const isAboutReasoning = (message: string): boolean =>
  /reasoning|thinking/i.test(message) && !/signature|bound to|binding/i.test(message);

function without(names: readonly string[], refused: Refused): Change {
  return {
    refused: { ...refused, fields: new Set([...refused.fields, ...names]) },
    what: names.some(isThinkingField) ? 'thinking' : 'sampling',
    fields: names,
    told: `without ${names.join(' and ')}`,
  };
}

/** English words that say something else when they stand without quotes. */
const NEVER_BARE: ReadonlySet<string> = new Set(['user', 'provider', 'store', 'reasoning']);
/** Those that are meant only when no other field is named. */
const PLAIN: ReadonlySet<string> = new Set(['stop', 'seed', 'metadata', 'grammar', 'verbosity']);

/** All that are named: in quotes, else as words of their own, so that one request is enough for several. */
function namedIn(message: string, names: readonly string[]): readonly string[] {
  const quoted = names.filter((name) => new RegExp(`['"\`]${literally(name)}['"\`]`).test(message));
  if (quoted.length > 0) return quoted;
  const bare = names.filter(
    (name) =>
      !NEVER_BARE.has(name) &&
      new RegExp(`(?:^|[^\\w.]|\\bbody\\.)${literally(name)}(?!\\w)`).test(message),
  );
  const sure = bare.filter((name) => !PLAIN.has(name));
  return sure.length > 0 ? sure : bare;
}
