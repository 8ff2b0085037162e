// The world outside as one. Functions take the narrowest part of it that they need; only commands hold the whole. Types only.

import type { Clock } from './clock.ts';
import type { Files } from './files.ts';
import type { Locks } from './locks.ts';
import type { Http, Servers } from './network.ts';
import type { Processes } from './processes.ts';
import type { Input, Output } from './streams.ts';
import type { Foreign, Workers } from './workers.ts';

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
