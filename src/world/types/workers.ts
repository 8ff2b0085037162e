// Code inside this process that goes its own way: parts of this program in threads, and tasks that others wrote. Types only.

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

/** Runs code of others in this process: tasks in TypeScript. */
export interface Foreign {
  begin(): ForeignRun;
  /**
   * One step that is all there is, as loading a file; it rejects after so many milliseconds, if they are given. What goes wrong in what it leaves running is told on standard error, and ends nothing.
   */
  load<T>(work: () => T | Promise<T>, patience?: number): Promise<T>;
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
