// Asks a model: a question from the command line, or a chat file that is continued in place.

import { EVENT_TYPES } from '../../src/ask/events.ts';
import { defineCommand } from '../../src/cli/spec.ts';
import { askOptions, runAsk } from './ask-options.ts';

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
  options: askOptions,
  details: [
    'With a chat file the conversation in it is compiled and asked, and the new messages are appended to it: the question first, then what the model produced, whole rounds only, with one write each. Nothing that stood in the file is ever rewritten. A question given with a file becomes one user message and is never read as chat text; without a file it is chat text (so "system: …" works) unless --plain is given.',
    'Standard input: "..." in the question is replaced by it (or by the file of -f). Without "..." input from a pipe or a file goes before the question as <file name="stdin">; a pipe that sends nothing at all at once is not waited for. "-" as the question reads the question from standard input.',
    'The answer goes to standard output as it arrives, and nothing else does. On a terminal it is rendered as Markdown, in a pipe it is the plain text. Progress, warnings, reasoning (-v) and usage (-v) go to standard error.',
    'Ctrl-C stops the request. Completed rounds are kept, and text that had arrived is kept as a skip message, which no prompt ever contains; asking the same file again goes on from there. A second Ctrl-C ends the program at once.',
    'Plain files in FILE.files/inbox reach the run of the chat FILE with its next request, each once; one named abort stops it. chat-endpoints(5) tells more, and how long conversations are kept short on their way to the model.',
    'With --format the answer is checked: one that is no JSON, or does not fit the schema, is asked for again once with what is wrong. When that does not fit either it is kept and printed all the same, and the exit status is 1.',
    '--inline FILE answers the comments of a source file that ask, such as "# ask: why?" (also with //, --, ; and %), one after the other: the answer is put below the comment, which then says "asked:". Fenced code of the answer becomes code, everything else comments. What is edited in the file meanwhile stays. With -d the questions are listed and nothing is asked.',
    'Answers are cached by endpoint, options and prompt. --no-cache, "persist: false", or a temperature above 0 without "persist" ask again.',
    'Before anything is asked it is made sure that the files of -c, --events and --record can be written; their folders have to be there. -f also takes what a shell opens for <(command).',
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
  run: (call, world) => runAsk(call, call.arguments, world),
});
