// What a walk knows while it is under way.

import type { EntryKind } from '../world/types/files.ts';
import type { ChatFacts, JobFacts } from './types/facts.ts';
import type { JobNode } from './types/graph.ts';

/** A path with the links of its folder resolved, and what stands there; links at the path itself are told, not followed. */
export interface Place {
  readonly path: string;
  readonly itself: EntryKind | undefined;
  /** At `<path>.info` and `<path>.files`. */
  readonly info: EntryKind | undefined;
  readonly files: EntryKind | undefined;
  /** What the walk read of the job here. It stands here because finding it by path costs more than all else. */
  job: JobRead | undefined;
}

/** A job that the walk comes to, each part as soon as it is there. */
export interface JobRead {
  facts: JobFacts | undefined;
  /** Where its references lead, in their order; null is nowhere. Undefined as long as nobody wants to know. */
  dependencies: readonly (Place | null)[] | undefined;
  /** Its logs, when they may be read beside the walk. */
  logs: LogTicket | undefined;
  /** When it was visited. */
  node: JobNode | undefined;
}

/** One owner whose logs are wanted. */
export interface LogTicket {
  readonly owner: Place;
  state: 'queued' | 'sent' | 'read';
  /** When it was read; undefined: that failed, and the walk has to find out. */
  logs: readonly ReadLog[] | undefined;
}

/** A chat that was kept beside a job or a chat. */
export interface LogChat {
  /** Real; of a link that leads nowhere, the link's own. */
  readonly place: Place;
  /** A full copy of the conversation of the one whose `.files` it is: `NAME.chat` at the top, `log/agent.chat` in the older layout. */
  readonly own: boolean;
}

export interface ReadLog extends LogChat {
  readonly facts: ChatFacts;
}
