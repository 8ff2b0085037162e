// Output that arrives in pieces becomes lines of a job's log.

import type { JobContext } from './types.ts';

/** `add` takes pieces as they come, `end` writes the last line if it has no end. The carriage returns of progress bars end lines too. */
export function lineLogger(job: Pick<JobContext, 'log'>): {
  add(text: string): void;
  end(): void;
} {
  let open = '';
  return {
    add(text) {
      const lines = (open + text).split(/\r?\n|\r(?!$)/);
      open = lines.pop() ?? '';
      // All lines of a piece at once: a task that writes a lot must not drown in single writes.
      if (lines.length > 0) job.log(lines.join('\n'));
    },
    end() {
      if (open !== '') job.log(open.replace(/\r$/, ''));
      open = '';
    },
  };
}
