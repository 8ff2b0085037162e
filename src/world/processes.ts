// Child processes, each in a group of its own. When one is stopped, everything that came from it is ended before its call settles.

import { type ChildProcess, spawn } from 'node:child_process';
import { openProcess } from './open-process.ts';
import { endTree } from './process-tree.ts';
import { forgetChild, watchChild } from './running.ts';
import type { Processes, ProcessOptions, ProcessResult } from './types/processes.ts';
import { type Guarded, guard, MARK } from './watchdog.ts';

/** How long the end of the output of stopped processes is waited for, in milliseconds. */
const LAST_WORDS = 500;

/** Processes of this machine; `environment` is what a child gets when the call says nothing else. */
export function createProcesses(environment: NodeJS.ProcessEnv): Processes {
  return {
    run: async (command, args, options = {}) => {
      options.signal?.throwIfAborted();
      const guarded = guard();
      const child = spawn(command, [...args], {
        cwd: options.cwd,
        env: { ...(options.env ?? environment), [MARK]: guarded.mark },
        detached: true,
        stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      });
      guarded.group(child.pid);
      // A child that does not read its input is no trouble of ours.
      child.stdin?.on('error', () => {});
      child.stdin?.end(options.input);
      return settled(child, guarded, collect(child, options), options);
    },
    open: openProcess,
  };
}

type Collected = () => Pick<ProcessResult, 'stdout' | 'stderr'>;

function collect(child: ChildProcess, options: ProcessOptions): Collected {
  let stdout = '';
  let stderr = '';
  if (options.onStdoutBytes !== undefined) child.stdout?.on('data', options.onStdoutBytes);
  else
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      options.onStdout?.(text);
    });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    // Cut only now and then: each cut copies.
    if (stderr.length > 2 * (options.keepStderr ?? Infinity)) stderr = lastOf(stderr, options);
    options.onStderr?.(text);
  });
  return () => ({ stdout, stderr: lastOf(stderr, options) });
}

function lastOf(text: string, { keepStderr = Infinity }: ProcessOptions): string {
  return text.length > keepStderr ? text.slice(-keepStderr) : text;
}

function settled(
  child: ChildProcess,
  guarded: Guarded,
  collected: Collected,
  options: ProcessOptions,
): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    let isStopping = false;
    const closed = new Promise((close) => child.on('close', close));
    const stop = async (settle: () => void) => {
      if (child.pid === undefined || isStopping) return;
      isStopping = true;
      await endTree(child.pid);
      // Its last words and its status still have to arrive; a daemon that left the tree may hold the pipes open for ever.
      await Promise.race([closed, new Promise((late) => setTimeout(late, LAST_WORDS).unref())]);
      child.stdout?.destroy();
      child.stderr?.destroy();
      forget();
      settle();
    };
    const abort = () => stop(() => reject(options.signal?.reason));
    const result = () => ({ code: child.exitCode, signal: child.signalCode, ...collected() });
    const timeOut = () => stop(() => resolve({ ...result(), timedOut: true }));
    const timer = options.timeout === undefined ? undefined : setTimeout(timeOut, options.timeout);
    const forget = () => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
      forgetChild(child.pid);
      guarded.release();
    };
    options.signal?.addEventListener('abort', abort, { once: true });
    watchChild(child.pid);
    child.on('error', (error) => {
      forget();
      reject(error);
    });
    child.on('close', () => {
      if (isStopping) return;
      forget();
      resolve(result());
    });
  });
}
