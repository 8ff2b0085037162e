// The numbers of progress: they grow, and count jobs of a graph.

import { expect, test } from 'vitest';
import { type ProgressNote, tellProgress } from '../../src/serve/progress.ts';
import type { JobEvent, PlannedJob } from '../../src/store/types.ts';
import { makeTask } from '../helpers/tasks.ts';

function planned(name: string, dependencies: readonly PlannedJob[] = []): PlannedJob {
  return {
    task: makeTask(name),
    inputs: {},
    changed: [],
    digest: '',
    name,
    path: `/jobs/${name}`,
    dependencies: dependencies.map((job) => ({ name: job.name, job })),
  };
}

/** Each event comes a second after the one before it. */
function told(job: PlannedJob, events: readonly JobEvent[]): readonly ProgressNote[] {
  const notes: ProgressNote[] = [];
  let now = 0;
  const teller = tellProgress(job, (note) => notes.push(note), {
    monotonic: () => {
      now += 1000;
      return now;
    },
  });
  for (const event of events) teller.onEvent(event);
  teller.end();
  return notes;
}

const at = (job: PlannedJob, done: number, total?: number): JobEvent => ({
  kind: 'progress',
  job,
  progress: { done, ...(total === undefined ? {} : { total }) },
});
const begins = (job: PlannedJob): JobEvent => ({ kind: 'start', job });
const ends = (job: PlannedJob): JobEvent => ({ kind: 'end', job, status: 'done' });

const one = planned('one');
const other = planned('other');
const both = planned('both', [one, planned('middle', [other])]);

const ROWS: readonly {
  readonly name: string;
  readonly job: PlannedJob;
  readonly events: readonly JobEvent[];
  readonly numbers: readonly (readonly [number, number | undefined])[];
}[] = [
  {
    name: 'a job alone tells its own numbers',
    job: one,
    events: [begins(one), at(one, 1, 4), at(one, 3, 4)],
    numbers: [
      [0, undefined],
      [1, 4],
      [3, 4],
    ],
  },
  {
    name: 'a job without a total has none',
    job: one,
    events: [at(one, 5), at(one, 9)],
    numbers: [
      [5, undefined],
      [9, undefined],
    ],
  },
  {
    name: 'jobs of a graph are counted, those that run by their part',
    job: both,
    events: [begins(one), at(one, 1, 2), ends(one), begins(both), at(both, 3, 4)],
    numbers: [
      [0, 4],
      [0.5, 4],
      [1, 4],
      [3, 4],
      [3.75, 4],
    ],
  },
  {
    name: 'numbers that make no sense count for nothing',
    job: one,
    events: [at(one, Number.NaN), at(one, -1, 3), at(one, 1, 0)],
    numbers: [
      [0, undefined],
      [0, undefined],
      [0, undefined],
    ],
  },
  {
    name: 'numbers never fall, and what is past the total has none',
    job: one,
    events: [at(one, 3, 3), at(one, 1, 3), at(one, 4, 3)],
    numbers: [
      [3, 3],
      [3, undefined],
      [4, undefined],
    ],
  },
];

for (const { name, job, events, numbers } of ROWS)
  test(name, () => {
    const notes = told(job, events);
    expect(notes.map(({ progress, total }) => [Math.round(progress * 100) / 100, total])).toEqual(
      numbers,
    );
    for (const [index, { progress }] of notes.entries())
      if (index > 0) expect(progress).toBeGreaterThan(notes[index - 1]?.progress ?? 0);
  });

test('what comes fast is told together, and a silence is broken', async () => {
  const notes: ProgressNote[] = [];
  let now = 0;
  const teller = tellProgress(one, (note) => notes.push(note), { monotonic: () => now });
  for (let done = 1; done <= 1000; done++) teller.onEvent(at(one, done, 1000));
  expect(notes.map(({ progress }) => progress)).toEqual([1]);
  const next = async (count: number) => {
    while (notes.length < count) await new Promise((resolve) => setTimeout(resolve, 10));
    return notes[count - 1];
  };
  expect(await next(2)).toEqual({ progress: 1000, total: 1000, message: 'Test/one: 1000 of 1000' });
  now = 20_000;
  expect(await next(3)).toMatchObject({ message: 'Test/one: 20 s' });
  teller.end();
});
