// A chat file asked over one wire in this process, and the bytes that a wire makes of a reply, for tests that spoil them.

import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { onTestFinished } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import type { Message } from '../../src/types.ts';
import { toScenario } from '../fake/scenario.ts';
import { startFake, WIRES } from '../fake/server.ts';
import type { WireName } from '../fake/types.ts';
import { type Answers, startFakeServer } from '../helpers/fake-server.ts';
import type { Tree } from '../helpers/folder.ts';
import { type RunResult, runCli } from '../helpers/run.ts';

export interface ChatRun extends RunResult {
  /** The chat file afterwards. */
  readonly chat: readonly Message[];
  readonly text: string;
  /** The answer in the file; undefined when there is none. */
  readonly answer: string | undefined;
}

export interface ChatOptions {
  /** The chat file's text; a question when absent. */
  readonly chat?: string;
  readonly files?: Tree;
  /** Fields of the endpoint file. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Runs `chat ask c.chat` against a server at that address. */
export async function askChat(
  wire: WireName,
  url: string,
  { chat = 'user: What flies?\n', files = {}, fields = {}, args = [], env = {} }: ChatOptions = {},
): Promise<ChatRun> {
  const all = { ...WIRES[wire].endpoint(url), retry_max: 2, retry_base: 0.001, ...fields };
  const yaml = Object.entries(all).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`,
  );
  const result = await runCli(['ask', '--no-cache', '-e', 'it', ...args, 'c.chat'], {
    files: { 'c.chat': chat, 'home/.scout/etc/AI/it.yaml': yaml.join(''), ...files },
    env: { FAKE_KEY: 'key-1', ...env },
  });
  const text = readFileSync(path.join(result.folder, 'c.chat'), 'utf8');
  const messages = parse(text);
  const answer = messages.findLast(({ role }) => role === 'assistant')?.content;
  return { ...result, chat: messages, text, answer };
}

/** A fake provider that closes with the test. */
export async function fakeFor(wire: WireName, scenario: unknown) {
  const fake = await startFake(wire, toScenario(scenario));
  onTestFinished(() => fake.close());
  return fake;
}

/** A bare server that closes with the test. */
export async function bareServer(answers: Answers) {
  const server = await startFakeServer(answers);
  onTestFinished(() => server.close());
  return server;
}

const QUESTION = { role: 'user', content: 'What flies?' };
const BODIES: Readonly<Record<WireName, Readonly<Record<string, unknown>>>> = {
  anthropic: { model: 'claude-fake-1', max_tokens: 100, stream: true, messages: [QUESTION] },
  openai: {
    ...{ model: 'fake-mini', stream: true, stream_options: { include_usage: true } },
    messages: [QUESTION],
  },
  responses: { model: 'fake-5', stream: true, input: [QUESTION] },
  ollama: { model: 'fake:1b', messages: [QUESTION] },
};

/** What the wire sends for a reply, one piece an event. */
export async function eventsOf(wire: WireName, reply: unknown): Promise<string[]> {
  const fake = await startFake(wire, toScenario([reply]));
  try {
    const response = await fetch(`${fake.url}${fake.wire.path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        authorization: 'Bearer key-1',
      },
      body: JSON.stringify(BODIES[wire]),
    });
    if (response.status !== 200) throw new Error(await response.text());
    const end = isLines(wire) ? '\n' : '\n\n';
    const parts = (await response.text()).split(end).filter((part) => part !== '');
    return parts.map((part) => `${part}${end}`);
  } finally {
    await fake.close();
  }
}

export const isLines = (wire: WireName): boolean => wire === 'ollama';

/** One event with these data, in the form of the wire. */
export const eventOf = (wire: WireName, data: string): string =>
  isLines(wire) ? `${data}\n` : `data: ${data}\n\n`;
