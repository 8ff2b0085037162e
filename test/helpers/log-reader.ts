// A reader of logs beside a walk that can be counted and that dies when it is told to: the reader's own code, in this thread.

import { answerLogs, type LogQuestion } from '../../src/prov/log-reader.ts';
import { createFiles } from '../../src/world/files.ts';
import type { Workers } from '../../src/world/types/workers.ts';

export interface CountedReader {
  readonly workers: Workers;
  readonly counts: { started: number; answered: number };
}

/** It ends by itself after so many answers. */
export function countedReader(most = Number.POSITIVE_INFINITY): CountedReader {
  const counts = { started: 0, answered: 0 };
  const files = createFiles().now;
  return {
    counts,
    workers: {
      cores: () => 4,
      start(_, on) {
        counts.started++;
        let isOver = false;
        return {
          post(question) {
            setTimeout(() => {
              if (isOver) return;
              isOver = counts.answered >= most;
              if (isOver) return on.ended();
              const answer = answerLogs(question as LogQuestion, files);
              counts.answered++;
              on.message(JSON.stringify(answer));
            });
          },
          busy: () => {},
          end: () => {
            isOver = true;
          },
        };
      },
    },
  };
}
