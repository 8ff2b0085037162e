// Time, and what is new each time it is asked for. Types only.

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
