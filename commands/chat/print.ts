// Shows what a chat file holds, uncompiled: as chat text, JSON, one line a message or Markdown, and checks it. Runs nothing.

import { decode } from '../../src/chat/decode.ts';
import { normalise } from '../../src/chat/normalise.ts';
import { parse } from '../../src/chat/parse.ts';
import { print } from '../../src/chat/print.ts';
import type { BriefOptions } from '../../src/chat/views.ts';
import { type Call, defineCommand } from '../../src/cli/spec.ts';
import { EXIT, usageFailure, workFailure } from '../../src/errors.ts';
import type { Chat, Warn, Warning } from '../../src/types.ts';
import type { World } from '../../src/world/types/world.ts';

export const command = defineCommand({
  path: ['print'],
  summary: 'Show a chat file as it is, in one of several forms, or check it',
  arguments: [
    {
      name: 'file',
      summary: 'The chat file; - is standard input',
      required: true,
      complete: 'file',
    },
  ],
  options: [
    { long: 'json', summary: 'Print a JSON list of {"role", "content"}', group: 'Form' },
    {
      long: 'brief',
      summary: 'Print one line a message: role, start, size, digest',
      group: 'Form',
    },
    {
      long: 'expand',
      value: 'roles',
      summary: 'As --brief, with the messages of these roles (A,B) whole',
      group: 'Form',
    },
    {
      long: 'markdown',
      summary: 'Print the turns of user and assistant as Markdown, rendered on a terminal',
      group: 'Form',
    },
    { long: 'last', summary: 'Only the last question and what follows it', group: 'Selection' },
    { long: 'answer', summary: "Only the last answer's text", group: 'Selection' },
    { long: 'from-json', summary: 'The file is a JSON list, as --json prints it', group: 'Input' },
    {
      long: 'check',
      summary: 'Report what looks wrong as file:line: message; exit 1 if anything does',
      group: 'Check',
    },
  ],
  details: [
    'Without options the messages are printed as chat text in its normal form: contents trimmed, headers spelled one way, one blank line between messages, and a backslash before each line of content that would otherwise be read as something else. Printing the result again changes nothing. Nothing is compiled, fetched or run.',
    '--check looks for blocks that are never closed, unknown roles, lines that look like headers but are written in upper case or indented, names that lead nowhere, bad JSON in tool messages, and options and metas that cannot be read. With --json its findings are a JSON list.',
    'In a pipe the exact text is written. On a terminal control characters in it are shown instead of sent.',
  ],
  examples: [
    { command: 'chat print notes.chat', does: 'the messages, as chat text' },
    { command: 'chat print --answer notes.chat > answer.md', does: 'the text of the last answer' },
    {
      command: 'chat print --brief --expand user,system notes.chat',
      does: 'an overview, questions whole',
    },
    { command: 'chat print --json notes.chat | jq length', does: 'how many messages there are' },
    { command: 'chat print --check notes.chat', does: 'what looks wrong' },
  ],
  seeAlso: ['chat-compile(1)', 'chat-ask(1)', 'chat-format(5)'],
  run,
});

const STDIN = '-';
/** Cells of a message that its line shows, however narrow the terminal is. */
const LEAST = 10;

async function run(call: Call, world: World): Promise<number> {
  refuseNonsense(call);
  const [file = STDIN] = call.arguments;
  const bytes =
    file === STDIN
      ? await world.input.read(world.signal)
      : await world.files.read(file, { anyKind: true });
  const source: Source = { name: file === STDIN ? 'standard input' : file, bytes };
  if (call.flag('check')) return checkFile(source, call, world);
  const warn: Warn = (warning) =>
    world.output.note(described({ ...warning, message: `warning: ${warning.message}` }));
  const text = await view(await load(source, call, warn), call, world);
  await show(text, call, world);
  return EXIT.ok;
}

interface Source {
  readonly name: string;
  readonly bytes: Uint8Array;
}

async function load({ name, bytes }: Source, call: Call, warn: Warn): Promise<Chat> {
  const text = decode(bytes, { file: name, warn });
  if (!call.flag('from-json')) return parse(text, { file: name, warn });
  const { fromJson } = await import('../../src/chat/views.ts');
  return normalise(fromJson(text, name));
}

