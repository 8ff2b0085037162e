// The processes of this machine that run now: number, parent, group. Reads only.

import { execFile } from 'node:child_process';
import * as fs from 'node:fs';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Tells a number that was given again from the process that was meant. */
  readonly started: string;
}

/** Those that have ended and wait for their parent to ask are left out. Empty where it cannot be told. */
export async function processTable(): Promise<readonly ProcessRow[]> {
  return readProcessTable() ?? (await askPs());
}

/** The same at once, where the system tells it in files (many small Linux systems have no `ps`); else undefined. */
export function readProcessTable(): readonly ProcessRow[] | undefined {
  try {
    const names = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return names.length === 0 ? undefined : names.flatMap((name) => readStat(name) ?? []);
  } catch {
    return undefined;
  }
}

/** Numbers of the processes that began with this `NAME=value` in their environment, where the system tells it in files; else none. */
export function processesWith(entry: string): readonly number[] {
  try {
    const names = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return names.filter((name) => environmentOf(name).includes(entry)).map(Number);
  } catch {
    return [];
  }
}

function environmentOf(pid: string): readonly string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    // It ended, or is somebody else's.
    return [];
  }
}

/** Fields are counted behind the name of the program, which may hold anything. */
function readStat(pid: string): ProcessRow | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return row([pid, fields[1], fields[2], fields[0], fields[19]]);
  } catch {
    // It ended while the table was read.
    return undefined;
  }
}

function askPs(): Promise<readonly ProcessRow[]> {
  const args = ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='];
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  return new Promise((resolve) => {
    execFile('ps', args, { env, maxBuffer: 1 << 26 }, (_, text) => {
      const lines = text
        .split('\n')
        .map((line) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line));
      resolve(lines.flatMap((fields) => (fields === null ? [] : (row(fields.slice(1)) ?? []))));
    });
  });
}

function row(fields: readonly (string | undefined)[]): ProcessRow | undefined {
  const [pid, parent, group, state = '', started = ''] = fields;
  if (/^[ZX]/.test(state)) return undefined;
  return { pid: Number(pid), parent: Number(parent), group: Number(group), started };
}
