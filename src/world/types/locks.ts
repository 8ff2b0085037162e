// Who holds a file, and whether that process still lives. Types only.

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
