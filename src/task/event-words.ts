// What jobs tell while they are computed, in words: the same on a terminal, in a log and for a client of a server.

import type { JobEvent, JobProgress, PlannedJob } from '../store/types.ts';

/** `Words/count`. */
export const taskName = ({ task }: PlannedJob): string => `${task.workflow}/${task.name}`;

/** `started`, `waits for process 7 on host`, `2 of 3 plates`, `done`; undefined for a line of its log. */
export function wordsOf(event: JobEvent): string | undefined {
  switch (event.kind) {
    case 'start':
      return 'started';
    case 'wait':
      return `waits for ${event.holder}`;
    case 'progress':
      return howFar(event.progress);
    case 'end':
      return event.status;
    case 'log':
      return undefined;
  }
}

/** `2 of 3 plates`. */
export function howFar({ done, total, message }: JobProgress): string {
  const count = total === undefined ? `${done}` : `${done} of ${total}`;
  return message === undefined ? count : `${count} ${message}`;
}
