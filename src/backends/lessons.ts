// What servers taught by refusing a request, so that nobody pays for the same refusal again: in memory, and for a week on disk.

import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { type Fields, fields, isObject, parseJson } from '../json.ts';
import type { Place } from './types.ts';

const WEEK = 7 * 24 * 3600_000;

/** Where lessons of one kind of server lie: `scope` tells apart what must not be mixed (host alone, or host and model). */
export interface Lessons {
  /** What is known about the scope, without what is older than a week. */
  learned(scope: string): Promise<Fields>;
  /** Adds to it. Never fails: a lesson that cannot be kept on disk is learned again by the next process. */
  teach(scope: string, lesson: Fields): Promise<void>;
}

type Entry = { readonly value: unknown; readonly at: number };
type Entries = Readonly<Record<string, Entry>>;

/** One memory a backend, for the life of the process. The files hold host, model and what was refused; never a key or a prompt. */
export function createLessons(backend: string): { in(context: Place): Lessons } {
  const memory = new Map<string, Promise<Entries>>();
  const read = (scope: string, place: Place): Promise<Entries> => {
    const known = memory.get(scope) ?? load(fileOf(backend, scope, place), place);
    memory.set(scope, known);
    return known;
  };
  const valuesOf = (entries: Entries): Fields =>
    Object.fromEntries(Object.entries(entries).map(([name, { value }]) => [name, value]));
  return {
    in: (place) => ({
      learned: async (scope) => valuesOf(await read(scope, place)),
      async teach(scope, lesson) {
        const at = place.clock.now().getTime();
        const news = Object.entries(lesson).map(([name, value]) => [name, { value, at }] as const);
        const next = { ...(await read(scope, place)), ...Object.fromEntries(news) };
        memory.set(scope, Promise.resolve(next));
        await keep(fileOf(backend, scope, place), { backend, scope, learned: next }, place);
      },
    }),
  };
}

function fileOf(backend: string, scope: string, { cacheFolder }: Place): string | undefined {
  if (cacheFolder === undefined) return undefined;
  const digest = createHash('sha256').update(`${backend}\n${scope}`).digest('hex').slice(0, 32);
  return path.join(cacheFolder, 'endpoints', `${digest}.json`);
}

async function load(file: string | undefined, { files, clock }: Place): Promise<Entries> {
  try {
    if (file === undefined || (await files.stat(file)) === undefined) return {};
    const { learned } = fields(parseJson(new TextDecoder().decode(await files.read(file))));
    const oldest = clock.now().getTime() - WEEK;
    const fresh = Object.entries(fields(learned)).flatMap(([name, entry]) => {
      if (!isObject(entry) || typeof entry.at !== 'number' || entry.at < oldest) return [];
      return [[name, { value: entry.value, at: entry.at }] as const];
    });
    return Object.fromEntries(fresh);
  } catch {
    // A damaged or unreadable file is one that is not there.
    return {};
  }
}

async function keep(file: string | undefined, content: Fields, { files }: Place): Promise<void> {
  if (file === undefined) return;
  try {
    await files.write(file, `${JSON.stringify(content)}\n`, { mode: 0o600, flush: false });
  } catch {
    // As said: the next process asks again.
  }
}
