// Asks chats whose model is scripted: each round makes the calls that the test says, the last one answers `done`.

import { mkdirSync } from 'node:fs';
import * as path from 'node:path';
import { parse } from '../../src/chat/parse.ts';
import { fakeEndpoint } from '../helpers/ask-home.ts';
import { type FakeServer, type Script, startFakeServer } from '../helpers/fake-server.ts';
import { type Tree, temporaryFolder } from '../helpers/folder.ts';
import { chunk, DONE, openaiStream } from '../helpers/openai-replies.ts';
import { type RunOptions, type RunResult, runCli } from '../helpers/run.ts';

export interface ModelCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** A reply that makes these calls. */
export function callsScript(calls: readonly ModelCall[]): Script {
  const deltas = calls.map(({ name, arguments: args = {} }, index) =>
    chunk({
      tool_calls: [
        {
          index,
          id: `call_${index + 1}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        },
      ],
    }),
  );
  return { body: [...deltas, chunk({}, 'tool_calls'), DONE] };
}

export interface Conversation extends RunResult {
  /** Bodies of the requests to the model. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies of every shape
  readonly bodies: readonly any[];
  /** Names of the tools that the model was offered. */
  readonly tools: readonly string[];
  /** Outputs of calls as the chat file has them. */
  readonly outputs: readonly Readonly<Record<string, unknown>>[];
  /** Contents of the chat file's messages of that role. */
  messages(role: string): readonly string[];
}

export interface AskingOptions extends RunOptions {
  /** More arguments of `chat ask`. */
  readonly args?: readonly string[];
}

/** The shell form of the command that runs a server of this folder. */
export const serverCommand = (name: string, ...args: readonly string[]): string =>
  [
    process.execPath,
    path.join(import.meta.dirname, 'servers', name),
    ...args.map((arg) => JSON.stringify(arg)),
  ].join(' ');

/** The path of a program of a development dependency. */
export const installed = (name: string): string =>
  path.join(import.meta.dirname, '../../node_modules/.bin', name);

/** Asks `x.chat`, which holds the declarations and a question. */
export async function ask(
  declarations: string,
  rounds: readonly (readonly ModelCall[])[] = [],
  options: AskingOptions = {},
): Promise<Conversation> {
  const server = await startFakeServer([...rounds.map(callsScript), openaiStream('done')]);
  try {
    return await askServer(declarations, server, options);
  } finally {
    await server.close();
  }
}

export async function askServer(
  declarations: string,
  server: FakeServer,
  { args = [], files = {}, folder = temporaryFolder(), ...rest }: AskingOptions = {},
): Promise<Conversation> {
  mkdirSync(folder, { recursive: true });
  const own: Tree = {
    'home/.scout/etc/AI/default.yaml': fakeEndpoint(server.url),
    'x.chat': `${declarations}\n\nuser:\n\nGo on.\n`,
  };
  const result = await runCli(['ask', 'x.chat', ...args], {
    ...rest,
    folder,
    files: { ...own, ...files },
  });
  const bodies = server.requests.map(({ json }) => json);
  const chat = parse(result.read('x.chat') ?? '');
  const messages = (role: string) =>
    chat.filter((message) => message.role === role).map(({ content }) => content);
  return {
    ...result,
    bodies,
    tools: (bodies[0]?.tools ?? []).map(
      (tool: { function: { name: string } }) => tool.function.name,
    ),
    outputs: messages('function_call_output').map((content) => JSON.parse(content)),
    messages,
  };
}
