// Runs the calls of one reply: side by side, in order of the calls, failures as data for the model.

import type { Chat, Tool, ToolCall } from '../types.ts';
import { callMessages } from './messages.ts';
import type { AskEvent } from './types.ts';

export interface BatchOptions {
  readonly chat: Chat;
  readonly signal: AbortSignal;
  readonly clock: { monotonic(): number };
  /** Calls at once; default 4. */
  readonly concurrency: number;
  /** Longest result that is sent, in characters. */
  readonly maxLength: number;
}

interface Outcome {
  readonly messages: Chat;
  readonly failed: boolean;
  readonly seconds: number;
}

/** Yields a start and an end for each call; returns the pairs in the order of the calls, and whether any failed. */
export async function* runCalls(
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  options: BatchOptions,
): AsyncGenerator<AskEvent, { messages: Chat; failed: boolean }> {
  const outcomes: Outcome[] = [];
  const waiting = calls.map((call, index) => ({
    call,
    index,
    tool: tools.find(({ name }) => name === call.name),
  }));
  const running = new Map<number, Promise<{ index: number; outcome: Outcome }>>();
  let alone = false;
  while (waiting.length > 0 || running.size > 0) {
    for (
      let next = waiting[0];
      next !== undefined && running.size < options.concurrency && !alone;
      next = waiting[0]
    ) {
      if (next.tool?.alone === true && running.size > 0) break;
      alone = next.tool?.alone === true;
      waiting.shift();
      const { call, index, tool } = next;
      yield { kind: 'tool-start', call, index, count: calls.length };
      running.set(
        index,
        runCall(call, tool, tools, options).then((outcome) => ({ index, outcome })),
      );
    }
    const { index, outcome } = await Promise.race(running.values());
    running.delete(index);
    alone = false;
    outcomes[index] = outcome;
    const call = calls[index];
    if (call !== undefined)
      yield { kind: 'tool-end', call, index, seconds: outcome.seconds, failed: outcome.failed };
  }
  return {
    messages: outcomes.flatMap(({ messages }) => messages),
    failed: outcomes.some(({ failed }) => failed),
  };
}

async function runCall(
  call: ToolCall,
  tool: Tool | undefined,
  tools: readonly Tool[],
  options: BatchOptions,
): Promise<Outcome> {
  const started = options.clock.monotonic();
  const end = (
    args: unknown,
    output: Readonly<Record<string, unknown>>,
    failed: boolean,
  ): Outcome => ({
    messages: callMessages({ ...call, arguments: args as ToolCall['arguments'] }, output),
    failed,
    seconds: (options.clock.monotonic() - started) / 1000,
  });
  const parsed = parseArguments(call.arguments);
  if ('problem' in parsed) return end(call.arguments, exception(parsed.problem), true);
  if (tool === undefined) {
    const names = tools.map(({ name }) => name).join(', ') || 'none';
    return end(
      parsed.args,
      exception(`there is no tool "${call.name}"; the tools are: ${names}`),
      true,
    );
  }
  try {
    const output = await tool.call(parsed.args, {
      callId: call.id,
      chat: options.chat,
      signal: options.signal,
    });
    const extra = {
      ...(output.job === undefined ? {} : { step: output.job }),
      ...(output.receipts === undefined ? {} : { meta: output.receipts }),
    };
    const text = resultText(output.content);
    if (text.length > options.maxLength)
      return end(
        parsed.args,
        { ...exception(tooLong(text, options.maxLength, output.job)), ...extra },
        true,
      );
    return end(parsed.args, { content: text, ...extra }, false);
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason;
    return end(
      parsed.args,
      exception(error instanceof Error ? error.message : String(error)),
      true,
    );
  }
}

const exception = (message: string) => ({
  content: JSON.stringify({ exception: message }),
  exception: message,
});

/** No arguments at all mean an empty object; text that is no JSON object is told to the model, never guessed. */
export function parseArguments(
  given: ToolCall['arguments'],
): { args: Readonly<Record<string, unknown>> } | { problem: string } {
  if (typeof given !== 'string') return { args: given ?? {} };
  if (given.trim() === '') return { args: {} };
  try {
    const value: unknown = JSON.parse(given);
    if (value === null) return { args: {} };
    if (typeof value === 'object' && !Array.isArray(value))
      return { args: value as Record<string, unknown> };
    return { problem: `the arguments must be a JSON object, but were: ${given.slice(0, 200)}` };
  } catch (error) {
    return {
      problem: `the arguments are not valid JSON (${error instanceof Error ? error.message : String(error)}); the call was not run: ${given.slice(0, 200)}`,
    };
  }
}

/** Strings as they are, everything else as JSON, nothing as `success`. */
export function resultText(content: unknown): string {
  if (content === undefined || content === null) return 'success';
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function tooLong(text: string, limit: number, job: string | undefined): string {
  const place = job === undefined ? '' : `; the whole is stored in ${job}`;
  return `the result has ${text.length} characters, more than the ${limit} that can be sent${place}; it starts with ${JSON.stringify(text.slice(0, 500))} and ends with ${JSON.stringify(text.slice(-500))}`;
}
