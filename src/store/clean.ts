// Takes a job out of the store: its result, its `.info`, its artifacts. The next request computes it again.

import * as path from 'node:path';
import { workFailure } from '../errors.ts';
import type { Files } from '../world/types/files.ts';
import type { Locks } from '../world/types/locks.ts';
import { filesFolder } from './context.ts';
import { relocate } from './folders.ts';
import { dependenciesOf } from './info.ts';
import { readJob } from './job.ts';
import { removeHalfWritten } from './leftovers.ts';

export interface CleanPorts {
  readonly files: Files;
  readonly locks: Locks;
}

export interface CleanOptions {
  /** With the jobs it depends on, and those they depend on. */
  readonly dependencies?: boolean;
  /** The folders of jobs: nothing outside of them is cleaned along. */
  readonly folders: readonly string[];
}

/**
 * Removes the job, and says what was removed. Rejects with a work Failure, before anything is removed, when one of the jobs is being
 * computed.
 */
export async function cleanJob(
  place: string,
  ports: CleanPorts,
  options: CleanOptions,
): Promise<readonly string[]> {
  const places =
    options.dependencies === true ? await withDependencies(place, ports, options) : [place];
  for (const each of places) await refuseRunning(each, ports);
  for (const each of places) await remove(each, ports);
  return places;
}

async function withDependencies(
  place: string,
  ports: CleanPorts,
  { folders }: CleanOptions,
): Promise<readonly string[]> {
  const found = new Set([place]);
  for (const each of found) {
    const { info } = await readJob(each, ports);
    for (const reference of dependenciesOf(info)) {
      const below = await relocate(reference, each, folders, ports.files);
      if (folders.some((folder) => isPlaceIn(folder, below))) found.add(below);
    }
  }
  return [...found];
}

/** What an `.info` names is text that anybody may have written: only the place of a job, three names below a folder of jobs, is followed. */
function isPlaceIn(folder: string, place: string): boolean {
  const parts = path.relative(folder, place).split(path.sep);
  return parts.length === 3 && parts.every((part) => part !== '..' && part !== '');
}

async function refuseRunning(place: string, ports: CleanPorts): Promise<void> {
  const holder = await ports.locks.holder(place);
  const { status, info } = await readJob(place, ports);
  if (holder === undefined && status !== 'running' && status !== 'streaming') return;
  const who = holder ?? `process ${info.pid} on ${info.pid_hostname}`;
  throw workFailure('job-running', `"${place}" is being computed by ${who}`, {
    next: 'stop that process first, or wait for it',
  });
}

/** The result goes first: what is left then is a job that is not done. */
async function remove(place: string, { files, locks }: CleanPorts): Promise<void> {
  const lock = await locks.hold(place);
  try {
    await removeResult(place, files);
    await files.removeFolder(filesFolder(place));
    await removeHalfWritten(place, files);
    await files.remove(`${place}.info`);
  } finally {
    await lock.release();
  }
}

async function removeResult(place: string, files: Files): Promise<void> {
  const stat = await files.stat(place);
  await (stat?.kind === 'directory' ? files.removeFolder(place) : files.remove(place));
}
