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
  const entries = new Map<number, Entry>();
  let last: Entry | undefined;
  return {
    add(fragments) {
      for (const fragment of list(fragments)) {
        last = entryFor(entries, last, fragment);
        extend(last, fragment);
      }
      return list(fragments).length > 0;
    },
    size: () => entries.size,
    finish(freshId) {
      const all = [...entries].sort(([one], [other]) => one - other).map(([, entry]) => entry);
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

function entryFor(entries: Map<number, Entry>, last: Entry | undefined, fragment: unknown): Entry {
  const { index, id } = fields(fragment);
  const name = text(fields(fields(fragment).function).name);
  const own = text(id);
  const byIndex = typeof index === 'number' ? entries.get(index) : undefined;
  if (byIndex !== undefined && !isAnother(byIndex, own, name, fragment)) return byIndex;
  if (typeof index !== 'number') {
    const known =
      own === undefined ? undefined : [...entries.values()].find((each) => each.id === own);
    if (known !== undefined) return known;
    if (own === undefined && name === undefined && last !== undefined) return last;
  }
  const free = Math.max(-1, ...entries.keys()) + 1;
  const entry: Entry = { id: '', name: '', arguments: '' };
  entries.set(typeof index === 'number' && byIndex === undefined ? index : free, entry);
  return entry;
}

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
