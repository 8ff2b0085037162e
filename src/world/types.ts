// The world outside, as small interfaces. Functions take the narrowest one they need; only commands hold the whole.

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
  /** Whole content. Rejects with a Failure (exit 2) that names the path: missing, a directory, no permission. */
  read(path: string): Promise<Uint8Array>;
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
  /** Content from an offset on; empty when there is no more. Same failures as `read`. */
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

/** A lock held on a file by this process. Survives nothing: another process takes it over when this one dies. */
export interface Lock {
  /** Its last holder died with it: what that one was doing may lie about half done. */
  readonly takenOver: boolean;
  /**
   * Appends to the locked file as `Files.append` does, but so that a process that dies in the middle of it
   * leaves a note from which the next holder finishes the same write.
   */
  append(text: string): Promise<void>;
  release(): Promise<void>;
}

/** Parts of this program that can run beside it, in a thread. */
export interface Workers {
  /** Threads that this machine runs at a time. */
  cores(): number;
  /** Undefined when this build has no such part. The worker keeps this process alive only while it is `busy`. */
  start(name: string, on: WorkerListener): Worker | undefined;
}

export interface Worker {
  post(message: unknown): void;
  busy(isBusy: boolean): void;
  end(): void;
}

export interface WorkerListener {
  readonly message: (message: unknown) => void;
  /** It ended by itself; nothing more comes. */
  readonly ended: () => void;
}

export interface Locks {
  /**
   * Waits for the file's lock. `onWait` is called once, when another live process holds it. `steady` is for work that may keep
   * the processor busy for long: other hosts see that the holder lives all the same.
   */
  hold(
    path: string,
    options?: {
      readonly signal?: AbortSignal;
      readonly onWait?: (holder: string) => void;
      readonly steady?: boolean;
    },
  ): Promise<Lock>;
  /** The live process that holds the file's lock, in words; undefined when none does. Takes nothing. */
  holder(path: string): Promise<string | undefined>;
  /** This process, in a way that can be written down and asked about later. */
  self(): Promise<ProcessMark>;
  /** Whether that process still runs; undefined when it ran where this one cannot look. */
  isAlive(mark: ProcessMark): Promise<boolean | undefined>;
}

export interface ProcessMark {
  readonly pid: number;
  readonly host: string;
  /** When it started, in the system's own ticks: tells a number that was given again from the process that was meant. */
  readonly started?: string;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'HEAD' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds; default 10,000. */
  readonly connectTimeout?: number;
  /** Longest silence between two pieces of the answer, in milliseconds; default 600,000. */
  readonly readTimeout?: number;
  /** Redirects are followed at most this often, never to another host with a key. Default 0. */
  readonly redirects?: number;
  /** Path of a PEM file with certificates to trust besides those of the environment. */
  readonly certificates?: string;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly url: string;
  /** The body as it arrives. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Http {
  /** Rejects with the client library's error (it has a `code`); a status is never an error here. */
  send(request: HttpRequest): Promise<HttpResponse>;
}

export interface ProcessResult {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It was ended because its time was up. */
  readonly timedOut?: true;
}

export interface ProcessOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly onStdout?: (text: string) => void;
  /** Takes standard output as it arrives, byte for byte; the result's `stdout` then stays empty. */
  readonly onStdoutBytes?: (bytes: Uint8Array) => void;
  readonly onStderr?: (text: string) => void;
  /** At most so many characters of standard error, its last ones, are kept for the result. Default: all. */
  readonly keepStderr?: number;
}

export interface Processes {
  /**
   * Runs a program without a shell, in its own process group. When `signal` aborts or the time is up, it and everything that
   * came from it, also in groups of their own, gets TERM and 3 s later KILL; the call settles when they are gone: it rejects
   * with the signal's reason, or resolves with `timedOut`. Rejects when the program cannot be started.
   */
  run(command: string, args: readonly string[], options?: ProcessOptions): Promise<ProcessResult>;
  /**
   * Starts a program that runs beside this one and is talked to, without a shell, in its own process group. Rejects when it cannot be
   * started. It and what came from it do not outlive this program, not even when that is killed.
   */
  open(command: string, args: readonly string[], options: OpenOptions): Promise<OpenProcess>;
}

export interface OpenOptions {
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onStdout: (bytes: Uint8Array) => void;
  readonly onStderr: (text: string) => void;
}

