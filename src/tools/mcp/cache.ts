// What servers have listed, kept on disk: a chat that uses none of its servers starts none.

import * as path from 'node:path';
import type { Clock } from '../../world/types/clock.ts';
import type { Files } from '../../world/types/files.ts';
import { readTools } from './listing.ts';
import type { ToolList } from './types.ts';

/** Changes with what is kept, so that another version's file is no list. */
const FORM = 1;
const OLDEST = 24 * 60 * 60 * 1000;
/** Larger files are not read. */
const LARGEST = 64_000_000;

export interface ListCache {
  /** The list of that server; undefined when there is none that is fresh. */
  get(digest: string): Promise<ToolList | undefined>;
  /** Keeps a list. A folder that cannot be written costs nothing but the next start. */
  put(digest: string, place: string, list: ToolList): Promise<void>;
  forget(digest: string): Promise<void>;
}

/** Lists below the cache folder, a file each. */
export function listCache(
  folder: string,
  { files, clock }: { readonly files: Files; readonly clock: Pick<Clock, 'now'> },
): ListCache {
  const fileOf = (digest: string) => path.join(folder, 'mcp', `${digest}.json`);
  return {
    async get(digest) {
      try {
        if ((await files.stat(fileOf(digest)))?.kind !== 'file') return undefined;
        const { bytes } = await files.load(fileOf(digest), LARGEST);
        return read(JSON.parse(new TextDecoder().decode(bytes)), clock.now().getTime());
      } catch {
        // Unreadable, or no JSON: as good as none.
        return undefined;
      }
    },
    async put(digest, place, { tools, problems }) {
      const time = clock.now().toISOString();
      const listed = tools.map(({ name, description, parameters, isTask }) => ({
        name,
        description,
        inputSchema: parameters,
        ...(isTask === true ? { execution: { taskSupport: 'required' } } : {}),
      }));
      const text = JSON.stringify({ form: FORM, place, time, tools: listed, problems });
      await files.write(fileOf(digest), `${text}\n`, { mode: 0o600 }).catch(() => {});
    },
    async forget(digest) {
      await files.remove(fileOf(digest)).catch(() => {});
    },
  };
}

function read(value: unknown, now: number): ToolList | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { form, time, tools, problems } = value as Readonly<Record<string, unknown>>;
  if (form !== FORM || typeof time !== 'string' || !Array.isArray(tools)) return undefined;
  const age = now - Date.parse(time);
  // A clock that was set back makes no list younger than new.
  if (!(age >= 0 && age < OLDEST)) return undefined;
  const told = Array.isArray(problems) ? problems.filter((each) => typeof each === 'string') : [];
  return { tools: readTools(tools).tools, problems: told };
}
