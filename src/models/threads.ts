// How many threads a model may use. Too many is far worse than too few: they wait for each other by spinning.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/**
 * One less than the processors that this process may use: with every processor taken, a single busy neighbour makes generation a
 * hundred times slower. `mathCores` are those that are good at arithmetic.
 */
export function defaultThreads(mathCores: number): number {
  const usable = Math.min(availableParallelism(), mathCores > 0 ? mathCores : Infinity, quota());
  return Math.max(1, Math.floor(usable) - 1);
}

/** Processors that a container may use, by its control group. */
function quota(): number {
  try {
    return parseQuota(readFileSync('/sys/fs/cgroup/cpu.max', 'utf8'));
  } catch {
    return Infinity;
  }
}

/** `200000 100000` are two processors, `max 100000` is no limit. */
export function parseQuota(text: string): number {
  const [share = '', period = ''] = text.trim().split(/\s+/);
  const processors = Number(share) / Number(period);
  return Number.isFinite(processors) && processors > 0 ? processors : Infinity;
}
