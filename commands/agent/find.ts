// Shows one agent: where it is, what it is told, what it may use.

import { defineCommand } from '../../src/cli/spec.ts';
import { EXIT } from '../../src/errors.ts';

export const command = defineCommand({
  path: ['agent', 'find'],
  summary: 'Show where an agent is and what it is made of',
  arguments: [
    {
      name: 'agent',
      required: true,
      summary: 'Name of the agent, or the path of its folder',
      complete: 'agent',
    },
  ],
  options: [{ long: 'json', summary: 'Print JSON' }],
  details: [
    'The first line is the folder. The start chat is read and the workflow is loaded, so what is wrong with either is told; the exit status is then 3. Nothing is asked and no task is run; but loading a workflow in TypeScript or JavaScript runs its file, as every import does.',
  ],
  examples: [
    { command: 'chat agent find Researcher', does: 'Shows the folder, the tools and the tasks.' },
    {
      command: 'chat agent find ./Agent/Critic --json',
      does: 'Shows the agent in a folder as JSON.',
    },
  ],
  seeAlso: ['chat-agent-list(1)', 'chat-agents(5)'],
  async run(call, world) {
    const [name = ''] = call.arguments;
    const { showAgent } = await import('../../src/agents/listing.ts');
    await showAgent(name, { json: call.flag('json'), quiet: call.flag('quiet') }, world);
    return EXIT.ok;
  },
});
