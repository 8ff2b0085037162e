// The jobs that were answered with, as resources: what a client may read afterwards, and nothing else of the machine.

import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type {
  BlobResourceContents,
  Resource,
  TextResourceContents,
} from '@modelcontextprotocol/server';
import type { PlannedJob } from '../store/types.ts';
import type { ResultType } from '../workflows/types.ts';
import type { Files } from '../world/types/files.ts';

export interface Made {
  /** Remembers a job that is done. What it is as a resource. */
  keep(job: PlannedJob): Promise<Resource>;
  /** Those that are remembered, the last one first. */
  list(): readonly Resource[];
  /** Undefined for what is not remembered, and for a result that is gone. */
  read(uri: string): Promise<TextResourceContents | BlobResourceContents | undefined>;
}

/** So many are remembered; the ones that were not asked for longest are forgotten first. */
const MOST = 1000;

export function createMade(files: Pick<Files, 'read' | 'readStart' | 'stat'>): Made {
  const known = new Map<string, { readonly job: PlannedJob; readonly resource: Resource }>();
  return {
    async keep(job) {
      const resource = await describe(job, files);
      known.delete(job.path);
      known.set(job.path, { job, resource });
      for (const oldest of known.keys()) {
        if (known.size <= MOST) break;
        known.delete(oldest);
      }
      return resource;
    },
    list: () => [...known.values()].map(({ resource }) => resource).reverse(),
    async read(uri) {
      const found = known.get(pathOf(uri));
      if (found === undefined || (await files.stat(found.job.path))?.kind !== 'file')
        return undefined;
      const { mimeType } = found.resource;
      const head = { uri, ...(mimeType === undefined ? {} : { mimeType }) };
      const bytes = await files.read(found.job.path);
      return found.job.task.result === 'binary'
        ? { ...head, blob: Buffer.from(bytes).toString('base64') }
        : { ...head, text: new TextDecoder().decode(bytes) };
    },
  };
}

const MIME: Readonly<Record<Exclude<ResultType, 'binary'>, string>> = {
  string: 'text/plain',
  text: 'text/plain',
  chat: 'text/plain',
  integer: 'application/json',
  float: 'application/json',
  boolean: 'application/json',
  array: 'application/json',
  json: 'application/json',
  tsv: 'text/tab-separated-values',
  yaml: 'application/yaml',
};

async function describe(
  job: PlannedJob,
  files: Pick<Files, 'readStart' | 'stat'>,
): Promise<Resource> {
  const { task } = job;
  const size = (await files.stat(job.path))?.size;
  return {
    uri: pathToFileURL(job.path).href,
    name: `${task.workflow}/${task.name}/${path.basename(job.path)}`,
    mimeType: task.result === 'binary' ? await sniff(job.path, files) : MIME[task.result],
    ...(task.description === '' ? {} : { description: task.description }),
    ...(size === undefined ? {} : { size }),
  };
}

/** What tells most kinds of files apart stands in their first bytes. */
const HEAD = 4100;

async function sniff(place: string, files: Pick<Files, 'readStart'>): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type');
  return (
    (await fileTypeFromBuffer(await files.readStart(place, HEAD)))?.mime ??
    'application/octet-stream'
  );
}

function pathOf(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    return '';
  }
}
