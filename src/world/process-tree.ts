// Ends a child and everything that came from it, also what moved to a group or session of its own. Touches nothing else.

import { errorCode } from '../errors.ts';
import { type ProcessRow, processTable, readProcessTable } from './process-table.ts';

/** How long processes may take to end after TERM before they are killed, and after KILL before they are given up, in milliseconds. */
const GRACE = 3000;
const LAST = 1000;
const POLL = 25;

/**
 * TERM to the groups of the leader and of its descendants, KILL after the grace to what is left and to what appeared
 * meanwhile. Resolves when none of them runs any more. Never rejects. Who left its parents before (a daemon) is not seen.
 * `farewell` is what is tried first: whoever is gone after it needs no signal.
 */
export async function endTree(leader: number, farewell?: () => Promise<unknown>): Promise<void> {
  const before = familyOf([leader], await processTable());
  const groups = groupsOf(leader, before);
  if (farewell !== undefined) {
    await farewell();
    if (!(await isAnyRunning(groups))) return;
  }
  signalAll(groups, 'SIGTERM');
  if (await haveEnded(groups, GRACE)) return;
  const now = await processTable();
  const started = new Map(before.map((row) => [row.pid, row.started]));
  const survivors = now.filter((row) => started.get(row.pid) === row.started);
  const left = groupsOf(leader, familyOf([leader, ...survivors.map(({ pid }) => pid)], now));
  signalAll(left, 'SIGKILL');
  await haveEnded(left, LAST);
}

/** KILL at once and without waiting, for a program that ends now. */
export function killTree(leader: number): void {
  signalAll(groupsOf(leader, familyOf([leader], readProcessTable() ?? [])), 'SIGKILL');
}

/** The given processes, the members of the groups that they lead, and all that descend from those. */
function familyOf(heads: readonly number[], rows: readonly ProcessRow[]): readonly ProcessRow[] {
  const found = new Set<ProcessRow>();
  const add = (row: ProcessRow): void => {
    if (found.has(row)) return;
    found.add(row);
    for (const each of rows) if (each.parent === row.pid) add(each);
  };
  for (const row of rows) if (heads.includes(row.pid) || heads.includes(row.group)) add(row);
  return [...found];
}

function groupsOf(leader: number, family: readonly ProcessRow[]): readonly number[] {
  return [...new Set([leader, ...family.map(({ group }) => group)])];
}

function signalAll(groups: readonly number[], signal: NodeJS.Signals): void {
  for (const group of groups) signalGroup(group, signal);
}

/** Whether there was somebody to signal. 0 and 1 are refused: they would mean this program's own group, or everything. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  if (!Number.isInteger(group) || group <= 1) return false;
  try {
    return process.kill(-group, signal);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

async function haveEnded(groups: readonly number[], milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  for (let wait = POLL; await isAnyRunning(groups); wait = Math.min(2 * wait, 200)) {
    if (performance.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  return true;
}

/** A group whose members have all ended can still be signalled while nobody has asked for their status: the table decides. */
async function isAnyRunning(groups: readonly number[]): Promise<boolean> {
  const signalled = groups.filter((group) => signalGroup(group, 0));
  if (signalled.length === 0) return false;
  return (await processTable()).some(({ group }) => signalled.includes(group));
}
