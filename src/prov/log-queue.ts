// The logs of many owners, read by a worker and by this process at once: the worker takes them from the front, and whoever has to wait for
// one of its answers reads others from the back meanwhile.

import type { Worker, Workers } from '../world/types/workers.ts';
import { type LogAnswer, type LogQuestion, logsIn } from './log-reader.ts';
import type { Observations } from './observations.ts';
import { turn } from './turn.ts';
import type { LogTicket, Place, ReadLog } from './walk-types.ts';

export interface LogQueue {
  add(owner: Place): LogTicket;
  /** There will be about so many owners. */
  expect(owners: number): void;
  /** Hands over what the worker can take, and lets its answers come in, when there is one. */
  turn(): Promise<void> | undefined;
  /** Until the worker is no longer at work on these; undefined when it is not. */
  settled(ticket: LogTicket): Promise<void> | undefined;
  end(): void;
}

export interface LogQueuePorts {
  readonly workers: Workers;
  /** Reads the logs of one owner here; undefined when something is wrong with them. */
  readonly readHere: (owner: Place) => readonly ReadLog[] | undefined;
  /** Told what the worker looked at; nobody wants to know without it. */
  readonly saw?: ((seen: Observations) => void) | undefined;
}

/**
 * A worker takes a while to start, and to get fast: so many owners must be there before it is worth that. With two cores the second one is
 * busy at first, since the engine makes the code of this process fast there.
 */
const FEW = { twoCores: 6000, more: 200 };
/** Owners in one message, and messages that the worker has at a time. */
const BATCH = 32;
const WINDOW = 4;
/** Owners that are read here between two looks for answers. */
const HELP = 4;

/** The program of the worker. */
const LOG_READER = 'log-reader';

export function createLogQueue({ workers, readHere, saw }: LogQueuePorts): LogQueue {
  const queue: LogTicket[] = [];
  const sent: (readonly LogTicket[])[] = [];
  const few = workers.cores() > 2 ? FEW.more : FEW.twoCores;
  let first = 0;
  let worker: Worker | undefined;
  let isOver = false;
  let wake: () => void = () => {};

  const giveUp = () => {
    isOver = true;
    for (const ticket of sent.splice(0).flat()) ticket.state = 'read';
    wake();
  };
  const onMessage = (message: unknown) => {
    const { logs, seen } = JSON.parse(String(message)) as LogAnswer;
    if (seen !== undefined) saw?.(seen);
    for (const [index, ticket] of (sent.shift() ?? []).entries()) {
      const rows = logs[index];
      if (rows) ticket.logs = logsIn(rows);
      ticket.state = 'read';
    }
    pump();
    if (sent.length === 0) worker?.busy(false);
    wake();
  };
  const begin = () => {
    if (isOver) return;
    worker ??= workers.start(LOG_READER, { message: onMessage, ended: giveUp });
    if (worker === undefined) giveUp();
  };
  function pump(): void {
    if (worker === undefined && queue.length - first >= few) begin();
    while (worker !== undefined && !isOver && sent.length < WINDOW) {
      const batch: LogTicket[] = [];
      while (batch.length < BATCH && first < queue.length) {
        const ticket = queue[first++];
        if (ticket?.state === 'queued') batch.push(ticket);
      }
      if (batch.length === 0) return;
      for (const ticket of batch) ticket.state = 'sent';
      sent.push(batch);
      const question: LogQuestion = {
        owners: batch.map(({ owner }) => [owner.path, owner.files]),
        record: saw !== undefined,
      };
      worker.busy(true);
      worker.post(question);
    }
  }
  /** Reads some from the back; whether there were any. */
  function help(): boolean {
    for (let count = 0; count < HELP; count++) {
      let ticket = queue.pop();
      while (ticket !== undefined && ticket.state !== 'queued') ticket = queue.pop();
      if (ticket === undefined) return false;
      ticket.state = 'read';
      ticket.logs = readHere(ticket.owner);
    }
    return true;
  }
  async function wait(ticket: LogTicket): Promise<void> {
    while (ticket.state === 'sent')
      if (help()) await turn();
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
  }
  return {
    add(owner) {
      const ticket: LogTicket = { owner, state: 'queued', logs: undefined };
      queue.push(ticket);
      return ticket;
    },
    expect(owners) {
      if (owners >= few) begin();
    },
    turn() {
      pump();
      return worker === undefined || isOver ? undefined : turn();
    },
    settled: (ticket) => (ticket.state === 'sent' ? wait(ticket) : undefined),
    end() {
      giveUp();
      worker?.end();
    },
  };
}
