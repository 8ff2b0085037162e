// The children that run now: none may outlive this program, however it ends.

import { killTree } from './process-tree.ts';

const running = new Set<number>();
let isWatched = false;

/** Ends the child and what came from it when this program exits while it runs. */
export function watchChild(pid: number | undefined): void {
  if (pid === undefined) return;
  running.add(pid);
  if (isWatched) return;
  isWatched = true;
  process.on('exit', () => {
    for (const each of running) killTree(each);
  });
}

/** It has ended. */
export function forgetChild(pid: number | undefined): void {
  if (pid !== undefined) running.delete(pid);
}
