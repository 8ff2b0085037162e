// Runs one task as a job, with all it depends on, and prints its result.

import { GLOBAL_OPTIONS } from '../../src/cli/globals.ts';
import { type CommandSpec, defineCommand, type OptionSpec } from '../../src/cli/spec.ts';
import { usageFailure } from '../../src/errors.ts';
import { agentHost } from '../chat/open-agent.ts';
import { storeOptions } from './literals.ts';

const options: readonly OptionSpec[] = [
  {
    long: 'input',
    value: 'name=value',
    repeat: true,
    summary: 'Set an input by its name, whatever the name is',
  },
  { long: 'jobname', value: 'name', summary: 'Name the job; without it its name is Default' },
  ...storeOptions(),
  { long: 'path', summary: 'Print the path of the result instead of the result' },
  {
    long: 'deploy',
    value: 'where',
    choices: ['local'],
    summary: 'Where jobs are computed: local, in this process and its children',
  },
];

const taken = [...options, ...GLOBAL_OPTIONS].map(({ long }) => long);

export const command: CommandSpec = defineCommand({
  path: ['task', 'run'],
  summary: 'Run a task of a workflow and print its result',
  arguments: [
    {
      name: 'workflow',
      summary: 'The name of a workflow, or the path of one',
      required: true,
      complete: 'workflow',
    },
    { name: 'task', summary: 'A task of that workflow', required: true },
  ],
  options,
  details: [
    'Each input of the task is an option of its own: "chat task run WORKFLOW TASK --help" shows them. Of an option whose value begins with @ the rest is the name of a file that holds the value (@- is standard input, @@ a real @); for an input that is a path or a file, the path itself is meant. An option that takes a list can be repeated; its value can also be a JSON list, or words with commas. The word nil stands for no value. Options of the task stand after its name.',
    'The same task with the same inputs is the same job: it is computed once and kept, and asked for again it is only read. A failed job keeps its error until "chat task clean", unless the trouble may pass (network, time limit, interruption, a program or a Python package that is not installed, an endpoint, a key or a model that is missing): then it is computed again. Jobs that it depends on are computed first, side by side. Several processes, also on several machines, may share a folder of jobs.',
    'A job is called Default, or as --jobname says; a digest follows when an input, its own or of a job that it depends on, is not at its default. The digest is made from workflow, task, inputs and dependencies, so the same work has the same name on any machine: of an input that is a file the content counts, of one that is a path the path, seen from the folder that var/jobs lies in where it is below that.',
    'Standard output holds the result alone, with a line end added where it has none; for a result of bytes it is the path. Ctrl-C ends the task with every process it started and marks the job as aborted.',
  ],
  examples: [
    { command: 'chat task run Words --help', does: 'Lists the tasks of a workflow.' },
    { command: 'chat task run Words count --help', does: 'Shows what one task takes.' },
    {
      command: 'chat task run Words count --input text=@notes.txt --jobname notes',
      does: 'Runs it on the content of a file.',
    },
  ],
  seeAlso: ['chat-task-list(1)', 'chat-task-info(1)', 'chat-task-log(1)', 'chat-task-clean(1)'],
  async forArguments(argv, world) {
    const { literalFor } = await import('../../src/task/run.ts');
    return literalFor(command, argv, taken, world, agentHost(world));
  },
  async run() {
    // The command line names both, or it was refused: then the literal of that task runs.
    throw usageFailure('missing-argument', 'name a workflow and a task before anything else');
  },
});
