// Child processes as tests follow them: what they have written so far, how they end, and which of a folder still live.

import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface Heard {
  readonly child: ChildProcess;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves when all that it wrote was read; rejects when it could not be started. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** The child with what it writes to its pipes. */
export function heard(child: ChildProcess): Heard {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended: new Promise((resolve, reject) => {
      child.on('error', reject).on('close', (code, signal) => resolve({ code, signal }));
    }),
  };
}

/** Its end, and all that it wrote. */
export async function outcomeOf(child: ChildProcess) {
  const { stdout, stderr, ended } = heard(child);
  const end = await ended;
  return { ...end, stdout: stdout(), stderr: stderr() };
}

/** Waits for what is to come, and fails when it does not within half a minute or so. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries++) {
    if (tries > 3000) throw new Error('what was waited for did not come');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Command lines of processes that live and were started with this folder as TEST_FOLDER. */
export function living(folder: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environ = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const ended = stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
        return environ.includes(`TEST_FOLDER=${folder}`) && !ended
          ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]
          : [];
      } catch {
        return [];
      }
    });
}
