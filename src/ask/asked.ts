// From the arguments of `chat ask` to what is asked: a conversation file or none, and the messages that come before and with the question.

import * as path from 'node:path';
import { decode } from '../chat/decode.ts';
import { parse } from '../chat/parse.ts';
import { find } from '../config/search.ts';
import { usageFailure } from '../errors.ts';
import type { Chat, Warn } from '../types.ts';
import type { World } from '../world/types.ts';
import {
  CONTEXT_MARK,
  fillMark,
  fillTemplate,
  inputMessage,
  questionMessages,
  wantsInput,
} from './question.ts';
import type { AskArguments } from './types.ts';

export interface Asked {
  /** The file to continue; undefined when nothing is saved. */
  readonly file: string | undefined;
  /** `-c`: the file is made when it is missing. */
  readonly create: boolean;
  /** Imports, files, template, standard input and the question, in this order. */
  readonly added: Chat;
}

/** How long a pipe that nobody writes to is waited for, in milliseconds, when the question does not ask for it. */
const PATIENCE = 300;

/** Reads what has to be read. Rejects with a usage Failure for arguments that make no sense together and files that are missing. */
export async function readAsked(given: AskArguments, world: World, warn: Warn): Promise<Asked> {
  const { file, create, text } = await target(given, world);
  const question = text === '-' ? await wholeInput(world) : text;
  // A question for a file is one user message: what a script passes on must not become tools or options of a saved chat.
  const typed = questionMessages(question, given.literal || text === '-' || file !== undefined);
  const template =
    given.template === undefined ? undefined : await readTemplate(given.template, world, warn);
  const asked = template === undefined ? typed : fillTemplate(template, question, typed);
  const context = await contextOf(asked, given.files, text === '-', world);
  const imports = given.imports
    .flatMap((list) => list.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return {
    file,
    create,
    added: [
      ...imports.map((content) => ({
        role: 'import',
        content,
        origin: { file: '--import', line: 1 },
      })),
      ...context.before,
      ...context.asked,
    ],
  };
}

async function target(given: AskArguments, world: World) {
  const [first, second, ...rest] = given.words;
  if (given.chatFile !== undefined) {
    if (second !== undefined) throw tooMany(second);
    if (given.chatFile === '')
      throw usageFailure('bad-value', '--chat takes the name of a file, not ""');
    return { file: given.chatFile, create: true, text: first };
  }
  const isChat =
    first !== undefined &&
    (/^[^\n]*\.chat$/.test(first) ||
      (await world.files.stat(path.resolve(world.cwd, first)))?.kind === 'file');
  if (isChat && rest.length === 0) return { file: first, create: false, text: second };
  if (second !== undefined) throw tooMany(second);
  return { file: undefined, create: false, text: first };
}

const tooMany = (word: string) =>
  usageFailure('too-many-arguments', `there is one question too many: "${word.slice(0, 60)}"`, {
    next: 'put the question in quotes, or name the chat file first',
  });

async function readTemplate(name: string, world: World, warn: Warn): Promise<Chat> {
  const direct = path.resolve(world.cwd, name);
  const tried = [direct];
  if ((await world.files.stat(direct))?.kind === 'file') return readChat(direct, world, warn);
  for (const [kind, below] of [
    ['questions', name],
    ['chats', path.join('system', name)],
    ['chats', name],
  ] as const) {
    for (const ending of ['', '.chat']) {
      const found = await find(kind, below + ending, world);
      if ('path' in found) return readChat(found.path, world, warn);
      tried.push(...found.tried);
    }
  }
  throw usageFailure('missing-template', `no such template "${name}"`, {
    at: '--template',
    detail: tried.map((place) => `tried ${place}`),
    next: 'give the path of a file, or put it into a folder `questions` or `chats/system`',
  });
}

async function readChat(file: string, world: World, warn: Warn): Promise<Chat> {
  return parse(decode(await world.files.read(file), { file, warn }), { file, warn });
}

async function wholeInput(world: World): Promise<string> {
  if (world.input.kind === 'terminal' || world.input.kind === 'none') return '';
  return decode(await world.input.read(world.signal), { file: 'standard input' });
}

/** What goes before the question, and the question with its mark filled. */
async function contextOf(
  asked: Chat,
  files: readonly string[],
  inputTaken: boolean,
  world: World,
): Promise<{ before: Chat; asked: Chat }> {
  const before = files.map((name) => ({
    role: 'file',
    content: path.resolve(world.cwd, name),
    origin: { file: '--file', line: 1 },
  }));
  const [only] = files;
  if (only !== undefined && files.length === 1 && wantsInput(asked)) {
    const file = path.resolve(world.cwd, only);
    const text = decode(await world.files.read(file), { file });
    return { before: [], asked: fillMark(asked, CONTEXT_MARK, text) ?? asked };
  }
  const input = inputTaken ? undefined : await inputText(asked, world);
  if (input === undefined || input.trim() === '') return { before, asked };
  const filled = fillMark(asked, CONTEXT_MARK, input);
  if (filled !== undefined) return { before, asked: filled };
  // With no question at all, what comes in is the question.
  if (asked.length === 0) return { before, asked: questionMessages(input, true) };
  return { before: [...before, inputMessage(input)], asked };
}

async function inputText(asked: Chat, world: World): Promise<string | undefined> {
  const { input, signal } = world;
  if (input.kind === 'terminal' || input.kind === 'none') return undefined;
  const wanted = input.kind === 'file' || wantsInput(asked);
  const bytes = wanted ? await input.read(signal) : await input.readIfReady(PATIENCE, signal);
  if (bytes === undefined)
    world.output.note(
      'standard input is open but sent nothing at once, so it is not read; write ... in the question to wait for it',
    );
  return bytes === undefined ? undefined : decode(bytes, { file: 'standard input' });
}
