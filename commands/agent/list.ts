// Lists agents: their names and where they are.

import { defineCommand } from '../../src/cli/spec.ts';
import { EXIT } from '../../src/errors.ts';

export const command = defineCommand({
  path: ['agent', 'list'],
  summary: 'List the agents, and where they are',
  arguments: [],
  options: [{ long: 'json', summary: 'Print JSON' }],
  details: [
    'Agents are folders with a file start_chat in workflows, Agent, var/Agent, chats/Agent and chats of the working directory, of your own folder and of the package. Of two with the same name the one that is found first is shown. Nothing is loaded: an agent that is listed may still be broken, which "chat agent find" tells.',
  ],
  examples: [
    { command: 'chat agent list', does: 'Shows every agent.' },
    { command: 'chat agent list --json | jq -r ".[].name"', does: 'Prints the names alone.' },
  ],
  seeAlso: ['chat-agent-find(1)', 'chat-agents(5)'],
  async run(call, world) {
    const { showAgents } = await import('../../src/agents/listing.ts');
    await showAgents(call.flag('json'), world);
    return EXIT.ok;
  },
});
