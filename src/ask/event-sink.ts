// Where `--events` goes: a file, standard output, or nowhere.

import type { World } from '../world/types/world.ts';
import { endRecord, eventLines, eventRecord } from './events.ts';
import type { AskEvent } from './types/events.ts';
import type { Plan } from './types/run.ts';

export interface EventSink {
  /** Standard output holds the events and not the answer. */
  readonly ownsOutput: boolean;
  start(plan: Plan): Promise<void>;
  write(event: AskEvent): Promise<void>;
  /** With an error: how the run failed or was stopped. */
  end(error?: unknown): Promise<void>;
}

/** A file is started anew; each event is one appended line, so that a reader can follow it. A device or a named pipe gets all of them at the end. */
export async function eventSink(target: string | undefined, world: World): Promise<EventSink> {
  if (target === undefined)
    return { ownsOutput: false, start: async () => {}, write: async () => {}, end: async () => {} };
  const line = eventLines(world.clock);
  const ownsOutput = target === '-';
  const isKept = !ownsOutput && (await isPipe(target, world));
  const kept: string[] = [];
  if (!ownsOutput && !isKept && !OPEN.test(target)) await world.files.write(target, '');
  const put = async (record: Parameters<typeof line>[0]) => {
    if (ownsOutput) await world.output.write(line(record));
    else if (isKept) kept.push(line(record));
    else await world.files.append(target, line(record), { flush: false });
  };
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
    async end(error) {
      await put(
        error === undefined
          ? { type: 'turn_completed' }
          : endRecord(error instanceof Error ? error : new Error(String(error))),
      );
      if (isKept) await world.files.write(target, kept.join(''));
    },
  };
}

/** What is open in this process already stays so from line to line. */
const OPEN = /^\/(?:dev\/(?:fd\/|std(?:out|err)$)|proc\/self\/fd\/)/;

/** The reader of a named pipe is gone when it is closed once: it gets all lines at the end. */
const isPipe = async (target: string, { files }: World): Promise<boolean> =>
  !OPEN.test(target) && (await files.stat(target))?.kind === 'other';
