// Prints the log of a stored job.

import { defineCommand } from '../../src/cli/spec.ts';
import { EXIT } from '../../src/errors.ts';
import { JOB_ARGUMENT } from './literals.ts';

export const command = defineCommand({
  path: ['task', 'log'],
  summary: 'Print the log of a stored job',
  arguments: [JOB_ARGUMENT],
  options: [{ long: 'follow', short: 'f', summary: 'Go on as the log grows, until the job ends' }],
  details: [
    'The log holds what the task wrote to it, standard error of commands and of Python, and the whole of an error. When a job was computed more than once, the tries stand one after the other.',
  ],
  examples: [
    { command: 'chat task log Words/count/Default', does: 'Prints what the task said.' },
    { command: 'chat task log --follow Words/count/Default', does: 'Waits for more.' },
  ],
  seeAlso: ['chat-task-info(1)', 'chat-task-run(1)'],
  async run(call, world) {
    const { openTaskStore } = await import('../../src/task/open.ts');
    const { printLog } = await import('../../src/task/log.ts');
    const store = await openTaskStore(world);
    const place = await store.find(call.arguments[0] ?? '');
    if (!(await printLog(place, call.flag('follow'), store, world)))
      world.output.note('this job wrote no log');
    return EXIT.ok;
  },
});
