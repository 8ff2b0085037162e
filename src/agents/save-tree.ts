// Saves a conversation with all that it delegated to. Safe against cycles; writes nothing twice.

import * as path from 'node:path';
import { usageFailure } from '../errors.ts';
import { placesOf } from './live.ts';
import { safeName } from './names.ts';
import { saveLive } from './save.ts';
import type { Live, Session } from './types.ts';

const DEEPEST = 32;

/** The absolute paths whose content is current, sorted. `file` is where the first one goes in place of its own. Rejects only without any place. */
export async function saveTree(
  live: Live,
  session: Session,
  file?: string,
): Promise<readonly string[]> {
  if (file !== undefined && path.resolve(session.world.cwd, file) !== fullPath(live.place, session))
    Object.assign(live, { ...placesOf(file, live.name), written: undefined });
  if (live.place === undefined)
    throw usageFailure('no-save-file', `agent "${live.name}" has no place to be saved to`, {
      next: 'set `saveFile`, or name a file',
    });
  const current = new Set<string>();
  await save(live, session, { current, seen: new Set() }, 0);
  return [...current].sort();
}

const fullPath = (place: string | undefined, { world }: Session): string | undefined =>
  place === undefined ? undefined : path.resolve(world.cwd, place);

interface Saving {
  readonly current: Set<string>;
  readonly seen: Set<Live>;
}

async function save(live: Live, session: Session, saving: Saving, depth: number): Promise<void> {
  const place = fullPath(live.place, session);
  if (place === undefined || saving.seen.has(live) || saving.current.has(place)) return;
  if (depth > DEEPEST) {
    session.warn({
      code: 'agent-not-saved',
      message: `agents that are more than ${DEEPEST} deep are not saved`,
    });
    return;
  }
  saving.seen.add(live);
  if (await saveLive(live, session)) saving.current.add(place);
  for (const { live: child } of live.society.values()) {
    if (child === undefined) continue;
    settle(child, live);
    await save(child, session, saving, depth + 1);
  }
}

/** Where the one that delegated is decides where those below it are. */
function settle(child: Live, { below }: Live): void {
  if (below === undefined) return;
  const folder = path.join(below, safeName(child.name), safeName(child.conversation));
  const place = path.join(folder, 'agent.chat');
  if (child.place === place) return;
  Object.assign(child, { place, below: path.join(folder, 'society'), written: undefined });
}
