// The `.info` of a job as text: read whatever stands there, rewritten without losing what others put in.

import { errorWords } from '../errors.ts';
import { isObject, parsedJson } from '../json.ts';
import type { Files } from '../world/types/files.ts';
import type { JobInfo } from './types.ts';

/** What stands in an `.info`. With a `problem` the text could not be read, and the fields are empty. */
export interface InfoRead {
  readonly info: JobInfo;
  readonly problem?: string;
  readonly bytes?: Uint8Array;
}

/** Undefined when there is none. Never rejects: what cannot be read is told. */
export async function readInfo(
  path: string,
  files: Pick<Files, 'read' | 'stat'>,
): Promise<InfoRead | undefined> {
  try {
    if ((await files.stat(path)) === undefined) return undefined;
    const bytes = await files.read(path);
    return { ...parseInfo(bytes), bytes };
  } catch (error) {
    return { info: {}, problem: errorWords(error) };
  }
}

/** What an `.info` of these bytes says. Never throws. */
export function parseInfo(bytes: Uint8Array): InfoRead {
  if (bytes.length === 0) return { info: {}, problem: 'it is empty' };
  // Ruby's binary form begins with its version, 4.8.
  if (bytes[0] === 4 && bytes[1] === 8)
    return { info: {}, problem: "it is in Ruby's binary form, which only scout reads" };
  try {
    const value: unknown = parsedJson(new TextDecoder('utf-8').decode(bytes));
    if (isObject(value)) return { info: value as JobInfo };
    return { info: {}, problem: 'it holds no JSON object' };
  } catch (error) {
    return { info: {}, problem: `it is no JSON (${error instanceof Error ? error.message : ''})` };
  }
}

/** Fields in the order in which they are written. What one attempt wrote is not kept for the next. */
const FIELDS = [
  'status',
  'workflow',
  'task_name',
  'type',
  'inputs',
  'input_names',
  'provided_inputs',
  'non_default_inputs',
  'dependencies',
  'issued',
  'start',
  'end',
  'time_elapsed',
  'total_time_elapsed',
  'pid',
  'pid_hostname',
  'pid_started',
  'progress',
  'messages',
  'recoverable',
  'exception',
  'backtrace',
] as const satisfies readonly (keyof JobInfo)[];

const OURS: ReadonlySet<string> = new Set(FIELDS);

/** The new fields in place of all that this program writes; every other field of the old text stays where it was. */
export function renewInfo(old: JobInfo, fields: JobInfo): JobInfo {
  const renewed: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(old)) {
    if (!OURS.has(field)) renewed[field] = value;
    else if (fields[field] !== undefined) renewed[field] = fields[field];
  }
  for (const field of FIELDS)
    if (fields[field] !== undefined && !(field in renewed)) renewed[field] = fields[field];
  return renewed;
}

/** One line, as scout-ai writes it. */
export const printInfo = (info: JobInfo): string => `${JSON.stringify(info)}\n`;

/** Inputs by name, from the forms that stand in stores: values beside their names, pairs, or a mapping. */
export function inputsOf(info: JobInfo): Readonly<Record<string, unknown>> {
  const { inputs, input_names: names } = info;
  if (isObject(inputs)) return inputs;
  if (!Array.isArray(inputs)) return {};
  const entries = inputs.map((value: unknown, index): [string, unknown] => {
    const name: unknown = Array.isArray(names) ? names[index] : undefined;
    return [typeof name === 'string' ? name : String(index + 1), value];
  });
  return Object.fromEntries(entries);
}

/** Paths of the dependencies as they were written: texts, lists that end in the path, objects with a `path`. */
export function dependenciesOf(info: JobInfo): readonly string[] {
  const { dependencies } = info;
  const list: unknown[] = Array.isArray(dependencies)
    ? dependencies
    : isObject(dependencies)
      ? Object.values(dependencies)
      : [];
  const paths: string[] = [];
  for (const entry of list) {
    const path = pathIn(entry);
    if (path !== undefined) paths.push(path);
  }
  return isShortSet(paths) ? paths : [...new Set(paths)];
}

/** Nearly every job has few dependencies, and each once: then there is nothing to make. */
const isShortSet = (paths: readonly string[]): boolean =>
  paths.length < 8 && paths.every((path, index) => paths.indexOf(path) === index);

function pathIn(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry === '' ? undefined : entry;
  if (Array.isArray(entry)) return pathIn(entry.at(-1));
  return isObject(entry) ? pathIn(entry.path) : undefined;
}
