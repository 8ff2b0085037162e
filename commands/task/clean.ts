// Removes a stored job, so that the next request computes it again.

import { defineCommand } from '../../src/cli/spec.ts';
import { EXIT } from '../../src/errors.ts';
import { JOB_ARGUMENT } from './literals.ts';

export const command = defineCommand({
  path: ['task', 'clean'],
  summary: 'Remove a stored job: its result, its .info, its artifacts',
  arguments: [JOB_ARGUMENT],
  options: [
    { long: 'deps', summary: 'Remove the jobs it depends on, too, and those they depend on' },
  ],
  details: [
    'The next request computes the job again. A job that is being computed is not removed, and then none of the others is. With --deps only jobs in folders of jobs are removed, whatever an .info names.',
  ],
  examples: [
    { command: 'chat task clean Words/count/Default', does: 'Removes one job.' },
    {
      command: 'chat task clean --deps var/jobs/Words/report/Default',
      does: 'Removes a job with everything it was made from.',
    },
  ],
  seeAlso: ['chat-task-info(1)', 'chat-task-run(1)'],
  async run(call, world) {
    const { openTaskStore } = await import('../../src/task/open.ts');
    const { neutralise } = await import('../../src/terminal/neutralise.ts');
    const store = await openTaskStore(world);
    const place = await store.find(call.arguments[0] ?? '');
    const removed = await store.clean(place, { dependencies: call.flag('deps') });
    for (const each of removed) world.output.note(`removed ${neutralise(each)}`);
    return EXIT.ok;
  },
});
