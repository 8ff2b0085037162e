// Prints the status of a stored job, as one word.

import { defineCommand } from '../../src/cli/spec.ts';
import { EXIT } from '../../src/errors.ts';
import { JOB_ARGUMENT } from './literals.ts';

export const command = defineCommand({
  path: ['task', 'status'],
  summary: 'Print the status of a stored job',
  arguments: [JOB_ARGUMENT],
  options: [],
  details: [
    'One word: waiting, setup, running, streaming, done, error or aborted. It is what is true now, as "chat task info" tells it at length. The exit status is 0 for every job that there is.',
  ],
  examples: [
    { command: 'chat task status Words/count/Default', does: 'Prints, for instance, done.' },
    {
      command: 'chat task status var/jobs/Words/count/Default',
      does: 'The same job, named by its path.',
    },
  ],
  seeAlso: ['chat-task-info(1)', 'chat-task-run(1)'],
  async run(call, world) {
    const { openTaskStore } = await import('../../src/task/open.ts');
    const store = await openTaskStore(world);
    const job = await store.readJob(await store.find(call.arguments[0] ?? ''));
    await world.output.write(`${job.status}\n`);
    return EXIT.ok;
  },
});
