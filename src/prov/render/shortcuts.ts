// Leaves out of a drawing what its other arrows say already.

import { groupBy } from './grouping.ts';
import type { SelectedArrow, Selection } from './selection.ts';

/**
 * Without the log arrows that lead past a conversation to those that this one had: a job has the whole society of its files as logs,
 * and each conversation in it those below. What a node leads to it still leads to, in more steps.
 */
export function withoutShortcuts(selection: Selection): Selection {
  const logs = selection.arrows.filter(({ name }) => name === 'log');
  const targets = new Map(
    [...groupBy(logs, ({ from }) => from)].map(([from, arrows]) => [
      from,
      new Set(arrows.map(({ to }) => to)),
    ]),
  );
  const left = new Set<SelectedArrow>();
  // One at a time, so that two of them cannot stand for each other; what was found last lies deepest.
  for (const arrow of logs.toSorted((one, other) => other.to.index - one.to.index)) {
    const { from, to } = arrow;
    const others = targets.get(from);
    const leadsOn = [...(others ?? [])].some(
      (between) => between !== from && between !== to && targets.get(between)?.has(to),
    );
    if (!leadsOn) continue;
    left.add(arrow);
    others?.delete(to);
  }
  return { ...selection, arrows: selection.arrows.filter((arrow) => !left.has(arrow)) };
}
