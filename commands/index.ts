// The table of commands. A command's module is loaded when it is called, never before.

import type { CommandRow } from '../src/cli/spec.ts';

export const commands: readonly CommandRow[] = [
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

/** First words of the command line that belong to parts which are not in this version. */
export const announced: ReadonlyMap<string, string> = new Map([
  ['agent', 'agents: named start chats with tools of their own'],
  ['prov', 'provenance: what produced a chat or a job, and what it cost'],
  ['task', 'workflows: tasks that run as jobs and keep their results'],
]);
