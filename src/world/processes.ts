// Child processes, each in a group of its own that is ended as a whole.

import { spawn } from 'node:child_process';
import type { Processes, ProcessResult } from './types.ts';

/** How long a group may take to end after TERM before it is killed, in milliseconds. */
const GRACE = 3000;

/** Processes of this machine; `environment` is what a child gets when the call says nothing else. */
export function createProcesses(environment: NodeJS.ProcessEnv): Processes {
  return {
    run: (command, args, options = {}) =>
      new Promise<ProcessResult>((resolve, reject) => {
        if (options.signal?.aborted) return reject(options.signal.reason);
        const child = spawn(command, [...args], {
          cwd: options.cwd,
          env: options.env ?? environment,
          detached: true,
          stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
        });
        const collected = { stdout: '', stderr: '' };
        child.stdout?.setEncoding('utf8').on('data', (text: string) => {
          collected.stdout += text;
          options.onStdout?.(text);
        });
        child.stderr?.setEncoding('utf8').on('data', (text: string) => {
          collected.stderr += text;
          options.onStderr?.(text);
        });
        // A child that does not read its input is no trouble of ours.
        child.stdin?.on('error', () => {});
        child.stdin?.end(options.input);
        const stop = () => endGroup(child.pid);
        const timer = options.timeout === undefined ? undefined : setTimeout(stop, options.timeout);
        options.signal?.addEventListener('abort', stop, { once: true });
        const settle = () => {
          clearTimeout(timer);
          options.signal?.removeEventListener('abort', stop);
        };
        child.on('error', (error) => {
          settle();
          reject(error);
        });
        child.on('close', (code, signal) => {
          settle();
          if (options.signal?.aborted) return reject(options.signal.reason);
          resolve({ code, signal, ...collected });
        });
      }),
  };
}

function endGroup(leader: number | undefined): void {
  if (leader === undefined || leader <= 1) return;
  signalGroup(leader, 'SIGTERM');
  setTimeout(() => signalGroup(leader, 'SIGKILL'), GRACE).unref();
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // The group is gone already.
  }
}