async function view(whole: Chat, call: Call, world: World): Promise<string> {
  const chat = await select(whole, call);
  const isPlain = !['json', 'brief', 'expand', 'markdown'].some((form) => given(call, form));
  if (isPlain) return call.flag('answer') ? `${chat[0]?.content}\n` : print(chat);
  const views = await import('../../src/chat/views.ts');
  if (call.flag('json')) return views.toJson(chat);
  if (call.flag('markdown')) {
    const text = call.flag('answer') ? `${chat[0]?.content}\n` : views.markdown(chat);
    if (!world.output.stdout.terminal) return text;
    const { renderMarkdown } = await import('../../src/terminal/markdown.ts');
    return renderMarkdown(text, world.output.stdout);
  }
  const { createHash } = await import('node:crypto');
  return views.brief(chat, {
    ...(await fitting(world)),
    expand: (call.text('expand') ?? '').split(',').map((role) => role.trim()),
    digest: (text) => createHash('sha256').update(text).digest('hex'),
  });
}

/** On a terminal a message has one line, however wide its characters are. */
async function fitting({ output: { stdout } }: World): Promise<Pick<BriefOptions, 'toFit'>> {
  if (!stdout.terminal) return {};
  const { shortenEnd } = await import('../../src/terminal/width.ts');
  const { neutralise } = await import('../../src/terminal/neutralise.ts');
  return {
    toFit: (text, taken) => shortenEnd(neutralise(text), Math.max(LEAST, stdout.columns - taken)),
  };
}

async function select(chat: Chat, call: Call): Promise<Chat> {
  if (!call.flag('answer') && !call.flag('last')) return chat;
  const { lastAnswer, lastExchange } = await import('../../src/chat/select.ts');
  if (call.flag('last')) return lastExchange(chat);
  const message = lastAnswer(chat);
  if (message !== undefined) return [message];
  const [file = STDIN] = call.arguments;
  throw workFailure('no-answer', `"${file}" holds no answer`, {
    next: 'ask it first: `chat ask` with this file appends one',
  });
}

async function checkFile({ name, bytes }: Source, call: Call, world: World): Promise<number> {
  const { check } = await import('../../src/chat/check.ts');
  const { jsonLines } = await import('../../src/chat/views.ts');
  const { compilePorts } = await import('../../src/config/ports.ts');
  const { settingProblem } = await import('../../src/config/settings.ts');
  const encoding: Warning[] = [];
  const text = decode(bytes, { file: name, warn: (warning) => encoding.push(warning) });
  const { find } = compilePorts(world, { warn: () => {} }).ports;
  const findings = [
    ...encoding,
    ...(await check(text, { file: name, find, option: settingProblem })),
  ];
  const result = call.flag('json')
    ? jsonLines(
        findings.map(({ origin, code, message }) => JSON.stringify({ ...origin, code, message })),
      )
    : findings.map((finding) => `${described(finding)}\n`).join('');
  await show(result, call, world);
  return findings.length === 0 ? EXIT.ok : EXIT.work;
}

/** Exact bytes in a pipe; on a terminal nothing that it would obey, unless it is rendered already. */
async function show(text: string, call: Call, world: World): Promise<void> {
  if (!world.output.stdout.terminal || call.flag('markdown')) return world.output.write(text);
  const { asShown } = await import('../../src/terminal/neutralise.ts');
  return world.output.write(asShown(text, world.output.stdout));
}

function described({ message, origin }: Warning): string {
  return origin === undefined ? message : `${origin.file}:${origin.line}: ${message}`;
}

const given = (call: Call, option: string): boolean =>
  option === 'expand' ? call.text(option) !== undefined : call.flag(option);

/** Options of which at most one makes sense at a time. */
const EXCLUSIVE: readonly (readonly string[])[] = [
  ['json', 'brief', 'markdown'],
  ['json', 'expand'],
  ['markdown', 'expand'],
  ['last', 'answer'],
  ['from-json', 'json'],
  ...['brief', 'expand', 'markdown', 'last', 'answer', 'from-json'].map((each) => ['check', each]),
];

function refuseNonsense(call: Call): void {
  for (const options of EXCLUSIVE) {
    const [one, other] = options.filter((option) => given(call, option));
    if (other !== undefined)
      throw usageFailure('options-conflict', `--${one} and --${other} cannot be used together`, {
        next: 'give one of the two',
      });
  }
}
