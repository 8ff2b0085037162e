// Other programs: run to their end, or talked to while they run beside this one. Types only.

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
