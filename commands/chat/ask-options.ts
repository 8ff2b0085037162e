// What every command that asks shares: the options, and what is made of them.

import { askCommand } from '../../src/ask/command.ts';
import { type Call, type OptionSpec, positiveNumber, wholeNumber } from '../../src/cli/spec.ts';
import { BACKEND_NAMES } from '../../src/config/builtin.ts';
import type { World } from '../../src/world/types/world.ts';
import { openAgent } from './open-agent.ts';

export const askOptions: readonly OptionSpec[] = [
  {
    long: 'chat',
    short: 'c',
    value: 'file',
    complete: 'file',
    group: 'Chat',
    summary: 'Continue this chat file; it is made when missing',
  },
  {
    long: 'template',
    short: 't',
    value: 'name',
    complete: 'file',
    group: 'Chat',
    summary: 'Start from a template; ??? in it becomes the question',
  },
  {
    long: 'file',
    short: 'f',
    value: 'file',
    repeat: true,
    complete: 'file',
    group: 'Chat',
    summary: 'Put a file before the question, or in place of ... in it',
  },
  {
    long: 'import',
    short: 'i',
    value: 'chats',
    repeat: true,
    complete: 'file',
    group: 'Chat',
    summary: 'Import chats first (A,B)',
  },
  {
    long: 'inline',
    value: 'file',
    complete: 'file',
    group: 'Chat',
    summary: 'Answer each "# ask: …" comment of a source file in place',
  },
  { long: 'plain', group: 'Chat', summary: 'Take the question literally, not as chat text' },
  {
    long: 'workflow',
    short: 'w',
    value: 'name',
    repeat: true,
    complete: 'workflow',
    group: 'Chat',
    summary: 'Give the model the tasks of a workflow as tools',
  },
  {
    long: 'jobs',
    value: 'folder',
    complete: 'folder',
    group: 'Chat',
    summary: 'Put new jobs into this folder',
  },
  {
    long: 'endpoint',
    short: 'e',
    value: 'name',
    complete: 'endpoint',
    group: 'Model',
    summary: 'Use this endpoint',
  },
  {
    long: 'model',
    short: 'm',
    value: 'name',
    complete: 'model',
    group: 'Model',
    summary: 'Use this model',
  },
  {
    long: 'backend',
    short: 'b',
    value: 'name',
    offers: BACKEND_NAMES,
    group: 'Model',
    summary: 'Use this backend',
  },
  {
    long: 'option',
    short: 'o',
    value: 'key=value',
    repeat: true,
    group: 'Model',
    summary: 'Set an option for this ask (temperature=0 …)',
  },
  {
    long: 'format',
    value: 'json|schema',
    complete: 'file',
    group: 'Model',
    summary: 'Ask for JSON, or for JSON of a schema (file or text)',
  },
  {
    long: 'max-tokens',
    value: 'n',
    read: wholeNumber('max-tokens', 1),
    group: 'Limits',
    summary: 'Stop before the run uses more tokens than this',
  },
  {
    long: 'max-cost',
    value: 'x',
    read: positiveNumber('max-cost'),
    group: 'Limits',
    summary: 'Stop before the run costs more than this',
  },
  { long: 'no-cache', group: 'Limits', summary: 'Ask again, also when the answer is stored' },
  {
    long: 'dry-run',
    short: 'd',
    group: 'Output',
    summary: 'Print the compiled chat (with --json its messages); send nothing',
  },
  { long: 'raw', group: 'Output', summary: 'Print the plain text, also on a terminal' },
  {
    long: 'json',
    group: 'Output',
    summary:
      'Print one JSON object: answer, endpoint, model, tokens, what delegated work used, messages',
  },
  {
    long: 'events',
    value: 'file',
    complete: 'file',
    group: 'Output',
    summary: 'Write one JSON line an event to a file, or to - (standard output)',
  },
  {
    long: 'record',
    value: 'file',
    complete: 'file',
    group: 'Output',
    summary: 'Record requests and replies for the replay backend',
  },
  {
    long: 'allow-remote',
    group: 'Output',
    summary: 'Let the chat fetch files and imports from http(s) addresses',
  },
];

/** Asks what the words say, in the name of an agent when one is given. Resolves with the exit code. */
export function runAsk(
  call: Call,
  words: readonly string[],
  world: World,
  agent?: string,
): Promise<number> {
  return askCommand(
    {
      asked: {
        words,
        chatFile: call.text('chat'),
        template: call.text('template'),
        files: call.list('file'),
        imports: call.list('import'),
        literal: call.flag('plain'),
      },
      inline: call.text('inline'),
      flags: {
        agent,
        endpoint: call.text('endpoint'),
        model: call.text('model'),
        backend: call.text('backend'),
        options: call.list('option'),
        format: call.text('format'),
        cache: !call.flag('no-cache'),
        allowRemote: call.flag('allow-remote'),
        workflows: call.list('workflow'),
        record: call.text('record'),
        jobs: call.text('jobs'),
        budget: {
          tokens: call.value<number>('max-tokens'),
          cost: call.value<number>('max-cost'),
        },
      },
      agents: openAgent(world),
      dryRun: call.flag('dry-run'),
      raw: call.flag('raw'),
      json: call.flag('json'),
      quiet: call.flag('quiet'),
      verbose: call.flag('verbose'),
      events: call.text('events'),
    },
    world,
  );
}
