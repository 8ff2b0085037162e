// The table of commands. A command's module is loaded when it is called, never before.

import type { CommandRow } from '../src/cli/spec.ts';

export const commands: readonly CommandRow[] = [
  {
    path: ['ask'],
    summary: 'Ask a model, or continue a chat file with its answer',
    load: async () => (await import('./chat/ask.ts')).command,
  },
  {
    path: ['print'],
    summary: 'Show a chat file as it is, in one of several forms, or check it',
    load: async () => (await import('./chat/print.ts')).command,
  },
  {
    path: ['compile'],
    summary: 'Show a compiled chat, its prompt, or the exact request',
    load: async () => (await import('./chat/compile.ts')).command,
  },
  {
    path: ['endpoint', 'list'],
    summary: 'List the endpoints, and which one would be used and why',
    load: async () => (await import('./endpoint/list.ts')).command,
  },
  {
    path: ['endpoint', 'test'],
    summary: 'Ask an endpoint for one word',
    load: async () => (await import('./endpoint/test.ts')).command,
  },
  {
    path: ['model', 'list'],
    summary: 'List the embedded models, or the models of an endpoint',
    load: async () => (await import('./model/list.ts')).command,
  },
  {
    path: ['model', 'pull'],
    summary: 'Fetch an embedded model and the runtime that runs it',
    load: async () => (await import('./model/pull.ts')).command,
  },
  {
    path: ['task', 'list'],
    summary: 'List workflows and their tasks, with the inputs they take',
    load: async () => (await import('./task/list.ts')).command,
  },
  {
    path: ['task', 'run'],
    summary: 'Run a task of a workflow and print its result',
    load: async () => (await import('./task/run.ts')).command,
  },
  {
    path: ['task', 'serve'],
    summary: 'Serve tasks of workflows as tools of the Model Context Protocol',
    load: async () => (await import('./task/serve.ts')).command,
  },
  {
    path: ['task', 'info'],
    summary: 'Show a stored job: status, inputs, what it needs, what it left',
    load: async () => (await import('./task/info.ts')).command,
  },
  {
    path: ['task', 'status'],
    summary: 'Print the status of a stored job',
    load: async () => (await import('./task/status.ts')).command,
  },
  {
    path: ['task', 'clean'],
    summary: 'Remove a stored job: its result, its .info, its artifacts',
    load: async () => (await import('./task/clean.ts')).command,
  },
  {
    path: ['task', 'log'],
    summary: 'Print the log of a stored job',
    load: async () => (await import('./task/log.ts')).command,
  },
  {
    path: ['kb', 'list'],
    summary: 'List the knowledge bases, or the databases of one',
    nameFirst: true,
    load: async () => (await import('./kb/list.ts')).command,
  },
  {
    path: ['kb', 'show'],
    summary: 'Show a knowledge base: its databases, what they hold and where they are',
    nameFirst: true,
    load: async () => (await import('./kb/show.ts')).command,
  },
  {
    path: ['kb', 'query'],
    summary: 'Find what is associated with entities in a knowledge base',
    nameFirst: true,
    load: async () => (await import('./kb/query.ts')).command,
  },
  {
    path: ['agent', 'ask'],
    summary: 'Ask in the name of an agent, or continue a chat file in its name',
    load: async () => (await import('./agent/ask.ts')).command,
  },
  {
    path: ['agent', 'list'],
    summary: 'List the agents, and where they are',
    load: async () => (await import('./agent/list.ts')).command,
  },
  {
    path: ['agent', 'find'],
    summary: 'Show where an agent is and what it is made of',
    load: async () => (await import('./agent/find.ts')).command,
  },
  {
    path: ['prov'],
    summary: 'Explain what produced chats and jobs, and what it cost',
    load: async () => (await import('./prov.ts')).command,
  },
  {
    path: ['doctor'],
    summary: 'Check the set-up: what would be asked, with what, and what is missing',
    load: async () => (await import('./doctor.ts')).command,
  },
  {
    path: ['completion'],
    summary: 'Print the script that makes a shell complete commands, options and names',
    load: async () => (await import('./completion.ts')).completionCommand(commands),
  },
  {
    path: ['help'],
    summary: 'Show help for a command or a topic, or write the manual pages',
    load: async () => (await import('./help.ts')).helpCommand(commands),
  },
];
