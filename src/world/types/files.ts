// Files and folders: what can be looked at, read and written. Types only.

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'other';
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** When its content, its place or its permissions changed last, as the system says; nobody can set it. Milliseconds since 1970. */
  readonly changed: number;
  readonly device: number;
  readonly inode: number;
  /** Permission bits. */
  readonly mode: number;
}

export type EntryKind = 'file' | 'directory' | 'link' | 'other';

/** A name in a folder and what stands there, links not followed. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

export interface LoadedFile {
  readonly bytes: Uint8Array;
  readonly stat: FileStat;
}

/** Looks and reads for callers that must not wait at each step, as those that go through a hundred thousand files. Throws what the methods of `Files` reject with. */
export interface FilesNow {
  load(path: string, largest: number): LoadedFile;
  /**
   * The text of a file that is short (under 64 KiB) and pure ASCII, at the least price; undefined for an empty or any other one, which is
   * then to be loaded. A network's file system may give less than there is: that must show in the text, or be looked for (`sure`).
   */
  readShort(path: string, options?: { readonly sure?: boolean }): string | undefined;
  stat(path: string): FileStat | undefined;
  entries(path: string): readonly FolderEntry[];
  kindAt(path: string): EntryKind | undefined;
  realPath(path: string): string;
}

export interface Files {
  readonly now: FilesNow;
  /**
   * Whole content. Rejects with a Failure (exit 2) that names the path: missing, a directory, no permission. A pipe or a device is refused
   * (`not-a-file`) without waiting for it: in a folder of somebody else any name may lead to one. `anyKind` is for what people named
   * themselves, as `<(command)`: it is read to its end.
   */
  read(path: string, options?: { readonly anyKind?: boolean }): Promise<Uint8Array>;
  /**
   * Content with the facts of exactly this content. Refuses what is no regular file, without waiting for a pipe (`not-a-file`), and
   * what has more than `largest` bytes (`file-too-large`). Otherwise the failures of `read`.
   */
  load(path: string, largest: number): Promise<LoadedFile>;
  /** At most the first `limit` bytes. Same failures as `read`. */
  readStart(path: string, limit: number): Promise<Uint8Array>;
  /** Facts of what the path leads to (links followed), undefined when nothing is there. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Whether this process may write the file, or create it. */
  isWritable(path: string): Promise<boolean>;
  /** Names in a directory, sorted by code unit. */
  list(path: string): Promise<readonly string[]>;
  /** The same with the kind of each, at the price of the names alone. */
  entries(path: string): Promise<readonly FolderEntry[]>;
  /** What stands at the path itself, links not followed; undefined when nothing does. */
  kindAt(path: string): Promise<EntryKind | undefined>;
  realPath(path: string): Promise<string>;
  /** Content from an offset on, at most 4 MiB of it; empty when there is no more. Same failures as `read`. */
  readFrom(path: string, offset: number): Promise<Uint8Array>;
  /** The content of what is at the place when reading begins, in pieces of at most 256 KiB. Same failures as `read`. */
  pieces(path: string): AsyncIterable<Uint8Array>;
  /** SHA-256 of the content, in hex, read piece by piece. Same failures as `read`. */
  digest(path: string): Promise<string>;
  /**
   * Writes beside the place, flushes, renames: the file is whole or as it was. Keeps the mode of a file that was there; makes missing folders.
   * `flush: false` is for what may be lost when the machine stops (how far a job is). A link is followed, or replaced with `replacesLink`.
   */
  write(
    path: string,
    data: string | Uint8Array,
    options?: {
      readonly mode?: number;
      readonly flush?: boolean;
      readonly replacesLink?: boolean;
    },
  ): Promise<void>;
  /** The same for content that arrives in pieces: nothing is at the place before the last one was written. Rejects with what the pieces reject with, and leaves nothing. */
  writePieces(path: string, pieces: AsyncIterable<string | Uint8Array>): Promise<void>;
  /** One write at the end, flushed unless said otherwise. When it fails (full disk) the file is cut back to what it was. Creates the file. */
  append(path: string, text: string, options?: { readonly flush?: boolean }): Promise<void>;
  /** Puts a file in another place of the same file system, and in the place of what is there. */
  rename(path: string, to: string): Promise<void>;
  makeFolder(path: string, options?: { readonly mode?: number }): Promise<void>;
  /** The folder is there when this returns, for callers that cannot wait. */
  makeFolderNow(path: string): void;
  remove(path: string): Promise<void>;
  /** With everything in it. A link to a folder is removed, what it leads to stays. */
  removeFolder(path: string): Promise<void>;
}
