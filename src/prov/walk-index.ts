// The index: walks that were made before, in the cache folder. It may be deleted or damaged at any time; that costs time, never a number.

import * as path from 'node:path';
import type { Clock } from '../world/types/clock.ts';
import type { Files } from '../world/types/files.ts';
import { type IndexFile, jsonOf, printIndexFile, readIndexFile } from './index-file.ts';
import { type Observations, type Recording, record, stillHold } from './observations.ts';
import type { Trouble } from './problems.ts';
import { packSeen, type Seen, versionsIn } from './seen.ts';
import { checkSeen } from './seen-check.ts';
import { memoryOf, pack, type Snapshot, unpack } from './snapshot.ts';
import type { Graph } from './types/graph.ts';
import type { NodeReference } from './types/places.ts';
import type { Memory, ProvPorts } from './types/ports.ts';

export interface IndexPorts {
  /** `prov` of the cache folder; it is made when there is something to keep. */
  readonly folder: string;
  readonly files: Pick<Files, 'read' | 'write' | 'list' | 'stat' | 'remove'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Of this program: another may read the same file in another way. */
  readonly version?: string;
}

/** Everything that a walk depends on besides the files that it looks at. */
export interface Question {
  readonly roots: readonly NodeReference[];
  readonly follow: readonly string[] | undefined;
  readonly jobFolders: readonly string[];
  readonly cwd: string;
}

export interface Indexed {
  readonly graph: Graph;
  readonly troubles: readonly Trouble[];
}

/** To be changed when facts change their meaning: what older programs kept is then forgotten. */
const SCHEMA = 'prov-index/4';

/** A walk over fewer nodes is made again faster than it is looked up. */
const WORTH_KEEPING = 40;

/** So many walks are kept, of together so many bytes; the oldest go. */
const KEPT = { walks: 64, bytes: 256 * 1024 * 1024 };

/**
 * The graph of an earlier walk, when nothing that it looked at has changed since; else that of `walk`, which reads again only what changed.
 * Never rejects on its own: where nothing can be kept, the next walk reads everything.
 */
export async function indexed(
  question: Question,
  ports: ProvPorts,
  index: IndexPorts,
  walk: (ports: ProvPorts, saw: (seen: Observations) => void) => Promise<Indexed>,
): Promise<Indexed> {
  const about = {
    schema: `${SCHEMA} ${index.version ?? ''}`.trim(),
    about: JSON.stringify(question),
  };
  const file = path.join(index.folder, await fileName(about.about));
  const kept = await readIndexFile(file, about, index.files);
  const recalled = kept && (await recall(kept, ports));
  if (recalled !== undefined && 'graph' in recalled) return recalled;
  const start = index.clock.now().getTime();
  const recording = record(ports.files.now, ports.locks);
  const watched = { ...ports, ...seenBy(recording, ports), ...recalled };
  const found = await walk(watched, recording.add);
  if (found.graph.nodes.length < WORTH_KEEPING) return found;
  const seen = recording.observations();
  const content = {
    found: pack(found, seen),
    ...packSeen(seen, (changed) => !isFresh(changed, start)),
  };
  await write(file, await printIndexFile(content, about), index);
  return found;
}

/** The earlier walk, if it still holds; else what is known from it of single files. */
async function recall(
  { isSettled, found, seen }: IndexFile,
  ports: ProvPorts,
): Promise<Indexed | { readonly memory: Memory }> {
  // What was found is read while a thread begins to look whether it still holds.
  const isStillThere = isSettled ? checkSeen(seen, ports) : undefined;
  const snapshot = jsonOf(found) as Snapshot;
  const earlier = unpack(snapshot);
  if ((await isStillThere?.()) && (await stillHold(snapshot, ports.locks))) return earlier;
  const versions = versionsIn(seen.map((part) => jsonOf(part) as Seen));
  return { memory: memoryOf(earlier.graph, versions) };
}

/** The ports of a walk that is watched. */
const seenBy = (
  { files: now, locks }: Recording,
  { files }: ProvPorts,
): Pick<ProvPorts, 'files' | 'locks'> => ({
  files: { now, read: files.read, stat: async (file) => now.stat(file) },
  locks,
});

/**
 * Whether a file may have changed again after a walk that began at `start`, without showing: times on disk have steps. Where the file
 * system keeps fractions of seconds the steps are a few milliseconds, elsewhere up to two seconds.
 */
function isFresh(changed: number, start: number): boolean {
  return changed > start - (changed % 1000 === 0 ? 2000 : 100);
}

async function fileName(about: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return `${createHash('sha256').update(about).digest('hex').slice(0, 32)}.json`;
}

/** A full disk, or a folder that may not be written: there is no index then. */
async function write(file: string, content: Uint8Array, { files }: IndexPorts): Promise<void> {
  try {
    await files.write(file, content, { flush: false });
    await removeOldest(path.dirname(file), files);
  } catch {
    return;
  }
}

async function removeOldest(folder: string, files: IndexPorts['files']): Promise<void> {
  const kept: { readonly file: string; readonly modified: number; readonly size: number }[] = [];
  for (const name of await files.list(folder)) {
    const file = path.join(folder, name);
    const stat = await files.stat(file);
    if (stat?.kind === 'file') kept.push({ file, modified: stat.modified, size: stat.size });
  }
  kept.sort((one, other) => other.modified - one.modified);
  let bytes = 0;
  for (const [index, { file, size }] of kept.entries()) {
    bytes += size;
    // The one that was written just now stays, however large it is.
    if (index > 0 && (index >= KEPT.walks || bytes > KEPT.bytes)) await files.remove(file);
  }
}
