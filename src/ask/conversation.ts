// A chat file while it is asked: locked from reading to writing, read once, only ever appended to.

import { type Appender, appender } from '../chat/append.ts';
import { decode } from '../chat/decode.ts';
import { parse } from '../chat/parse.ts';
import { checkPlace } from '../config/target.ts';
import { Failure, shellWord, usageFailure, workFailure } from '../errors.ts';
import type { Chat, Warn } from '../types.ts';
import type { FileStat, Files } from '../world/types/files.ts';
import type { Lock, Locks } from '../world/types/locks.ts';

export interface Conversation {
  readonly file: string;
  /** As stored when it was opened. */
  readonly chat: Chat;
  /** Adds the messages at the end of the file, whole, with one write. */
  append(messages: Chat): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Make the file when it is missing; otherwise that is a usage Failure. */
  readonly create: boolean;
  readonly signal: AbortSignal;
  /** Nothing will be appended: no lock is taken, and the file need not be writable. */
  readonly readOnly?: boolean;
  readonly warn: Warn;
  readonly onWait?: (holder: string) => void;
}

/**
 * Waits for the file's lock and reads it. Fails (exit 2) before anything else happens when the file is missing, is a folder,
 * cannot be read or written, or ends inside an unclosed block.
 */
export async function openConversation(
  file: string,
  world: { readonly files: Files; readonly locks: Locks },
  options: OpenOptions,
): Promise<Conversation> {
  await checkFile(file, world.files, options);
  const lock =
    options.readOnly === true
      ? NO_LOCK
      : await world.locks.hold(file, {
          signal: options.signal,
          ...(options.onWait === undefined ? {} : { onWait: options.onWait }),
        });
  try {
    const state = await load(file, world.files, options.warn);
    return {
      file,
      chat: state.chat,
      append: (messages) => append(file, state, messages, lock, world.files, options.warn),
      close: () => lock.release(),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface State {
  chat: Chat;
  appender: Appender;
  /** The file as it was when it was last read or written by us. */
  stat: FileStat | undefined;
}

/** Reading alone needs none. */
const NO_LOCK: Lock = {
  takenOver: false,
  append: () => Promise.reject(new Error('this conversation was opened to be read only')),
  release: () => Promise.resolve(),
};

async function checkFile(
  file: string,
  files: Files,
  { create, readOnly }: OpenOptions,
): Promise<void> {
  const stat = await files.stat(file);
  if (stat === undefined && (await files.kindAt(file)) === 'link')
    throw usageFailure('missing-file', `"${file}" is a link that leads nowhere`, {
      next: 'make the file that it leads to, or remove the link',
    });
  if (stat === undefined && !create)
    throw usageFailure('missing-file', `no such chat "${file}"`, {
      next: /\s/.test(file)
        ? 'check the name; a question that ends in ".chat" needs a "?" behind it'
        : `check the name, or make a new one with \`chat ask -c ${shellWord(file)} "…"\``,
    });
  if (stat !== undefined && stat.kind !== 'file')
    throw usageFailure(
      'not-a-file',
      `"${file}" is ${stat.kind === 'directory' ? 'a folder' : 'no regular file'}, not a chat file`,
      {
        next: 'give the path of a chat file',
      },
    );
  if (readOnly === true) return;
  // A file that could not be made would be known as such only when its answer is there and paid for.
  if (stat === undefined) await checkPlace(file, 'a chat file', files);
  await checkWritable(file, files, 'the answer goes into that file');
}

/** Fails (exit 2) when nothing can be written there; `why` says why it would be. */
export async function checkWritable(
  file: string,
  files: Pick<Files, 'isWritable'>,
  why: string,
): Promise<void> {
  if (await files.isWritable(file)) return;
  throw usageFailure(
    'read-only',
    `cannot write to "${file}": it, or all of its disk, is read-only`,
    {
      next: `${why}: \`chmod u+rw ${shellWord(file)}\`, or ask a copy elsewhere; \`chat compile\` and -d only read`,
    },
  );
}

async function load(file: string, files: Files, warn: Warn): Promise<State> {
  const stat = await files.stat(file);
  const text = stat === undefined ? '' : decode(await files.read(file), { file, warn });
  const adder = appender(text, { file });
  // An open block would swallow the answer: refuse before any request.
  adder.check();
  return { chat: parse(text, { file, warn }), appender: adder, stat };
}

/** The file as another program left it. What can take no answer any more is a failed save, not a wrong use. */
async function reload(file: string, files: Files): Promise<State> {
  try {
    return await load(file, files, () => {});
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw workFailure('save-failed', `"${file}" was changed while it was asked: ${error.message}`, {
      cause: error,
      next: 'what was answered is not in the file; mend it and ask again',
      ...(error.at === undefined ? {} : { at: error.at }),
    });
  }
}

async function append(
  file: string,
  state: State,
  messages: Chat,
  lock: Lock,
  files: Files,
  warn: Warn,
): Promise<void> {
  if (messages.length === 0) return;
  const now = await files.stat(file);
  if (!isSame(state.stat, now)) {
    warn({
      code: 'file-changed',
      message: `"${file}" was changed by another program while it was asked; the answer goes to its end as it is now`,
    });
    Object.assign(state, await reload(file, files));
  }
  await lock.append(state.appender.add(messages));
  state.stat = await files.stat(file);
}

function isSame(before: FileStat | undefined, now: FileStat | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return (
    before.device === now.device &&
    before.inode === now.inode &&
    before.size === now.size &&
    before.modified === now.modified
  );
}