/** A program that runs beside this one. */
export interface OpenProcess {
  readonly pid: number;
  /** Standard input. Resolves when the text was handed over; rejects when the program takes none any more. */
  write(text: string): Promise<void>;
  /** How it ended, when what it wrote was read, or half a second after its end; neither code nor signal: it has closed its output. Never rejects. */
  readonly ended: Promise<Pick<ProcessResult, 'code' | 'signal'>>;
  /**
   * Closes its standard input and waits so many milliseconds for its end; then it and everything that came from it gets TERM, and
   * 3 s later KILL. Resolves when they are gone. Never rejects.
   */
  close(patience: number): Promise<void>;
}

/** Runs code of others in this process: tasks in TypeScript. */
export interface Foreign {
  begin(): ForeignRun;
  /** One step that is all there is, as loading a file. What it leaves running is then as if this program ran it. */
  load<T>(work: () => T | Promise<T>): Promise<T>;
}

export interface ForeignRun {
  /**
   * Rejects as the work does, and also when it calls `process.exit` (which then ends nothing), throws where nobody waits for it, or waits
   * when nothing is left that goes on. What goes wrong between two steps rejects the next one.
   */
  step<T>(work: () => T | Promise<T>): Promise<T>;
  /** There are no more steps. What goes wrong from now on is told on standard error, and ends nothing. */
  end(): void;
}

export interface Clock {
  now(): Date;
  /** Milliseconds that only go forward. */
  monotonic(): number;
  /** A fresh UUID. */
  id(): string;
  /** Between 0 and 1. */
  random(): number;
  /** Rejects with the signal's reason when it aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface Output {
  /** Standard output: the result and nothing else. Resolves when the bytes were handed over. A closed pipe sets `closed`, and from then on nothing is written, without an error; another problem (full disk) rejects with a Failure. */
  write(text: string): Promise<void>;
  /** Standard error: progress, notes, warnings, errors. A line end is added. Never fails. */
  note(text: string): void;
  /** Standard error, as it is (a status line that is rewritten). Never fails. */
  noteRaw(text: string): void;
  /**
   * From now on standard output takes nothing but `write`: what code of others prints there, and the programs that it starts, goes to
   * standard error; so does what it throws when nobody waits for it, which ends nothing. No program reads standard input.
   */
  reserve(): void;
  readonly closed: boolean;
  readonly stdout: Stream;
  readonly stderr: Stream;
}

export interface Stream {
  readonly terminal: boolean;
  readonly colour: boolean;
  /** Cells in a row: the terminal's, else COLUMNS, else 80. */
  readonly columns: number;
  /** `false`: a terminal on which nothing can be written over (`TERM=dumb`). */
  readonly redraws?: boolean;
}

export interface Input {
  /** `none`: closed or /dev/null. */
  readonly kind: 'terminal' | 'pipe' | 'file' | 'none';
  /** Everything up to the end. */
  read(signal?: AbortSignal): Promise<Uint8Array>;
  /** The same, unless nothing at all (no byte, no end) arrives within so many milliseconds: then undefined. */
  readIfReady(milliseconds: number, signal?: AbortSignal): Promise<Uint8Array | undefined>;
  /** The bytes as they arrive, up to the end, a trouble in reading, or the signal. Never rejects; it is closed after that. */
  pieces(signal?: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Who waits for requests at an address. */
export interface Listening {
  readonly port: number;
  /** Takes no more requests, lets answers that are nearly done come to their end, and cuts the rest. */
  close(): Promise<void>;
}

export interface Servers {
  /**
   * Answers HTTP requests; port 0 is any free one. The request's signal aborts when its client goes away before it has the whole
   * answer. What `answer` rejects with becomes status 500 without a word. Rejects with a usage Failure when the address cannot be had.
   */
  listen(
    place: { readonly host: string; readonly port: number },
    answer: (request: Request) => Promise<Response>,
  ): Promise<Listening>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface World {
  readonly files: Files;
  readonly locks: Locks;
  readonly http: Http;
  readonly processes: Processes;
  readonly servers: Servers;
  /** Absent where the process is not this program's alone: then such code runs as it is. */
  readonly foreign?: () => Promise<Foreign>;
  readonly clock: Clock;
  readonly output: Output;
  readonly input: Input;
  readonly env: Environment;
  /** Absolute. */
  readonly cwd: string;
  /** Absolute folder of this package (chats, etc … of its own). */
  readonly packageFolder: string;
  readonly workers: Workers;
  readonly platform: {
    readonly os: string;
    readonly arch: string;
    /** Version of Node. */
    readonly node: string;
    /** Path of the Node that runs this program. */
    readonly executable?: string;
  };
  /** Aborts on Ctrl-C, TERM and HUP; its reason is an Interruption. A second Ctrl-C ends the process at once. */
  readonly signal: AbortSignal;
}
