// Asks an agent: a question from the command line, or a chat file that is continued in its name.

import { defineCommand } from '../../src/cli/spec.ts';
import { askOptions, runAsk } from '../chat/ask-options.ts';

export const command = defineCommand({
  path: ['agent', 'ask'],
  summary: 'Ask in the name of an agent, or continue a chat file in its name',
  arguments: [
    {
      name: 'agent',
      required: true,
      summary: 'Name of the agent, or the path of its folder',
      complete: 'agent',
    },
    {
      name: 'question-or-file',
      summary: 'A chat file (it exists, or ends in .chat), or the question as chat text',
      complete: 'file',
    },
    { name: 'question', summary: 'A question that is added to the chat file first' },
  ],
  options: askOptions,
  details: [
    'An agent is a start chat with tools and options, kept in a folder (chat-agents(5)). Its start chat goes before what is asked, its tasks are tools, and what it says about endpoint, model and options counts unless the chat or the command line says something else. Everything else is as in chat-ask(1).',
    "With a chat file the new messages are appended to it. The agent's own full chat, start chat first, is kept in FILE.files/AGENT.chat, and the chats of those it delegated to below FILE.files/AGENT.society. Without a file nothing is kept.",
    'Asking the same file again goes on from there, also with the conversations that the agent had with other agents. --max-tokens and --max-cost count what those use, too.',
  ],
  examples: [
    {
      command: 'chat agent ask Researcher "What folds proteins?"',
      does: 'Asks one question; nothing is saved.',
    },
    {
      command: 'chat agent ask Manager -c plan.chat "Plan the next release."',
      does: 'Adds the question to a chat file and answers it there, in the name of the agent.',
    },
  ],
  seeAlso: ['chat-ask(1)', 'chat-agents(5)', 'chat-agent-list(1)'],
  run: (call, world) => {
    const [agent = '', ...words] = call.arguments;
    return runAsk(call, words, world, agent);
  },
});
