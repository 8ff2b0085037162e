// Shows what is known of a stored job. Runs nothing, changes nothing.

import { defineCommand } from '../../src/cli/spec.ts';
import { EXIT } from '../../src/errors.ts';
import { JOB_ARGUMENT } from './literals.ts';

export const command = defineCommand({
  path: ['task', 'info'],
  summary: 'Show a stored job: status, inputs, what it needs, what it left',
  arguments: [JOB_ARGUMENT],
  options: [{ long: 'json', summary: 'Print JSON, with the whole .info' }],
  details: [
    'The status is what is true now: a job is done when its result is there, running when a live process has it; a job whose process was killed is aborted, whatever its .info says. An .info that cannot be read is told and does no harm.',
  ],
  examples: [
    { command: 'chat task info var/jobs/Words/count/Default', does: 'Shows one job.' },
    {
      command: 'chat task info Words/count/Default --json | jq .inputs',
      does: 'Prints its inputs.',
    },
  ],
  seeAlso: ['chat-task-status(1)', 'chat-task-log(1)', 'chat-task-run(1)'],
  async run(call, world) {
    const { openTaskStore } = await import('../../src/task/open.ts');
    const { jobJson, jobLines, viewJob } = await import('../../src/task/show.ts');
    const { harmlessJson, neutralise } = await import('../../src/terminal/neutralise.ts');
    const store = await openTaskStore(world);
    const view = await viewJob(await store.find(call.arguments[0] ?? ''), store, world.files);
    const lines = jobLines(view).map(([name, value]) => `${name.padEnd(9)} ${neutralise(value)}\n`);
    await world.output.write(
      call.flag('json') ? `${harmlessJson(jobJson(view), 2)}\n` : lines.join(''),
    );
    return EXIT.ok;
  },
});
