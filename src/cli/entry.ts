// Joins the real world and the command line: the only place of the command line that touches the process.

import { EXIT } from '../errors.ts';
import { nodeWorld } from '../world/node.ts';
import { divertStrayOutput } from '../world/stray-output.ts';
import { main } from './main.ts';

/** Runs the command line of this process. `agent` and `prov` are short for `chat agent` and `chat prov`. */
export async function run(name: 'chat' | 'agent' | 'prov'): Promise<void> {
  withoutNoise();
  divertStrayOutput();
  const argv = process.argv.slice(2);
  // Counts when nothing is left that goes on and the command has not come to its end.
  process.exitCode = EXIT.work;
  process.exitCode = await main(name === 'chat' ? argv : [name, ...argv], nodeWorld());
  // All is done and written. What still lives is code of others that did not listen, or output that nobody reads: neither is waited for.
  setTimeout(() => process.exit(), LINGER).unref();
}

/** How long what has to end may take to end by itself, in milliseconds. */
const LINGER = 2000;

/** What some versions of Node call an experiment whenever it is loaded: their SQLite, and JSON that the embedded model's runtime imports. Here it works in all of them. */
const EXPERIMENTS = /^(?:SQLite is|Importing JSON modules is) an experimental/;

function withoutNoise(): void {
  const emit = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: readonly unknown[]) => {
    if (!EXPERIMENTS.test(String(warning))) Reflect.apply(emit, process, [warning, ...rest]);
  };
}
