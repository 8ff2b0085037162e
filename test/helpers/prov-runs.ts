// chat prov, run in this process on chats that each test writes.

import { createClock } from '../../src/world/clock.ts';
import { type RunOptions, runCli } from './run.ts';

/** Documents and drawings tell the time. */
export const clock = { ...createClock(), now: () => new Date('2026-11-30T12:00:00Z') };

/** A chat of one request for each text of a meta. */
export const chat = (...metas: readonly string[]): string =>
  `user:\n\nhi\n\n${metas.map((meta) => `meta: ${meta}\n\nassistant:\n\nok\n\n`).join('')}`;

/** The text of a meta with round counts. */
export const meta = (id: string, more = ''): string =>
  `pt=100 ct=20 tt=120 inference_id=${id}${more}`;

/** `chat prov` with these words. */
export const run = (argv: readonly string[], options: RunOptions = {}) =>
  runCli(['prov', ...argv], { ...options, world: { clock, ...options.world } });
