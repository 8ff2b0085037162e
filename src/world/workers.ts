// Parts of the built program that run beside it, each in a thread of this process.

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import type { Workers } from './types/workers.ts';

/** `folder` holds the programs, each as NAME.js. */
export function createWorkers(folder: string): Workers {
  return {
    cores: () => os.availableParallelism(),
    start(name, on) {
      const program = path.join(folder, `${name}.js`);
      if (!fs.existsSync(program)) return undefined;
      // Loaded here: most runs never start one.
      const { Worker } = process.getBuiltinModule('node:worker_threads');
      let isOver = false;
      const end = () => {
        if (isOver) return;
        isOver = true;
        on.ended();
      };
      // Its own output and errors are nobody's business: whoever asked hears that it ended, and does the work itself.
      const worker = new Worker(program, { stdout: true, stderr: true, execArgv: [], argv: [] });
      worker.unref();
      worker.on('message', on.message);
      worker.on('error', end);
      worker.on('exit', end);
      return {
        post: (message) => worker.postMessage(message),
        busy: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
        end() {
          isOver = true;
          void worker.terminate();
        },
      };
    },
  };
}
