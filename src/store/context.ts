// What a running task may use: its dependencies, its folder for artifacts, its log, and the way to say how far it is.

import * as path from 'node:path';
import { workFailure } from '../errors.ts';
import type { JobContext } from '../workflows/types.ts';
import type { Files } from '../world/types/files.ts';
import { loadResult } from './job.ts';
import type { JobProgress, PlannedJob } from './types.ts';

export interface ContextPorts {
  readonly files: Files;
  readonly signal: AbortSignal;
  /** Results that are not in the store, by the name of the dependency. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly onProgress: (progress: JobProgress) => void;
  readonly onLog: (text: string) => void;
}

/** Folder of a job's artifacts. */
export const filesFolder = (place: string): string => `${place}.files`;

/** The log of a job, among its artifacts. */
export const logFile = (place: string): string => path.join(filesFolder(place), 'job.log');

/** Where a dependent finds the result of a job that is not in the store. */
export const passedFile = (place: string, name: string): string =>
  path.join(filesFolder(place), 'dependencies', name);

export function createContext(job: PlannedJob, ports: ContextPorts): JobContext {
  const loaded = new Map<string, Promise<unknown>>();
  const find = (name: string): PlannedJob => {
    const found = job.dependencies.find((dependency) => dependency.name === name)?.job;
    if (found !== undefined) return found;
    const names = job.dependencies.map((dependency) => dependency.name);
    throw workFailure('no-such-dependency', `${job.task.name} has no dependency "${name}"`, {
      next: names.length === 0 ? 'it has none' : `its dependencies: ${names.join(', ')}`,
    });
  };
  return {
    path: job.path,
    name: job.name,
    signal: ports.signal,
    async dep(name) {
      const { path: place, task } = find(name);
      if (ports.values.has(name)) return ports.values.get(name);
      const load = () => loadResult({ path: place, type: task.result }, ports.files);
      const value = loaded.get(name) ?? load();
      loaded.set(name, value);
      return value;
    },
    depPath(name) {
      const { path: place } = find(name);
      return ports.values.has(name) ? passedFile(job.path, name) : place;
    },
    files(name) {
      const folder = filesFolder(job.path);
      const place = name === undefined ? folder : below(folder, name);
      ports.files.makeFolderNow(name === undefined ? folder : path.dirname(place));
      return place;
    },
    progress(done, total, message) {
      ports.onProgress({
        done,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      });
    },
    log: ports.onLog,
  };
}

function below(folder: string, name: string): string {
  const place = path.resolve(folder, name);
  const relative = path.relative(folder, place);
  const inside = relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`);
  if (inside && !path.isAbsolute(relative) && !name.includes('\0')) return place;
  throw workFailure(
    'bad-artifact-name',
    `"${name}" leads out of the folder of the job's artifacts`,
    {
      next: 'use a name without ".." and without a slash at its start',
    },
  );
}
