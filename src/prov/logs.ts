// The chats that were kept beside a job or a chat, in its `.files`: own ones, those of delegated work, and the older layout.

import * as path from 'node:path';
import type { EntryKind, FilesNow, FolderEntry } from '../world/types/files.ts';
import { type Places, placeAt } from './places.ts';
import type { LogChat, Place } from './walk-types.ts';

export interface LogPorts {
  readonly files: Pick<FilesNow, 'entries'>;
  readonly places: Places;
  /** Told about a folder that cannot be listed. */
  readonly onUnreadable: (folder: string, error: unknown) => void;
}

/**
 * `*.chat`, `*.society/**\/*.chat` and `log/**\/*.chat` in the `.files` of an owner, sorted by path. What earlier conversations left in
 * `resets` is none of them. Names that start with a dot are passed over, and linked folders inside of those trees are not entered.
 */
export function logsOf(owner: Place, ports: LogPorts): readonly LogChat[] {
  const folder = folderAt(`${owner.path}.files`, owner.files, ports.places);
  if (folder === undefined) return NONE;
  const scan: Scan = { ports, found: [] };
  scanTop(folder, scan);
  return scan.found.length < 2 ? scan.found : sorted(scan.found);
}

const NONE: readonly never[] = [];

interface Scan {
  readonly ports: LogPorts;
  readonly found: LogChat[];
}

/** By path, each once: a link may lead to another of them. */
function sorted(found: readonly LogChat[]): readonly LogChat[] {
  const byPath = new Map<string, LogChat>();
  for (const log of found) if (!byPath.has(log.place.path)) byPath.set(log.place.path, log);
  return [...byPath.values()].sort((one, other) => (one.place.path < other.place.path ? -1 : 1));
}

const isChat = ({ name, kind }: FolderEntry): boolean =>
  (kind === 'file' || kind === 'link') && name.endsWith('.chat');

const isTree = ({ name }: FolderEntry): boolean => name === 'log' || name.endsWith('.society');

function folderAt(place: string, kind: EntryKind | undefined, places: Places) {
  if (kind === 'link') return places.realPath(place);
  return kind === 'directory' ? place : undefined;
}

function scanTop(folder: string, scan: Scan): void {
  const entries = list(folder, scan);
  for (const entry of entries) {
    if (isChat(entry)) addChat(entry, { folder, entries }, true, scan);
    else if (isTree(entry)) {
      const place = folder + path.sep + entry.name;
      const tree = folderAt(place, entry.kind, scan.ports.places);
      if (tree !== undefined) scanTree(tree, entry.name === 'log', scan);
    }
  }
}

/** `isOlder`: this is the `log` folder itself, in which `agent.chat` is the owner's own conversation. */
function scanTree(folder: string, isOlder: boolean, scan: Scan): void {
  const entries = list(folder, scan);
  for (const entry of entries) {
    const { name, kind } = entry;
    if (isChat(entry)) addChat(entry, { folder, entries }, isOlder && name === 'agent.chat', scan);
    else if (kind === 'directory' && !(name === 'resets' && folder.endsWith('.files')))
      scanTree(folder + path.sep + name, false, scan);
  }
}

interface Listed {
  readonly folder: string;
  readonly entries: readonly FolderEntry[];
}

function addChat(
  { name, kind }: FolderEntry,
  { folder, entries }: Listed,
  own: boolean,
  scan: Scan,
): void {
  const place = folder + path.sep + name;
  if (kind === 'file') {
    // The listing knows already what stands beside it.
    const files = entries.length < 2 ? undefined : kindOf(`${name}.files`, entries);
    scan.found.push({ place: placeAt(place, kind, undefined, files), own });
    return;
  }
  const { places } = scan.ports;
  const real = places.realPath(place);
  if (real === undefined) scan.found.push({ place: placeAt(place, kind), own });
  else {
    const behind = places.lookAt(real);
    if (behind.itself !== 'directory') scan.found.push({ place: behind, own });
  }
}

/** Entries are sorted by name. */
function kindOf(name: string, entries: readonly FolderEntry[]): EntryKind | undefined {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.name ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return entries[low]?.name === name ? entries[low]?.kind : undefined;
}

function list(folder: string, { ports }: Scan): readonly FolderEntry[] {
  try {
    const entries = ports.files.entries(folder);
    const hasHidden = entries.some(({ name }) => name.startsWith('.'));
    return hasHidden ? entries.filter(({ name }) => !name.startsWith('.')) : entries;
  } catch (error) {
    ports.onUnreadable(folder, error);
    return NONE;
  }
}
