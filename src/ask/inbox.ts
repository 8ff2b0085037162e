// Notes for a run that goes on: plain files in `<save_file>.files/inbox` become messages of its prompts, each at most once. A file is
// moved out of the inbox before anything is done with it. Links are never followed.

import * as path from 'node:path';
import { decode } from '../chat/decode.ts';
import { EXIT, errorWords, Failure, Interruption } from '../errors.ts';
import type { Message } from '../types.ts';
import type { Files, FolderEntry } from '../world/types/files.ts';
import type { Plan } from './types/run.ts';

type InboxFiles = Pick<Files, 'kindAt' | 'entries' | 'load' | 'rename' | 'makeFolder'>;

/** Longest note, in bytes. */
const LARGEST = 1_000_000;

export interface Delivery {
  /** In the order of the names of their files. */
  readonly messages: readonly Message[];
  readonly names: readonly string[];
  /** Why something was left where it is; each once in a run. */
  readonly warnings: readonly string[];
}

export interface Inbox {
  /** Takes what is there now. Rejects with a Failure whose cause is an Interruption when a file `abort` is among it; nothing else is taken then. */
  take(): Promise<Delivery>;
}

const NOTHING: Delivery = { messages: [], names: [], warnings: [] };

/** The inbox of the chat that is kept in this file. Its folder need not be there. */
export function openInbox(saveFile: string, files: InboxFiles): Inbox {
  const home = `${saveFile}.files`;
  const folder = path.join(home, 'inbox');
  const taken = path.join(home, 'inbox_removed');
  const told = new Set<string>();
  return {
    async take() {
      if ((await files.kindAt(folder)) === undefined) return NOTHING;
      const problems: string[] = [];
      const messages: Message[] = [];
      const names: string[] = [];
      const entries = await entriesOf([home, folder], files, problems);
      const abort = entries.find(({ name, kind }) => kind === 'file' && isAbort(name));
      if (abort !== undefined) throw await stopped(abort.name, folder, taken, files);
      for (const entry of entries) {
        const note = await noteIn(entry, folder, taken, files).catch((error: unknown) => {
          problems.push(
            `the note ${JSON.stringify(entry.name)} is not delivered: ${errorWords(error)}`,
          );
        });
        if (note === undefined) continue;
        names.push(entry.name);
        messages.push({ role: 'user', content: note });
      }
      const warnings = problems.filter((problem) => !told.has(problem));
      for (const problem of warnings) told.add(problem);
      return { messages, names, warnings };
    },
  };
}

/** The inbox of a run; none when its strategies leave it out, or the conversation is not kept. */
export const inboxOf = (
  { strategies, saveFile }: Pick<Plan, 'strategies' | 'saveFile'>,
  files: InboxFiles,
): Inbox | undefined =>
  strategies?.inbox === true && saveFile !== undefined ? openInbox(saveFile, files) : undefined;

/** What lies in the last of the folders; none of them may be a link, which could lead anywhere. */
async function entriesOf(
  chain: readonly string[],
  files: InboxFiles,
  problems: string[],
): Promise<readonly FolderEntry[]> {
  for (const folder of chain)
    if ((await files.kindAt(folder)) !== 'directory') {
      problems.push(`the inbox is not looked into: ${folder} is no plain folder`);
      return [];
    }
  try {
    return (await files.entries(chain.at(-1) ?? '')).filter(({ name }) => !name.startsWith('.'));
  } catch (error) {
    problems.push(`the inbox is not looked into: ${errorWords(error)}`);
    return [];
  }
}

/** `abort`, with any extension. */
const isAbort = (name: string): boolean => name === 'abort' || name.startsWith('abort.');

/** The text of a note that was moved away; undefined for one that is still empty. Rejects when it cannot be taken: it then stays. */
async function noteIn(
  { name, kind }: FolderEntry,
  folder: string,
  taken: string,
  files: InboxFiles,
): Promise<string | undefined> {
  if (kind !== 'file') throw new Error(`it is ${KINDS[kind]}, and only plain files are delivered`);
  if (/\p{Cc}/u.test(name)) throw new Error('its name holds control characters');
  const place = path.join(folder, name);
  const before = await files.load(place, LARGEST);
  // Whoever writes it has made it and not filled it yet.
  if (textOf(before.bytes, place) === '') return undefined;
  const now = await move(place, taken, files);
  // What was looked at must be what was moved: nobody can put a link in its place in between.
  const after = (await files.kindAt(now)) === 'file' ? await files.load(now, LARGEST) : undefined;
  if (after?.stat.inode !== before.stat.inode || after.stat.device !== before.stat.device)
    throw new Error(`it was changed while it was taken, and is now ${now}`);
  return textOf(after.bytes, now);
}

function textOf(bytes: Uint8Array, file: string): string {
  if (bytes.includes(0)) throw new Error('it is no text');
  return decode(bytes, { file }).trim();
}

const KINDS = { directory: 'a folder', link: 'a link', other: 'no regular file' } as const;

/** Moves a file into the folder under a name that is free there. */
async function move(place: string, to: string, files: InboxFiles): Promise<string> {
  if ((await files.kindAt(to)) === undefined) await files.makeFolder(to);
  if ((await files.kindAt(to)) !== 'directory') throw new Error(`${to} is no plain folder`);
  const target = path.join(to, path.basename(place));
  let free = target;
  for (let count = 2; (await files.kindAt(free)) !== undefined; count++)
    free = `${target}.${count}`;
  await files.rename(place, free);
  return free;
}

/** Why the run stops. What the file says is the reason that is told. */
async function stopped(
  name: string,
  folder: string,
  taken: string,
  files: InboxFiles,
): Promise<Failure> {
  const place = path.join(folder, name);
  const text = await files.load(place, LARGEST).then(
    ({ bytes }) => new TextDecoder().decode(bytes).trim().split('\n', 1)[0]?.slice(0, 200) ?? '',
    () => '',
  );
  const left = await move(place, taken, files).then(
    () => undefined,
    (error: unknown) =>
      `remove ${place} before you ask again: it cannot be moved away (${errorWords(error)})`,
  );
  return new Failure({
    code: 'stopped-by-inbox',
    exitCode: EXIT.interrupted,
    message: `stopped by the file "${name}" in the inbox${text === '' ? '' : `: ${text}`}`,
    at: folder,
    next: left ?? 'ask the chat again to go on',
    // A job whose agent was stopped may be asked for again.
    facts: { kind: 'interrupted' },
    cause: new Interruption('SIGINT'),
  });
}
