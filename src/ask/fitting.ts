// Whether an answer is the JSON that was asked for. What checks schemas is loaded when there is one.

import { errorWords, usageFailure, workFailure } from '../errors.ts';
import { fields, parsedJson } from '../json.ts';
import type { Plan } from './types/run.ts';

type Format = NonNullable<Plan['format']>;
type Check = (value: unknown) => readonly string[];

/** What is wrong with the answer, in words for a model; undefined when it fits or no format was asked for. */
export async function misfit(
  text: string,
  format: Format | undefined,
): Promise<string | undefined> {
  if (format === undefined) return undefined;
  let value: unknown;
  try {
    value = parsedJson(text);
  } catch (error) {
    const fenced = /^\s*(?:`{3}|~{3})/.test(text) ? ' (it stands in a fence)' : '';
    return `it is no JSON${fenced}: ${errorWords(error)}`;
  }
  if (format === 'json') return undefined;
  const problems = await inTime(await checkOf(format), value);
  return problems.length === 0 ? undefined : problems.join('; ');
}

/** Milliseconds. A check takes a fraction of one, but a pattern with repetitions in each other can take longer than anybody lives. */
const PATIENCE = 5000;

/** Nothing else runs meanwhile, no timer and no Ctrl-C: only the platform itself can end a check. */
async function inTime(check: Check, value: unknown): Promise<readonly string[]> {
  const { runInNewContext } = await import('node:vm');
  let problems: readonly string[] = [];
  const work = () => {
    problems = check(value);
  };
  try {
    runInNewContext('work()', { work }, { timeout: PATIENCE });
  } catch (error) {
    // It is an error of the other context, and no `Error` here.
    if (fields(error).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return [
      `it could not be checked in ${PATIENCE / 1000} seconds: a pattern of the format takes too long for it`,
    ];
  }
  return problems;
}

/** The value of an answer that was checked. An answer that was made by a job was not: a Failure (exit 1) when it is no JSON. */
export function answerValue(text: string): unknown {
  try {
    return parsedJson(text);
  } catch (cause) {
    throw workFailure('answer-misfit', 'the answer is no JSON', { cause });
  }
}

/** Rejects with a usage Failure when nothing can be checked with the schema. */
export async function checkFormat(format: Format | undefined): Promise<void> {
  if (format !== undefined && format !== 'json') await checkOf(format);
}

/** What is said to a model whose answer does not fit. */
export const correction = (problem: string): string =>
  `Your last answer does not fit the format that was asked for: ${problem}. Answer again, with the JSON alone: no fence, no other text.`;

const checks = new WeakMap<object, Promise<Check>>();

function checkOf(schema: Exclude<Format, 'json'>): Promise<Check> {
  const check = checks.get(schema) ?? makeCheck(schema);
  checks.set(schema, check);
  return check;
}

const MOST_PROBLEMS = 8;

async function makeCheck({ $schema, ...schema }: Exclude<Format, 'json'>): Promise<Check> {
  const options = {
    strict: false,
    allErrors: true,
    logger: false,
    validateFormats: false,
  } as const;
  try {
    const validate = (await validator(String($schema ?? ''), options)).compile(schema);
    return (value) => {
      if (validate(value)) return [];
      return (validate.errors ?? [])
        .slice(0, MOST_PROBLEMS)
        .map(({ instancePath, message = 'does not fit', params }) =>
          `${instancePath === '' ? 'the whole' : instancePath} ${message}${named(params)}`.trim(),
        );
    };
  } catch (cause) {
    throw usageFailure(
      'bad-format',
      `the format is no schema that can be checked: ${errorWords(cause)}`,
      { next: 'write a JSON Schema, or {"name": "string"}', cause },
    );
  }
}

async function validator(version: string, options: object) {
  if (/20(?:19|20)/.test(version)) {
    const { default: later } = await import('ajv/dist/2020.js');
    return new later.Ajv2020(options);
  }
  const { default: usual } = await import('ajv');
  return new usual.Ajv(options);
}

/** The name or the values that a message is about and does not have in it. */
function named(params: Readonly<Record<string, unknown>>): string {
  const { additionalProperty, allowedValues } = params;
  if (typeof additionalProperty === 'string') return ` ("${additionalProperty}")`;
  return Array.isArray(allowedValues) ? ` (${JSON.stringify(allowedValues)})` : '';
}
