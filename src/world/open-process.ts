// Programs that run beside this one and are talked to over their standard input and output.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { processesWith } from './process-table.ts';
import { endTree } from './process-tree.ts';
import { forgetChild, watchChild } from './running.ts';
import type { OpenOptions, OpenProcess } from './types/processes.ts';
import { guard, MARK } from './watchdog.ts';

/** How long the end of the output of a program that has ended is waited for, in milliseconds. */
const LAST_WORDS = 500;

/** As `Processes.open` says. */
export async function openProcess(
  command: string,
  args: readonly string[],
  { cwd, env, onStdout, onStderr }: OpenOptions,
): Promise<OpenProcess> {
  const guarded = guard();
  const child = spawn(command, [...args], {
    cwd,
    env: { ...env, [MARK]: guarded.mark },
    detached: true,
    stdio: 'pipe',
  });
  guarded.group(child.pid);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.stdout.on('data', onStdout);
  child.stderr.setEncoding('utf8').on('data', onStderr);
  // What it does not take is told by each write.
  child.stdin.on('error', () => {});
  await once(child, 'spawn').catch((error: unknown) => {
    guarded.release();
    throw error;
  });
  const { pid = 0 } = child;
  watchChild(pid);
  // Whoever has closed its output says nothing more, whether it runs on or not.
  const silent = new Promise<void>((resolve) => child.stdout.once('end', resolve));
  const ended = Promise.race([
    exited.then(() => Promise.race([closed, waited(LAST_WORDS)])),
    silent.then(() => waited(LAST_WORDS)),
  ]).then(() => ({ code: child.exitCode, signal: child.signalCode }));
  let closing: Promise<void> | undefined;
  const close = async (patience: number) => {
    await endTree(pid, () => {
      child.stdin.end();
      return Promise.race([exited, waited(patience)]);
    });
    // What has lost its parents: of a program that ended by itself, or that moved away.
    await Promise.all(processesWith(`${MARK}=${guarded.mark}`).map((each) => endTree(each)));
    // What cannot be found may hold the pipes open for ever.
    await Promise.race([closed, waited(LAST_WORDS)]);
    child.stdout.destroy();
    child.stderr.destroy();
    forgetChild(pid);
    guarded.release();
  };
  return {
    pid,
    ended,
    write: (text) =>
      new Promise((resolve, reject) => {
        child.stdin.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    close(patience) {
      closing ??= close(patience);
      return closing;
    },
  };
}

const waited = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
