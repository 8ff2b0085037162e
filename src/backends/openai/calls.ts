// Tool calls of a Chat Completions answer, joined from their fragments. None is complete before the answer has ended.

import { fields, isObject, list, parseJson, text } from '../../json.ts';
import type { ToolCall } from '../../types.ts';
import { argumentsOf, joinedArguments, ownIds } from '../call-arguments.ts';

export interface CallCollector {
  /** Takes `tool_calls` of a delta or of a whole message; true when there was something in it. */
  add(fragments: unknown): boolean;
  /** How many calls there are so far. */
  size(): number;
  /** The calls in the order of their index. `freshId` is asked for the ids that the server left out. */
  finish(freshId: () => string): { readonly calls: readonly ToolCall[]; readonly nameless: number };
}

interface Entry {
  id: string;
  name: string;
  arguments: string;
}

/**
 * Fragments belong together by `index`, without one by `id`, without either to the last call. A new id with a new name under
 * an index that is taken is a call of its own, and so is one without an id that begins where the arguments are whole: some gateways number all
 * calls 0.
 */
export function collectCalls(): CallCollector {
  const known = createEntries();
  let last: Entry | undefined;
  return {
    add(fragments) {
      for (const fragment of list(fragments)) {
        last = entryFor(known, last, fragment);
        extend(last, fragment);
        known.name(last);
      }
      return list(fragments).length > 0;
    },
    size: () => known.size(),
    finish(freshId) {
      const all = known.inOrder();
      const complete = all.filter(({ name }) => name !== '');
      const own = ownIds();
      return {
        calls: complete.map((entry) => ({
          id: own(entry.id === '' ? freshId() : entry.id),
          name: entry.name,
          arguments: argumentsOf(entry.arguments),
        })),
        nameless: all.length - complete.length,
      };
    },
  };
}

/** The calls so far, found by number and by id; there may be many. */
interface Entries {
  at(index: number): Entry | undefined;
  withId(id: string): Entry | undefined;
  /** A new one, under this number, or under the next that is free. */
  open(index: number | undefined): Entry;
  /** Its id is known now. */
  name(entry: Entry): void;
  size(): number;
  inOrder(): readonly Entry[];
}

function createEntries(): Entries {
  const byIndex = new Map<number, Entry>();
  const byId = new Map<string, Entry>();
  let highest = -1;
  return {
    at: (index) => byIndex.get(index),
    withId: (id) => byId.get(id),
    open(index = highest + 1) {
      const entry: Entry = { id: '', name: '', arguments: '' };
      byIndex.set(index, entry);
      if (index > highest) highest = index;
      return entry;
    },
    name(entry) {
      if (entry.id !== '' && !byId.has(entry.id)) byId.set(entry.id, entry);
    },
    size: () => byIndex.size,
    inOrder: () => [...byIndex].sort(([one], [other]) => one - other).map(([, entry]) => entry),
  };
}

function entryFor(known: Entries, last: Entry | undefined, fragment: unknown): Entry {
  const { index: given, id } = fields(fragment);
  const name = text(fields(fields(fragment).function).name);
  const own = text(id);
  // Beyond this, one more is the same number.
  const index = typeof given === 'number' && Math.abs(given) < HIGHEST_INDEX ? given : undefined;
  if (index !== undefined) {
    const found = known.at(index);
    if (found === undefined) return known.open(index);
    return isAnother(found, own, name, fragment) ? known.open(undefined) : found;
  }
  const found = own === undefined ? undefined : known.withId(own);
  if (found !== undefined) return found;
  if (own === undefined && name === undefined && last !== undefined) return last;
  return known.open(undefined);
}

const HIGHEST_INDEX = 2 ** 31;

/** A call of its own under a number that is taken: it has another id, or none and begins an object where one has ended. */
function isAnother(
  entry: Entry,
  id: string | undefined,
  name: string | undefined,
  fragment: unknown,
): boolean {
  if (name === undefined) return false;
  if (id !== undefined) return entry.id !== '' && id !== entry.id;
  const { arguments: given } = fields(fields(fragment).function);
  const begins = isObject(given) || (typeof given === 'string' && /^\s*\{/.test(given));
  if (!begins || !isObject(parseJson(entry.arguments))) return false;
  return name !== entry.name || entry.arguments.trim() !== '{}';
}

function extend(entry: Entry, fragment: unknown): void {
  const { id, function: called } = fields(fragment);
  const { name, arguments: given } = fields(called);
  if (entry.id === '') entry.id = text(id) ?? (typeof id === 'number' ? String(id) : '');
  if (entry.name === '') entry.name = text(name) ?? '';
  entry.arguments = joinedArguments(entry.arguments, given);
}
