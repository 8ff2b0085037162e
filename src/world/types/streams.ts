// The standard streams of this process, and what is known of the terminal at their other end. Types only.

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
