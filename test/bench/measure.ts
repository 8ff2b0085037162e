// How things are measured: CPU time of child processes, medians, an environment without what slows every Node process.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Start-up is compared without NODE_EXTRA_CA_CERTS, which costs more than a whole small program. */
export function cleanEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...rest } = process.env;
  return { ...rest, ...extra };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** CPU seconds of all children that have ended, from the kernel's own sum; it shows hundredths, so read it around many runs. */
function childSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/**
 * Mean CPU milliseconds of each command. Commands take turns in blocks, so that a slower minute of the machine meets all of them;
 * of several blocks the median counts.
 */
export function cpuOfCommands(
  commands: readonly (readonly string[])[],
  options: { readonly blocks: number; readonly runs: number; readonly env: NodeJS.ProcessEnv },
): readonly number[] {
  const results = commands.map((): number[] => []);
  for (let block = 0; block < options.blocks; block++) {
    for (const [index, [command = '', ...args]] of commands.entries()) {
      const before = childSeconds();
      for (let run = 0; run < options.runs; run++) {
        const { status, stderr } = spawnSync(command, args, { env: options.env, encoding: 'utf8' });
        if (status !== 0)
          throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
      }
      results[index]?.push(((childSeconds() - before) * 1000) / options.runs);
    }
  }
  return results.map(median);
}
