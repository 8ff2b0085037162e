// A program of its own, run beside a large walk: gets places of jobs, answers with their logs as JSON.

import { parentPort } from 'node:worker_threads';
import { answerLogs, type LogQuestion } from '../prov/log-reader.ts';
import { createFilesNow } from '../world/files-now.ts';

const files = createFilesNow();

parentPort?.on('message', (question: LogQuestion) => {
  parentPort?.postMessage(JSON.stringify(answerLogs(question, files)));
});
