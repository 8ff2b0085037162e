// Refusals of a Responses request that are about one field or one tool of it. Decides only; sends nothing.

import { type Fields, fields, list } from '../../json.ts';
import { isAboutOneSchema, literally, refusedFields, refusedTool } from '../refusal-words.ts';
import type { Body } from './body.ts';
import type { Known, RunState } from './known.ts';

export interface Remedy {
  readonly known: Known;
  readonly run: RunState;
  /** For the log. */
  readonly what:
    | 'previous_response'
    | 'reasoning_history'
    | 'thinking'
    | 'limit'
    | 'format'
    | 'tool'
    | 'sampling';
  /** The fields that are left out now. */
  readonly fields?: readonly string[];
  /** For the user: what is different now. */
  readonly told: string;
}

export interface Refusal {
  /** What the server says, and the field that it names. */
  readonly said: string;
  readonly body: Body;
  readonly known: Known;
  readonly run: RunState;
}

/** The change that it suggests; undefined when it is about something else. */
export type Rule = (given: Refusal) => Remedy | undefined;

/** In the order in which they are asked. */
export const FIELD_RULES: readonly Rule[] = [
  otherEffort,
  withoutSummary,
  lowerLimit,
  otherFormat,
  withoutTool,
  withoutField,
];

/** A model that always reasons is asked to do so as little as it can. */
function otherEffort({ said, body, known, run }: Refusal): Remedy | undefined {
  const { effort } = fields(body.fields.reasoning);
  if (effort === undefined || !/\beffort\b|'none'|'minimal'/.test(said)) return undefined;
  // A model that knows no such field has no other value for it either.
  const isValue = /\bvalues?\b|'none'|'minimal'/i.test(said);
  const next = isValue && effort === known.least ? LESS[known.least] : undefined;
  if (next === undefined) return without(['reasoning'], known, run);
  const least = next === 'minimal' && !/minimal/.test(said) && /'low'/.test(said) ? 'low' : next;
  return {
    known: { ...known, least },
    run,
    what: 'thinking',
    told: `asked again with ${least} reasoning`,
  };
}

const LESS: Readonly<Record<Known['least'], Known['least'] | undefined>> = {
  none: 'minimal',
  minimal: 'low',
  low: undefined,
};

function withoutSummary({ said, body, known, run }: Refusal): Remedy | undefined {
  const { summary } = fields(body.fields.reasoning);
  if (summary === undefined || !/summar(?:y|ies)/i.test(said)) return undefined;
  return without(['reasoning.summary'], known, run);
}

/** The largest number that the message allows below the one that was sent. */
function lowerLimit({ said, body, known, run }: Refusal): Remedy | undefined {
  const sent = body.fields.max_output_tokens;
  if (typeof sent !== 'number' || !/max_output_tokens|output tokens|completion tokens/.test(said))
    return undefined;
  const found = /(?:at most|maximum|up to|<=|>(?!=))\D{0,60}(\d[\d,]*)/i.exec(said)?.[1];
  const limit = Number(found?.replaceAll(',', ''));
  if (!(limit >= 1 && limit < sent)) return undefined;
  return {
    known: { ...known, limit },
    run,
    what: 'limit',
    told: `asked again for at most ${limit} tokens`,
  };
}

function otherFormat({ said, body, known, run }: Refusal): Remedy | undefined {
  const { type } = fields(fields(body.fields.text).format);
  if (
    type === undefined ||
    !/text\.format|json_schema|json_object|response_format|json mode|structured/i.test(said)
  )
    return undefined;
  if (type === 'json_schema')
    return {
      ...(isAboutOneSchema(said)
        ? { known, run: { ...run, format: 'object' } }
        : { known: { ...known, format: 'object' }, run }),
      what: 'format',
      told: 'asked again for JSON without its schema',
    };
  return {
    known: { ...known, format: 'none' },
    run,
    what: 'format',
    told: 'asked again without JSON mode',
  };
}

/** One tool that is refused does not make the whole request fail. */
function withoutTool({ said, body, run, known }: Refusal): Remedy | undefined {
  const tools = list(body.fields.tools).map(fields);
  const names = tools.map(({ name, type }) => String(name ?? type));
  const tool = tools[refusedTool(said, names) ?? -1];
  if (tool === undefined || !/schema|tool|function/i.test(said)) return undefined;
  const name = tool.name === undefined ? String(tool.type) : body.names.fromWire(String(tool.name));
  return {
    known,
    run: { ...run, tools: new Set([...run.tools, name]) },
    what: 'tool',
    told: `asked again without the tool "${name}"`,
  };
}

/** What an answer cannot do without, and the limit that guards a purse. */
const KEPT: ReadonlySet<string> = new Set(
  'model input instructions stream tools tool_choice max_output_tokens previous_response_id'.split(
    ' ',
  ),
);
/** Words of plain English: only in quotes are they fields. */
const WORDS: ReadonlySet<string> = new Set(
  'store include text user metadata reasoning background truncation'.split(' '),
);

function withoutField({ said, body, known, run }: Refusal): Remedy | undefined {
  const named = refusedFields(said, (words) => namedIn(words, body.fields));
  if (named === undefined) return undefined;
  if (named.length > 0) return without(named, known, run);
  const encrypted =
    body.fields.include !== undefined && /encrypted content|encrypted_content/i.test(said);
  return encrypted ? without(['include'], known, run) : undefined;
}

function namedIn(said: string, sent: Fields): readonly string[] {
  const inner = innerNames(sent).filter((name) => isNamed(name, said));
  const outer = Object.keys(sent).filter(
    (name) =>
      !KEPT.has(name) &&
      isNamed(name, said) &&
      !inner.some((each) => each.startsWith(`${name}.`) || each.endsWith(`.${name}`)),
  );
  return [...inner, ...outer];
}

function innerNames({ text, reasoning }: Fields): readonly string[] {
  return Object.entries({ text, reasoning })
    .flatMap(([name, value]) => Object.keys(fields(value)).map((each) => `${name}.${each}`))
    .filter((name) => name !== 'text.format');
}

/** The same request without these fields. */
export function without(names: readonly string[], known: Known, run: RunState): Remedy {
  return {
    known: { ...known, left: new Set([...known.left, ...names]) },
    run,
    what: names.every((name) => name.startsWith('reasoning')) ? 'thinking' : 'sampling',
    fields: names,
    told: `asked again without ${names.join(' and ')}`,
  };
}

function isNamed(field: string, said: string): boolean {
  const name = literally(field);
  if (new RegExp(`['"\`]${name}['"\`]`).test(said) || said.endsWith(` ${field}`)) return true;
  return !WORDS.has(field) && new RegExp(`(?<![\\w.])${name}(?![\\w])`).test(said);
}
