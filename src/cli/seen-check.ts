// A program of its own, run beside the reading of an index: gets what an earlier walk saw, answers whether it can be seen again.

import { parentPort } from 'node:worker_threads';
import { isSeenAgain } from '../prov/seen-check.ts';
import { createFilesNow } from '../world/files-now.ts';

const files = createFilesNow();

parentPort?.on('message', (seen: Uint8Array) => {
  parentPort?.postMessage(isSeenAgain(seen, files));
});
