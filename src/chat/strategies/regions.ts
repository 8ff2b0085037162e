// Where the boundaries of the strategies with epochs stand for a number of calls. Numbers only.

import type { Thresholds } from './thresholds.ts';

/** Calls are counted from 1, the oldest. Those behind the pinned total and the `epoch_full` before it are whole. */
export interface Regions {
  /** From 0. */
  readonly epoch: number;
  /** Calls from the start of this epoch to the next move, as far as known now. */
  readonly epochSize: number;
  readonly pinnedTotal: number;
  readonly full: number;
  readonly compacted: number;
  readonly dropped: number;
}

/** Every epoch has the same size. Undefined: there are too few calls for one. */
export function evenRegions(total: number, limits: Thresholds): Regions | undefined {
  const over = total - limits.epoch_threshold;
  if (over <= 0) return undefined;
  const size = Math.max(1, limits.epoch_size);
  const epoch = Math.floor((over - 1) / size);
  const pinnedTotal = limits.epoch_threshold + epoch * size;
  return regions(total, { epoch, epochSize: size, pinnedTotal }, limits.epoch_compacted, limits);
}

/**
 * Epochs grow with their number, and by one step more for each that had a repeated call. How much is shortened is settled when an epoch
 * starts: a repeat makes the epoch longer and moves nothing in it.
 */
export function growingRegions(
  total: number,
  isRepeat: (call: number) => boolean,
  limits: Thresholds,
): Regions | undefined {
  if (total <= limits.epoch_threshold) return undefined;
  const size = Math.max(1, limits.epoch_size);
  const largest = Math.max(size, limits.epoch_size_max);
  const step = limits.epoch_growth;
  let pinnedTotal = limits.epoch_threshold;
  let grown = 0;
  for (let epoch = 0; ; epoch++) {
    const steps = grown + Math.floor(epoch / Math.max(1, limits.epoch_growth_every));
    const nominal = Math.min(largest, size + step * steps);
    const isRepeated = anyOf(pinnedTotal + 1, Math.min(pinnedTotal + nominal, total), isRepeat);
    const epochSize = Math.min(largest, nominal + (isRepeated ? step : 0));
    if (total <= pinnedTotal + epochSize) {
      const window = limits.epoch_compacted + limits.epoch_compacted_growth * (nominal - size);
      const most = Math.max(limits.epoch_compacted, limits.epoch_compacted_max);
      return regions(total, { epoch, epochSize, pinnedTotal }, Math.min(most, window), limits);
    }
    pinnedTotal += epochSize;
    if (isRepeated) grown += 1;
  }
}

function anyOf(first: number, last: number, test: (call: number) => boolean): boolean {
  for (let call = first; call <= last; call++) if (test(call)) return true;
  return false;
}

function regions(
  total: number,
  epoch: Pick<Regions, 'epoch' | 'epochSize' | 'pinnedTotal'>,
  window: number,
  { epoch_full }: Thresholds,
): Regions {
  const full = Math.min(total, total - epoch.pinnedTotal + epoch_full);
  const compacted = Math.min(window, total - full);
  return { ...epoch, full, compacted, dropped: total - full - compacted };
}
