// Reads what a server lists, tool by tool: one that is broken is left out and costs none of the others. Pure.

import { isObject } from '../../json.ts';
import type { ListedTool, ToolList } from './types.ts';

/** Longest description that is sent, in characters. */
const DESCRIPTION = 10_000;
/** A schema that is nested deeper is no use to anybody, and too much for whatever goes through it. */
const DEEPEST = 200;

/** Tools as the server gave them; those without a name or with a schema that is no object are problems. */
export function readTools(given: readonly unknown[]): ToolList {
  const tools = new Map<string, ListedTool>();
  const problems: string[] = [];
  for (const value of given) {
    const read = readTool(value);
    if (typeof read === 'string') problems.push(read);
    else if (tools.has(read.name))
      problems.push(`"${read.name}" is listed twice; the first one counts`);
    else tools.set(read.name, read);
  }
  return { tools: [...tools.values()], problems };
}

function readTool(value: unknown): ListedTool | string {
  if (!isObject(value) || typeof value.name !== 'string' || value.name === '')
    return 'a tool without a name is left out';
  const { name, description, title, inputSchema, execution } = value;
  const schema = inputSchema === undefined ? {} : inputSchema;
  if (!isObject(schema))
    return `"${name.slice(0, 80)}" is left out: its schema is ${described(schema)}, not an object`;
  const { type = 'object' } = schema;
  if (type !== 'object')
    return `"${name.slice(0, 80)}" is left out: its schema is of the type ${JSON.stringify(type).slice(0, 40)}, not object`;
  if (isDeeper(schema, DEEPEST))
    return `"${name.slice(0, 80)}" is left out: its schema is nested more than ${DEEPEST} levels deep`;
  const words = [description, title].find((text) => typeof text === 'string' && text !== '');
  return {
    name,
    description: typeof words === 'string' ? words.replaceAll('\0', '').slice(0, DESCRIPTION) : '',
    parameters: { ...schema, type: 'object' },
    ...(isObject(execution) && execution.taskSupport === 'required' ? { isTask: true } : {}),
  };
}

/** Level by level: a function that calls itself would meet the limit that this is about. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}

function described(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
