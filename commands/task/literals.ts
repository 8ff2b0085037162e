// Words that several of the task commands take.

import { type ArgumentSpec, type OptionSpec, wholeNumber } from '../../src/cli/spec.ts';

/** A stored job. */
export const JOB_ARGUMENT: ArgumentSpec = {
  name: 'job',
  summary: 'The path of its result, or Workflow/task/name',
  required: true,
  complete: 'path',
};

/** Where jobs go, and how many are computed at a time; `whose` says of which they are counted. */
export const storeOptions = (whose = ''): readonly OptionSpec[] => [
  {
    long: 'jobs',
    value: 'folder',
    complete: 'folder',
    summary: 'Keep new jobs in this folder, not in the first var/jobs found',
  },
  {
    long: 'cpus',
    value: 'count',
    read: wholeNumber('cpus', 1),
    summary: `Compute so many jobs at a time${whose}; default: one for each processor`,
  },
];
