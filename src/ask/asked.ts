// From the arguments of `chat ask` to what is asked: a conversation file or none, and the messages that come before and with the question.

import * as path from 'node:path';
import { fileMessage } from '../chat/file-message.ts';
import { usageFailure } from '../errors.ts';
import type { Chat, Message, Warn } from '../types.ts';
import type { EntryKind } from '../world/types/files.ts';
import type { World } from '../world/types/world.ts';
import { inputText, textOf, wholeInput } from './input-text.ts';
import {
  CONTEXT_MARK,
  fillMark,
  fillTemplate,
  inputMessage,
  questionMessages,
  wantsInput,
  wantsQuestion,
} from './question.ts';
import { readTemplate } from './template.ts';
import type { AskArguments } from './types/flags.ts';

export interface Asked {
  /** The file to continue; undefined when nothing is saved. */
  readonly file: string | undefined;
  /** `-c`: the file is made when it is missing. */
  readonly create: boolean;
  /** Imports, files, template, standard input and the question, in this order. */
  readonly added: Chat;
}

/** Reads what has to be read. Rejects with a usage Failure for arguments that make no sense together and files that are missing. */
export async function readAsked(given: AskArguments, world: World, warn: Warn): Promise<Asked> {
  const { file, create, text } = await target(given, world);
  const template =
    given.template === undefined ? undefined : await readTemplate(given.template, world, warn);
  const isTemplate = template !== undefined && wantsQuestion(template) && isBlank(text);
  const fromInput = text === '-' || isTemplate;
  const question = fromInput ? await wholeInput(world, warn) : text;
  if (isTemplate && isBlank(question)) throw noQuestion(given.template);
  // A question for a file is one user message: what a script passes on must not become tools or options of a saved chat.
  const literal = given.literal || fromInput || file !== undefined;
  const typed = questionMessages(question, literal);
  const asked = template === undefined ? typed : fillTemplate(template, question, typed);
  const context = await contextOf(asked, given.files, fromInput, world, warn);
  const imports = given.imports.flatMap(importNames);
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

function importNames(list: string): readonly string[] {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length > 0) return names;
  throw usageFailure('bad-value', `--import takes names of chats (A,B), not "${list}"`);
}

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === '';

const noQuestion = (template = '') =>
  usageFailure('nothing-to-ask', `the template "${template}" has a place for a question (???)`, {
    next: 'give the question as an argument, or on standard input',
  });

async function target(given: AskArguments, world: World) {
  const [first, second, ...rest] = given.words;
  if (given.chatFile !== undefined) {
    if (second !== undefined) throw tooMany(second);
    if (given.chatFile === '')
      throw usageFailure('bad-value', '--chat takes the name of a file, not ""');
    return { file: given.chatFile, create: true, text: first };
  }
  const kind = first === undefined ? undefined : await kindOf(first, world);
  const isChat = first !== undefined && (/^[^\n]*\.chat$/.test(first) || isNamed(kind));
  if (isChat && rest.length === 0) return { file: first, create: false, text: second };
  if (first !== undefined && kind === 'directory' && (second !== undefined || PLACE.test(first)))
    throw noChat(first);
  if (second !== undefined) throw tooMany(second);
  return { file: undefined, create: false, text: first };
}

/** What is written as a place in a folder, and not as a word. */
const PLACE = /^\.{1,2}$|\//;

const kindOf = async (word: string, { files, cwd }: World) =>
  (await files.stat(path.resolve(cwd, word)))?.kind;

/** A file, or a pipe or device, which is told to be none: its name is no question. The name of a folder may be one. */
const isNamed = (kind: EntryKind | undefined) => kind === 'file' || kind === 'other';

const noChat = (folder: string) =>
  usageFailure('is-folder', `"${folder}" is a folder, no chat`, {
    next: 'name a chat file, or show the folder to the model with a line `directory: NAME` in one',
  });

const tooMany = (word: string) =>
  usageFailure('too-many-arguments', `there is one question too many: "${word.slice(0, 60)}"`, {
    next: 'put the question in quotes, or name the chat file first',
  });

/** What goes before the question, and the question with its mark filled. */
async function contextOf(
  asked: Chat,
  files: readonly string[],
  inputTaken: boolean,
  world: World,
  warn: Warn,
): Promise<{ before: Chat; asked: Chat }> {
  const [only] = files;
  if (only !== undefined && files.length === 1 && wantsInput(asked)) {
    const file = path.resolve(world.cwd, only);
    const text = textOf(await world.files.read(file, { anyKind: true }), file, warn);
    return { before: [], asked: fillMark(asked, CONTEXT_MARK, text) ?? asked };
  }
  const before = await Promise.all(files.map((name) => fileOf(name, world, warn)));
  const input = inputTaken ? undefined : await inputText(wantsInput(asked), world, warn);
  if (input === undefined || input.trim() === '') return { before, asked };
  const filled = fillMark(asked, CONTEXT_MARK, input);
  if (filled !== undefined) return { before, asked: filled };
  // With no question at all, what comes in is the question.
  if (asked.length === 0) return { before, asked: questionMessages(input, true) };
  return { before: [...before, inputMessage(input)], asked };
}

/** What a shell opened for this program, as `-f <(git log)`: it can be read once, and is gone afterwards. */
const OPEN = /^\/(?:dev\/(?:fd\/\d+|stdin)|proc\/self\/fd\/\d+)$/;

async function fileOf(name: string, world: World, warn: Warn): Promise<Message> {
  const place = path.resolve(world.cwd, name);
  if (OPEN.test(place) && (await world.files.stat(place))?.kind === 'other')
    return fileMessage(
      name,
      textOf(await world.files.read(place, { anyKind: true }), name, warn),
      {},
    );
  return { role: 'file', content: place, origin: { file: '--file', line: 1 } };
}
