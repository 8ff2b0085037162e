// Lists workflows and their tasks: where they are, what they take.

import { defineCommand } from '../../src/cli/spec.ts';
import { EXIT } from '../../src/errors.ts';

export const command = defineCommand({
  path: ['task', 'list'],
  summary: 'List workflows and their tasks, with the inputs they take',
  arguments: [
    {
      name: 'workflow',
      summary: 'Only this one: its name, or its path',
      complete: 'workflow',
    },
  ],
  options: [{ long: 'json', summary: 'Print JSON' }],
  details: [
    'Workflows are looked for in the workflows folders of the working directory, of your own folder and of the package. One that is broken is told on standard error and hides nothing else; the exit status is then 3 when it was asked for by name.',
    'Loading a workflow in TypeScript or JavaScript runs what stands in its file outside of its tasks, as every import does, with all that you may do: look into a folder of strangers before you list the workflows in it. YAML and Python files are read, not run. A list without a name waits 10 seconds for a file that does not come to its end.',
    'Without a name each task has one line; with a name its inputs follow, with their types and defaults.',
  ],
  examples: [
    { command: 'chat task list', does: 'Shows every workflow.' },
    { command: 'chat task list Words', does: 'Shows the tasks of one, with their inputs.' },
  ],
  seeAlso: ['chat-task-run(1)'],
  async run(call, world) {
    const { listTasks } = await import('../../src/task/listing.ts');
    await listTasks(call.arguments[0], call.flag('json'), world);
    return EXIT.ok;
  },
});
