// Keeps the times of lock files fresh, so that other hosts see that their holder lives. Where other hosts can be there at all, a thread
// does it: a task that keeps the processor busy for minutes would silence a timer.

import * as fs from 'node:fs';
import type { Worker } from 'node:worker_threads';

/** Milliseconds between two beats. */
export const HEARTBEAT = 10_000;

/** File systems that several machines share, by the number that the kernel has for them. */
const SHARED: ReadonlySet<number> = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xfe534d42, // SMB 2
  0xff534d42, // CIFS
  0x65735546, // FUSE
  0x01021997, // 9p
  0x0bd00bd0, // Lustre
  0x47504653, // GPFS
  0x00c36400, // Ceph
  0x5346414f, // AFS
  0x7461636f, // OCFS2
  0x01161970, // GFS2
  0x19830326, // BeeGFS
]);

/** Whether another machine may look at files there. What cannot be told counts as shared by nobody. */
export function isShared(folder: string): boolean {
  try {
    return SHARED.has(fs.statfsSync(folder).type >>> 0);
  } catch {
    return false;
  }
}

/** Beats until the returned function is called. `steady`: also while this thread is busy, which costs a thread. */
export function beat(file: string, steady: boolean, interval = HEARTBEAT): () => void {
  if (steady) return beatInThread(file, interval);
  const timer = setInterval(() => touch(file), interval);
  timer.unref();
  return () => clearInterval(timer);
}

function touch(file: string): void {
  try {
    if (rewriteFirstByte(file)) return;
    // Nothing is in it, or nothing can be written on a full disk: our own time has to do.
    const now = new Date();
    fs.utimesSync(file, now, now);
  } catch {
    // The next beat tries again; a lost lock is noticed at its release.
  }
}

/** So the time is the file system's, which every machine sees, and not that of this machine, whose clock may be wrong. */
function rewriteFirstByte(file: string): boolean {
  const descriptor = fs.openSync(file, 'r+');
  try {
    const byte = Buffer.alloc(1);
    if (fs.readSync(descriptor, byte, 0, 1, 0) === 0) return false;
    fs.writeSync(descriptor, byte, 0, 1, 0);
    return true;
  } catch {
    return false;
  } finally {
    fs.closeSync(descriptor);
  }
}

let thread: Worker | undefined;

function beatInThread(file: string, interval: number): () => void {
  thread ??= startThread();
  thread.postMessage({ file, interval });
  return () => thread?.postMessage({ file });
}

/** One for all locks; it ends with the process, however that ends. */
function startThread(): Worker {
  // Loaded where it is needed, at once: every lock imports this file, and few need a thread.
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const worker = new Worker(PROGRAM, { eval: true });
  worker.unref();
  return worker;
}

/** No module of its own: the bundled program has no file for it. Touches as above. */
const PROGRAM = `
const fs = require('node:fs');
const timers = new Map();
const rewrite = (file) => {
  const descriptor = fs.openSync(file, 'r+');
  try {
    const byte = Buffer.alloc(1);
    if (fs.readSync(descriptor, byte, 0, 1, 0) === 0) return false;
    fs.writeSync(descriptor, byte, 0, 1, 0);
    return true;
  } catch { return false; } finally { fs.closeSync(descriptor); }
};
const touch = (file) => {
  try {
    if (rewrite(file)) return;
    const now = new Date();
    fs.utimesSync(file, now, now);
  } catch {}
};
require('node:worker_threads').parentPort.on('message', ({ file, interval }) => {
  clearInterval(timers.get(file));
  timers.delete(file);
  if (interval !== undefined) timers.set(file, setInterval(touch, interval, file));
});
`;
