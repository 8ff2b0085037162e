// The law of walks: however the evidence is read, it is the same, down to the order of its warnings.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { provenance } from '../../src/prov/collect.ts';
import type { ProvPorts } from '../../src/prov/types/ports.ts';
import { createClock } from '../../src/world/clock.ts';
import { createFiles } from '../../src/world/files.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { countedReader } from '../helpers/log-reader.ts';
import { RUNS } from '../helpers/nasty.ts';
import { provPorts } from '../helpers/prov.ts';
import { jobShape, writeStore } from '../helpers/random-store.ts';

/** As many as a worker is started for. */
const JOBS = 400;

async function found(folder: string, changes: Partial<ProvPorts> = {}, index?: string) {
  const { nodes, edges, hidden, ...rest } = await provenance(
    ['root.chat'],
    provPorts(folder, changes),
    index === undefined
      ? {}
      : { index: { folder: index, files: createFiles(), clock: createClock() } },
  );
  const plain = {
    ...rest,
    roots: rest.roots.length,
    nodes: nodes.map(({ kind, path, facts }) => [kind, path, facts ?? null, hidden.size]),
    edges: edges.map(({ from, to, ...edge }) => [from.path, to.kind, to.path, edge]),
  };
  return JSON.parse(JSON.stringify(plain));
}

/** What is compared is large, and saying how it differs takes far longer than seeing that it does not. */
function expectSame(one: unknown, other: unknown): void {
  if (!isDeepStrictEqual(one, other)) expect(one).toEqual(other);
}

test('a walk finds the same plainly, with a reader beside it that lives or dies, and from the index', {
  timeout: 3_600_000,
}, async () => {
  const met = { reads: 0, changes: 0 };
  const shapes = fc.array(jobShape, { minLength: 3, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(shapes, fc.integer({ min: 0, max: 12 }), async (some, most) => {
      const folder = temporaryFolder();
      const index = temporaryFolder();
      writeStore(folder, some, JOBS);
      const plain = await found(folder);
      const { workers, counts } = countedReader();
      expectSame(await found(folder, { workers }), plain);
      met.reads += counts.answered;
      expectSame(await found(folder, { workers: countedReader(most).workers }), plain);
      expectSame(await found(folder, { workers: countedReader().workers }, index), plain);
      expectSame(await found(folder, {}, index), plain);
      writeFileSync(
        join(folder, 'var/jobs/W/t/Default_0.files/new.chat'),
        'meta: pt=1 ct=1 tt=2 inference_id=new\n\nassistant: a\n',
      );
      const after = await found(folder);
      met.changes += isDeepStrictEqual(after, plain) ? 0 : 1;
      expectSame(await found(folder, { workers: countedReader().workers }, index), after);
    }),
    { numRuns: Math.ceil(RUNS / 500), endOnFailure: true },
  );
  // Or else nothing was compared.
  expect(Math.min(met.reads, met.changes)).toBeGreaterThan(0);
});
