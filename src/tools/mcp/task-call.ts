// Calls of tools that run as tasks of their server: begun, asked about until they end, their result fetched.

import type { Client } from '@modelcontextprotocol/client';
import { fields } from '../../json.ts';
import { ANYTHING, type CallOptions, LateError, timeLimit } from './connection.ts';
import type { ListedTool } from './types.ts';

/** How long a server is to keep what it made, in milliseconds. */
const KEPT = 3_600_000;
const POLL = { least: 50, standard: 500, most: 10_000 };

/** The raw result. News of the task renew its time; when the signal aborts or the time is up, the task is cancelled. */
export async function callAsTask(
  client: Client,
  tool: Pick<ListedTool, 'name'>,
  args: Readonly<Record<string, unknown>>,
  options: CallOptions,
): Promise<unknown> {
  const { signal, limit, onProgress } = options;
  const request = (method: string, params: Record<string, unknown>) =>
    client.request({ method, params }, ANYTHING, { signal, timeout: timeLimit(limit) });
  const begun = await request('tools/call', {
    name: tool.name,
    arguments: { ...args },
    task: { ttl: KEPT },
  });
  let task = fields(fields(begun).task);
  const { taskId } = task;
  // It answered at once.
  if (typeof taskId !== 'string') return begun;
  try {
    let news = '';
    let last = performance.now();
    while (task.status === 'working') {
      const now = JSON.stringify([task.lastUpdatedAt, task.statusMessage]);
      if (now !== news) {
        if (typeof task.statusMessage === 'string') onProgress(task.statusMessage);
        news = now;
        last = performance.now();
      }
      if (performance.now() - last > timeLimit(limit)) throw new LateError();
      await pause(task.pollInterval, signal);
      task = fields(await request('tasks/get', { taskId }));
    }
    return await request('tasks/result', { taskId });
  } catch (error) {
    if (signal.aborted || error instanceof LateError)
      await client
        .request({ method: 'tasks/cancel', params: { taskId } }, ANYTHING, { timeout: 1000 })
        .catch(() => {});
    throw error;
  }
}

function pause(wanted: unknown, signal: AbortSignal): Promise<void> {
  const { least, standard, most } = POLL;
  const given = typeof wanted === 'number' && wanted > 0 ? wanted : standard;
  const milliseconds = Math.min(Math.max(given, least), most);
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}
