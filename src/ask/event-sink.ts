// Where `--events` goes: a file, standard output, or nowhere.

import type { World } from '../world/types.ts';
import { endRecord, eventLines, eventRecord } from './events.ts';
import type { AskEvent, Plan } from './types.ts';

export interface EventSink {
  /** Standard output holds the events and not the answer. */
  readonly ownsOutput: boolean;
  start(plan: Plan): Promise<void>;
  write(event: AskEvent): Promise<void>;
  /** With an error: how the run failed or was stopped. */
  end(error?: unknown): Promise<void>;
}

/** A file is started anew; each event is one appended line, so that a reader can follow it. */
export async function eventSink(target: string | undefined, world: World): Promise<EventSink> {
  if (target === undefined)
    return { ownsOutput: false, start: async () => {}, write: async () => {}, end: async () => {} };
  const line = eventLines(world.clock);
  const ownsOutput = target === '-';
  if (!ownsOutput) await world.files.write(target, '');
  const put = (record: Parameters<typeof line>[0]) =>
    ownsOutput
      ? world.output.write(line(record))
      : world.files.append(target, line(record), { flush: false });
  return {
    ownsOutput,
    start: (plan) =>
      put({
        type: 'turn_started',
        session_id: plan.sessionId,
        endpoint: plan.endpoint.name,
        backend: plan.endpoint.backend,
        model: plan.endpoint.model ?? null,
        prompt_messages: plan.prompt.length,
      }),
    write: (event) => put(eventRecord(event)),
    end: (error) =>
      put(
        error === undefined
          ? { type: 'turn_completed' }
          : endRecord(error instanceof Error ? error : new Error(String(error))),
      ),
  };
}
