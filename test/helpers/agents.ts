// Agents in a folder, and a server that answers each of them by what it was told and asked.

import type { RecordedRequest, Script } from './fake-server.ts';
import { openaiStream } from './openai-replies.ts';

/** One call of a tool, as a model makes it. */
export interface ToolUse {
  readonly name: string;
  readonly args: unknown;
  readonly id?: string;
}

/** Distinct counts, so that a total tells which requests it holds. */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** A streamed reply that makes these calls, after a text perhaps. */
export function callsReply(calls: readonly ToolUse[], text = '', usage = usageOf(7, 2)): Script {
  const delta = {
    ...(text === '' ? {} : { content: text }),
    tool_calls: calls.map(({ name, args, id }, index) => ({
      index,
      id: id ?? `call_${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    })),
  };
  const chunk = (part: unknown, finish: string | null, rest = {}) =>
    `data: ${JSON.stringify({ id: 'c', model: 'fake-mini', choices: [{ index: 0, delta: part, finish_reason: finish }], ...rest })}\n\n`;
  return {
    body: [chunk(delta, null), chunk({}, 'tool_calls', { usage }), 'data: [DONE]\n\n'],
  };
}

export const usageOf = (prompt: number, completion: number): Usage => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

export const textReply = (text: string, usage = usageOf(5, 1)): Script =>
  openaiStream(text, { usage: { ...usage } });

export interface Asked {
  /** First system message. */
  readonly system: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  /** The last user message. */
  readonly question: string;
  /** Outputs of tools after it, in order. */
  readonly outputs: readonly string[];
  readonly tools: readonly string[];
}

/** What a request asks. */
export function askedIn(request: RecordedRequest): Asked {
  const { messages, tools = [] } = request.json;
  const from = messages.findLastIndex(({ role }: { role: string }) => role === 'user');
  return {
    system: messages.find(({ role }: { role: string }) => role === 'system')?.content ?? '',
    messages,
    question: messages[from]?.content ?? '',
    outputs: messages
      .slice(from + 1)
      .filter(({ role }: { role: string }) => role === 'tool')
      .map(({ content }: { content: string }) => content),
    tools: tools.map((tool: { function: { name: string } }) => tool.function.name),
  };
}

/** The endpoint of the fake server, the only one, without waits. */
export const fakeHome = (url: string): Record<string, string> => ({
  'home/.scout/etc/AI/default.yaml': `backend: openai\nurl: ${url}/v1\nmodel: fake-mini\nretry_max: 0\n`,
});

/** Every output object of a chat's function_call_output messages. */
export function outputsOf(chat: readonly { role: string; content: string }[]): readonly {
  name: string;
  content: string;
  exception?: string;
  meta?: Record<string, unknown>[];
}[] {
  return chat
    .filter(({ role }) => role === 'function_call_output')
    .map(({ content }) => JSON.parse(content));
}
