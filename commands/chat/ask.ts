// Asks a model: a question from the command line, or a chat file that is continued in place.

import { askCommand } from '../../src/ask/command.ts';
import { EVENT_TYPES } from '../../src/ask/events.ts';
import { defineCommand, positiveNumber, wholeNumber } from '../../src/cli/spec.ts';

export const command = defineCommand({
  path: ['ask'],
  summary: 'Ask a model, or continue a chat file with its answer',
  arguments: [
    {
      name: 'question-or-file',
      summary: 'A chat file (it exists, or ends in .chat), or the question as chat text',
      complete: 'file',
    },
    { name: 'question', summary: 'A question that is added to the chat file first' },
  ],
  options: [
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
    { long: 'backend', short: 'b', value: 'name', group: 'Model', summary: 'Use this backend' },
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
      summary: 'Print the compiled chat; send nothing',
    },
    { long: 'raw', group: 'Output', summary: 'Print the plain text, also on a terminal' },
    { long: 'json', group: 'Output', summary: 'Print one JSON object: answer, messages, tokens' },
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
  ],
  details: [
    'With a chat file the conversation in it is compiled and asked, and the new messages are appended to it: the question first, then what the model produced, whole rounds only, with one write each. Nothing that stood in the file is ever rewritten. A question given with a file becomes one user message and is never read as chat text; without a file it is chat text (so "system: …" works) unless --plain is given.',
    'Standard input: "..." in the question is replaced by it (or by the file of -f). Without "..." input from a pipe or a file goes before the question as <file name="stdin">; a pipe that sends nothing at all at once is not waited for. "-" as the question reads the question from standard input.',
    'The answer goes to standard output as it arrives, and nothing else does. On a terminal it is rendered as Markdown, in a pipe it is the plain text. Progress, warnings, reasoning (-v) and usage (-v) go to standard error.',
    'Ctrl-C stops the request. Completed rounds are kept, and text that had arrived is kept as a skip message, which no prompt ever contains; asking the same file again goes on from there. A second Ctrl-C ends the program at once.',
    'Answers are cached by endpoint, options and prompt. --no-cache, "persist: false", or a temperature above 0 without "persist" ask again.',
    `Each line of --events is one JSON object with seq (from 1), ts (UTC) and type. The types: ${Object.entries(
      EVENT_TYPES,
    )
      .map(([type, says]) => `${type}: ${says}`)
      .join('; ')}.`,
  ],
  examples: [
    {
      command: 'chat ask "What is the capital of France?"',
      does: 'Asks one question; nothing is saved.',
    },
    {
      command: 'chat ask notes.chat "And in winter?"',
      does: 'Adds the question to a chat file, asks, and appends the answer.',
    },
    {
      command: 'git diff | chat ask "Write a commit message for this."',
      does: 'Puts the diff before the question.',
    },
    {
      command: 'chat ask --format json "Three colours as a list" | jq .',
      does: 'Asks for JSON and passes it on.',
    },
  ],
  seeAlso: ['chat-print(1)', 'chat-compile(1)', 'chat-format(5)', 'chat-endpoints(5)'],
  run: (call, world) =>
    askCommand(
      {
        asked: {
          words: call.arguments,
          chatFile: call.text('chat'),
          template: call.text('template'),
          files: call.list('file'),
          imports: call.list('import'),
          literal: call.flag('plain'),
        },
        inline: call.text('inline'),
        flags: {
          endpoint: call.text('endpoint'),
          model: call.text('model'),
          backend: call.text('backend'),
          options: call.list('option'),
          format: call.text('format'),
          cache: !call.flag('no-cache'),
          allowRemote: call.flag('allow-remote'),
          workflows: call.list('workflow'),
          jobs: call.text('jobs'),
          budget: {
            tokens: call.value<number>('max-tokens'),
            cost: call.value<number>('max-cost'),
          },
        },
        dryRun: call.flag('dry-run'),
        raw: call.flag('raw'),
        json: call.flag('json'),
        quiet: call.flag('quiet'),
        verbose: call.flag('verbose'),
        events: call.text('events'),
        record: call.text('record'),
      },
      world,
    ),
});
