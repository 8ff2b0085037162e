// Answers a conversation with a task: computes the job, and reads what it made as messages.

import { parse } from '../chat/parse.ts';
import { print } from '../chat/print.ts';
import type { JobAnswer, JobEvent } from '../store/types.ts';
import type { Chat } from '../types.ts';
import type { Task } from '../workflows/types.ts';
import type { Work } from './job-port.ts';
import { resultText } from './result-text.ts';

/** Rejects only with the signal's reason, and with a Failure for a task that takes no chat. */
export async function answerByTask(
  task: Task,
  chat: Chat,
  { store }: Work,
  run: { readonly signal: AbortSignal; readonly onEvent?: (event: JobEvent) => void },
): Promise<JobAnswer> {
  const job = await store.jobFor(task, { chat: print(chat) });
  const [outcome] = await store.produce([job], run);
  if (outcome?.kind !== 'done')
    return {
      job: job.path,
      messages: [],
      ...(outcome === undefined ? {} : { failure: outcome.failure }),
    };
  const value = task.exec
    ? outcome.value
    : await store.loadResult({ path: job.path, type: task.result });
  if (task.result === 'chat' && typeof value === 'string')
    return { job: job.path, messages: parse(value) };
  return {
    job: job.path,
    messages: [{ role: 'assistant', content: resultText(value, task.result, job.path) }],
  };
}
