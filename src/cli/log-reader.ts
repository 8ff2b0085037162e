// A program of its own, run beside a large walk: gets places of jobs, answers with their logs as JSON.

import { parentPort } from 'node:worker_threads';
import { readLogs } from '../prov/log-reader.ts';
import { createFiles } from '../world/files.ts';

const files = createFiles();

parentPort?.on('message', async (question: Parameters<typeof readLogs>[0]) => {
  parentPort?.postMessage(JSON.stringify(await readLogs(question, files)));
});
