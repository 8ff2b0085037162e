// Output that arrives in pieces becomes lines of a job's log.

import type { JobContext } from './types.ts';

/** A line that is longer is cut, in characters: what never ends a line must not fill the memory. */
const LONGEST = 1024 * 1024;

/** `add` takes pieces as they come, `end` writes the last line if it has no end. The carriage returns of progress bars end lines too. */
export function lineLogger(job: Pick<JobContext, 'log'>): {
  add(text: string): void;
  end(): void;
} {
  let open: string[] = [];
  let length = 0;
  /** A carriage return at the end of a piece: perhaps the first half of a line end. */
  let half = '';
  const take = (more: string): string => {
    const line = open.join('') + more;
    open = [];
    length = 0;
    return line;
  };
  return {
    add(text) {
      const lines = (half + text).split(/\r?\n|\r(?!$)/);
      const last = lines.pop() ?? '';
      half = last.endsWith('\r') ? '\r' : '';
      const [first, ...more] = lines;
      // All lines of a piece at once: a task that writes a lot must not drown in single writes.
      if (first !== undefined) job.log([take(first), ...more].join('\n'));
      const rest = half === '' ? last : last.slice(0, -1);
      open.push(rest);
      length += rest.length;
      if (length > LONGEST) job.log(take(''));
    },
    end() {
      if (length > 0) job.log(take(''));
      half = '';
    },
  };
}
