// What a refused Messages request is asked again without, in which order that is tried, and where the lesson counts. Decides only; sends
// nothing.

import type { Failure } from '../../errors.ts';
import { type Fields, fields, list } from '../../json.ts';
import { refusedTool } from '../refusal-words.ts';
import type { WireNames } from '../tool-names.ts';
import type { Body, Refused } from './body.ts';

export type Kind =
  | `tool ${string}`
  | 'turn'
  | 'toolless'
  | 'display'
  | 'levels'
  | 'marks'
  | 'cap'
  | 'format';

export interface Remedy {
  readonly kind: Kind;
  readonly change: Partial<Refused>;
  /** Whose habit it is; absent when it is about this one request. */
  readonly learnedOf?: 'host' | 'model';
  /** What was refused, for the log. */
  readonly what: string;
  /** For the user: what is different now. */
  readonly told: string;
}

type Rule = (message: string, body: Fields, names: WireNames) => Remedy | undefined;

/** Tried in this order: how a field is complained about may hold the name of another one. */
const RULES: readonly Rule[] = [
  withoutThinking,
  withNames,
  withoutDisplay,
  withBudget,
  withoutMarks,
  withinCap,
  withoutTool,
  withWords,
];

/** The change that a refusal suggests for the body that was sent, of a kind that was not tried yet; undefined when it suggests none. */
export function remedy(
  { message, facts }: Failure,
  { fields: body, names }: Pick<Body, 'fields' | 'names'>,
  tried: ReadonlySet<Kind>,
): Remedy | undefined {
  if (facts.kind !== 'bad_request' || (facts.status !== 400 && facts.status !== 422))
    return undefined;
  if (facts.context_overflow === true || facts.tools_unsupported === true) return undefined;
  if (facts.model_not_found === true || /signature|block_binding/i.test(message)) return undefined;
  for (const rule of RULES) {
    const found = rule(message, body, names);
    if (found !== undefined && !tried.has(found.kind)) return found;
  }
  return undefined;
}

const TURN =
  /expected [`'"]?thinking[`'"]? or [`'"]?redacted_thinking|thinking is disabled.{0,120}cannot contain/i;

/** A turn that began without thinking has to end without it, and the other way round. That is no habit of the model's. */
function withoutThinking(message: string): Remedy | undefined {
  if (!TURN.test(message)) return undefined;
  return {
    kind: 'turn',
    what: 'thinking_in_turn',
    change: { thinking: true },
    told: 'asked again without thinking',
  };
}

const TOOLLESS =
  /must define tools|toolConfig field must be defined|without [`'"]?tools=?[`'"]? param/i;

/** Hosts that take calls in the history only beside tools: those that were called are named, though nothing can be called. */
function withNames(message: string, { tools }: Fields): Remedy | undefined {
  if (tools !== undefined || !TOOLLESS.test(message)) return undefined;
  return {
    kind: 'toolless',
    what: 'tool_history',
    change: { toolless: true },
    learnedOf: 'host',
    told: 'asked again with the names of the tools that were called before',
  };
}

/** `thinking.display`, which a host may call `thinking.adaptive.display`. */
function withoutDisplay(message: string, { thinking }: Fields): Remedy | undefined {
  if (fields(thinking).display === undefined) return undefined;
  if (!/thinking(?:\.\w+)*\.display|\bdisplay\b/i.test(message)) return undefined;
  return {
    kind: 'display',
    what: 'thinking_display',
    change: { display: true },
    learnedOf: 'host',
    told: 'asked again without thinking.display',
  };
}

const LEVELS =
  /\badaptive\b|\beffort\b|\boutput_config\b(?!\.format)|\bthinking\.type\b|\bthinking\b.{0,40}not supported/i;

function withBudget(message: string, body: Fields): Remedy | undefined {
  const { effort } = fields(body.output_config);
  const isLevel = fields(body.thinking).type === 'adaptive' || effort !== undefined;
  if (!isLevel || !LEVELS.test(message)) return undefined;
  return {
    kind: 'levels',
    what: 'thinking_level',
    change: { levels: true },
    learnedOf: 'model',
    told: 'asked again with a budget of thinking in place of a level',
  };
}

function withoutMarks(message: string, body: Fields): Remedy | undefined {
  if (!/cache_control/i.test(message) || !JSON.stringify(body).includes('"cache_control":'))
    return undefined;
  return {
    kind: 'marks',
    what: 'cache',
    change: { marks: true },
    learnedOf: 'host',
    told: 'asked again without marks for the cache',
  };
}

/** `N > M`, `[1, M]`, or M in words: each host says it in its own way, and 64,000 are asked of all. */
const CAPS: readonly RegExp[] = [
  /max_tokens\b[`'"]?:? ?\d+ ?> ?(\d[\d,]*)/,
  /\[ ?\d+ ?, ?(\d[\d,]*) ?\]/,
  /(?:at most|maximum|up to|less than(?: or equal to)?|no more than|<=?|exceeds?|limit(?:ed)?)\D{0,60}(\d[\d,]*)/i,
];

function withinCap(message: string, { max_tokens: sent }: Fields): Remedy | undefined {
  if (!/max_tokens|(?:output|completion) tokens/i.test(message)) return undefined;
  const numbers = CAPS.map((pattern) => pattern.exec(message)?.[1]?.replaceAll(',', ''));
  const cap = numbers.map(Number).find((each) => each >= 1 && each < Number(sent));
  if (cap === undefined || !Number.isSafeInteger(cap)) return undefined;
  return {
    kind: 'cap',
    what: 'max_tokens',
    change: { cap },
    learnedOf: 'model',
    told: `asked again for at most ${cap} tokens`,
  };
}

/** One tool that is refused does not make the whole request fail. */
function withoutTool(message: string, body: Fields, names: WireNames): Remedy | undefined {
  if (!/schema|\btools\.\d+\./i.test(message)) return undefined;
  const wired = list(body.tools).map((tool) => String(fields(tool).name));
  const name = wired[refusedTool(message, wired) ?? -1];
  if (name === undefined) return undefined;
  const tool = names.fromWire(name);
  return {
    kind: `tool ${tool}`,
    what: 'tool',
    change: { tools: new Set([tool]) },
    told: `asked again without the tool "${tool}"`,
  };
}

const NO_FIELD = /not (?:supported|permitted|available)|unsupported|unknown|unexpected/i;

/** A model that takes no schema at all is remembered; one that does not take this one is not. */
function withWords(message: string, { output_config: output }: Fields): Remedy | undefined {
  if (fields(output).format === undefined) return undefined;
  if (!/output_config|output_format|json_schema|structured|\bschema\b/i.test(message))
    return undefined;
  const isField = !/\.schema\b/.test(message) && NO_FIELD.test(message);
  return {
    kind: 'format',
    what: 'format',
    change: { format: true },
    ...(isField ? { learnedOf: 'model' } : {}),
    told: 'asked again with the form of the answer in words',
  };
}
