// Stores of jobs drawn at random, with much in them that is odd or broken. Written to disk, and made to look old.

import {
  lutimesSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';

/** What one job is like; a store repeats a few of them. */
export interface JobShape {
  readonly result: 'file' | 'chat' | 'link' | 'none';
  readonly info: 'plain' | 'broken' | 'failed' | 'link' | 'none';
  /** How far back its dependencies are. */
  readonly back: readonly number[];
  readonly reference: (typeof REFERENCES)[number];
  readonly logs: readonly (readonly [place: (typeof LOGS)[number], chat: Content])[];
}

const REFERENCES = ['whole', 'relative', 'dotted', 'doubled', 'aliased', 'nowhere'] as const;
const LOGS = [
  'agent.chat',
  'log/agent.chat',
  'log/worker/agent.chat',
  'Boss.society/Mia/q/agent.chat',
  'Boss.society/Mia/q/agent.chat.files/agent.society/Ed/q/agent.chat',
  'resets/1/agent.chat',
  '.hidden/agent.chat',
] as const;
const CONTENTS = [
  ...['request', 'anonymous', 'projection', 'receipts', 'older', 'odd', 'long', 'letters'],
  ...['empty', 'binary', 'utf-16', 'lost', 'folder'],
] as const;
type Content = (typeof CONTENTS)[number];

export const jobShape: fc.Arbitrary<JobShape> = fc.record({
  result: fc.constantFrom('file', 'file', 'file', 'chat', 'link', 'none'),
  info: fc.constantFrom('plain', 'plain', 'plain', 'plain', 'broken', 'failed', 'link', 'none'),
  back: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 3 }),
  reference: fc.constantFrom('whole', 'whole', ...REFERENCES),
  logs: fc.uniqueArray(fc.tuple(fc.constantFrom(...LOGS), fc.constantFrom(...CONTENTS)), {
    selector: ([place]) => place,
    minLength: 1,
    maxLength: 3,
  }),
});

/** Writes so many jobs of these shapes, and `root.chat`, which names one in five; the others are what these depend on. */
export function writeStore(folder: string, shapes: readonly JobShape[], count: number): void {
  const place = (number: number) =>
    join(folder, 'var/jobs', ['W', 'V'][number % 2] ?? '', 't', `Default_${number}`);
  const named = Array.from({ length: count / 5 }, (_, index) => place(index * 5));
  put(
    join(folder, 'root.chat'),
    named.map((job) => `meta: job=${job}\n\nassistant: a\n\n`).join(''),
  );
  symlinkSync('var/jobs', join(folder, 'alias'));
  for (let number = 0; number < count; number++) {
    const shape = shapes[number % shapes.length];
    if (shape === undefined) continue;
    const job = place(number);
    const other = place((number + 7) % count);
    if (shape.result === 'link') link(other, job);
    else if (shape.result !== 'none') put(job, contentOf('request', number, other));
    const references = shape.back.map((back) =>
      referenceTo(place((count + number - back) % count), shape.reference, folder),
    );
    const next = number + 1 < count ? [place(number + 1)] : [];
    writeInfo(job, shape, [...next, ...references], other);
    for (const [log, content] of shape.logs)
      writeLog(join(`${job}.files`, log), content, number, other);
  }
  age(folder);
}

function writeInfo(job: string, shape: JobShape, dependencies: readonly string[], other: string) {
  const { info, result } = shape;
  const status = info === 'failed' ? 'error' : 'done';
  const type = result === 'chat' ? 'chat' : 'string';
  if (info === 'link') link(`${other}.info`, `${job}.info`);
  else if (info === 'broken') put(`${job}.info`, '{"status":');
  else if (info !== 'none') put(`${job}.info`, JSON.stringify({ status, type, dependencies }));
}

function referenceTo(job: string, form: JobShape['reference'], folder: string): string {
  const jobs = join(folder, 'var/jobs/');
  const forms = {
    whole: job,
    relative: job.slice(jobs.length),
    dotted: `${dirname(job)}/../t/${job.slice(dirname(job).length + 1)}`,
    doubled: job.replace('/t/', '//t/'),
    aliased: job.replace('/var/jobs/', '/alias/'),
    nowhere: `${job}.gone`,
  };
  return forms[form];
}

function writeLog(file: string, content: Content, number: number, other: string): void {
  if (content === 'lost') link('nowhere.chat', file);
  else if (content === 'folder') mkdirSync(file, { recursive: true });
  else put(file, contentOf(content, number, other));
}

function contentOf(content: Content, number: number, job: string): string | Uint8Array {
  const id = number % 50;
  const counts = { pt: id, ct: 2, tt: id + 2, inference_id: `i${id}` };
  const meta = `user: q\n\nmeta: pt=${id} ct=2 inference_id=i${id} model=m\n\nassistant: a\n\n`;
  const output = (fields: object) =>
    `${meta}function_call: {"name":"ask","id":"c"}\n\nfunction_call_output: ${JSON.stringify({ id: 'c', ...fields })}\n`;
  switch (content) {
    case 'anonymous':
      return `user: q\n\nmeta: pt=${id % 3} ct=1\n\nassistant: a\n`;
    case 'projection':
      return `meta: job=${job}\n\nassistant: a\n`;
    case 'receipts':
      return output({ meta: [counts, { job }, 7] });
    case 'older':
      return output({ agent_meta: [{ role: 'meta', content: `pt=3 ct=1 job=${job}` }] });
    case 'odd':
      return 'user: q\n\nmeta: pt=many ct=-1 inference_id=odd\n\nassistant: a\n\n[[ never closed\n';
    case 'long':
      return `user:\n\n${'word '.repeat(number % 8 === 0 ? 14_000 : 1)}\n\n${meta}`;
    case 'letters':
      return meta.replaceAll('\n', '\r\n').replace('q', 'žluť 🐌');
    case 'empty':
      return '';
    case 'binary':
      return `${meta}\0\n`;
    case 'utf-16':
      return new Uint8Array([0xff, 0xfe, 0x75, 0]);
    default:
      return meta;
  }
}

function put(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true, recursive: true });
  writeFileSync(file, content);
}

function link(target: string, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true, recursive: true });
  symlinkSync(target, file);
}

/** An hour: what changed just now may change again without showing. */
function age(folder: string): void {
  const then = new Date(Date.now() - 3_600_000);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    lutimesSync(join(folder, name), then, then);
  utimesSync(folder, then, then);
}
