// One call of a tool: arguments checked, run under its time limit, its result made into the pair that is stored.

import { errorWords } from '../errors.ts';
import { parsedJson } from '../json.ts';
import type { Chat, Tool, ToolCall, ToolOutput } from '../types.ts';
import { callMessages } from './messages.ts';
import { keepImages } from './tool-images.ts';
import type { KeepImage, KeptImage } from './types/run.ts';

export interface CallOptions {
  readonly chat: Chat;
  readonly signal: AbortSignal;
  readonly clock: { monotonic(): number };
  /** Longest result that is sent, in characters. */
  readonly maxLength: number;
  /** Longest time of one call, in milliseconds; no limit when absent. */
  readonly timeout?: number;
  /** Told how far the call is. */
  readonly tell?: (text: string) => void;
  readonly keepImage?: KeepImage | undefined;
}

export interface Outcome {
  readonly messages: Chat;
  /** They go behind the outputs of all calls of the batch. */
  readonly images: readonly KeptImage[];
  readonly failed: boolean;
  /** The result was there already. */
  readonly reused: boolean;
  readonly seconds: number;
}

/** Runs one call. What goes wrong in it is an output that says so; rejects only with the reason of the run's own signal. */
export async function runCall(
  call: ToolCall,
  tools: readonly Tool[],
  options: CallOptions,
): Promise<Outcome> {
  const started = options.clock.monotonic();
  const parsed = parseArguments(call.arguments);
  const output =
    'problem' in parsed
      ? failure(parsed.problem)
      : await outputOf(call, parsed.args, tools, options);
  const { content, failed, reused = false, images = [], ...extra } = output;
  return {
    images,
    messages: callMessages(
      // Text that is no JSON is stored as it came, so that nobody takes it for a call that was run.
      { ...call, arguments: 'problem' in parsed ? call.arguments : parsed.args },
      { content, ...extra },
    ),
    failed,
    reused,
    seconds: (options.clock.monotonic() - started) / 1000,
  };
}

interface Stored {
  readonly content: string;
  readonly failed: boolean;
  readonly reused?: boolean;
  readonly exception?: string;
  readonly images?: readonly KeptImage[];
  /** `SERVER/TOOL` of an MCP server. */
  readonly mcp?: string;
  /** Path of the job. */
  readonly step?: string;
  /** Receipts of delegated work. */
  readonly meta?: readonly unknown[];
}

async function outputOf(
  call: ToolCall,
  args: Readonly<Record<string, unknown>>,
  tools: readonly Tool[],
  options: CallOptions,
): Promise<Stored> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const names = tools.map(({ name }) => name).join(', ') || 'none';
    return failure(`there is no tool "${call.name}"; the tools are: ${names}`);
  }
  try {
    const output = await timed(call, args, tool, options);
    // A tool may tell its own end as a result: the run has ended all the same.
    options.signal.throwIfAborted();
    return await withImages(output, stored(output, options.maxLength), options);
  } catch (error) {
    options.signal.throwIfAborted();
    return failure(errorWords(error));
  }
}

/** How long a tool that was stopped may take to leave, in milliseconds. */
const LEAVING = 10_000;

/** The tool's signal aborts with the run and at the time limit; a tool that does not listen is left behind then. */
async function timed(
  call: ToolCall,
  args: Readonly<Record<string, unknown>>,
  tool: Tool,
  { chat, signal, timeout, tell }: CallOptions,
): Promise<ToolOutput> {
  const told = tell === undefined ? {} : { tell };
  if (timeout === undefined) return tool.call(args, { callId: call.id, chat, signal, ...told });
  const limit = new AbortController();
  const going = tool.call(args, {
    callId: call.id,
    chat,
    signal: AbortSignal.any([signal, limit.signal]),
    ...told,
  });
  const first = await Promise.race([going, after(timeout, 'late' as const)]);
  if (first !== 'late') return first;
  limit.abort();
  const left = await Promise.race([going.catch(() => undefined), after(LEAVING, undefined)]);
  return {
    content: null,
    exception: `it did not end within ${timeout / 1000} s (tool_timeout) and was stopped`,
    ...(left?.job === undefined ? {} : { job: left.job }),
    ...(left?.receipts === undefined ? {} : { receipts: left.receipts }),
    ...(left?.mcp === undefined ? {} : { mcp: left.mcp }),
  };
}

/** A timer that keeps no process alive by itself. */
function after<T>(milliseconds: number, value: T): Promise<T> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(value), milliseconds).unref();
  });
}

function stored(output: ToolOutput, maxLength: number): Stored {
  const extra = {
    ...(output.job === undefined ? {} : { step: output.job }),
    ...(output.receipts === undefined ? {} : { meta: output.receipts }),
    ...(output.mcp === undefined ? {} : { mcp: output.mcp }),
  };
  if (output.exception !== undefined) return { ...failure(output.exception), ...extra };
  const text = resultText(output.content);
  if (text.length > maxLength)
    return { ...failure(tooLong(text, maxLength, output.job)), ...extra };
  return { content: text, failed: false, reused: output.reused === true, ...extra };
}

/** A result that is not sent has no images either. */
async function withImages(
  { images = [] }: ToolOutput,
  result: Stored,
  { keepImage }: CallOptions,
): Promise<Stored> {
  if (images.length === 0 || result.failed) return result;
  const kept = await keepImages(images, keepImage);
  return {
    ...result,
    content: [result.content, ...kept.notes].join('\n\n'),
    images: kept.images,
  };
}

const failure = (message: string): Stored => ({
  content: JSON.stringify({ exception: message }),
  exception: message,
  failed: true,
});

/** No arguments at all mean an empty object; text that is no JSON object is told to the model, never guessed. */
export function parseArguments(
  given: ToolCall['arguments'],
): { args: Readonly<Record<string, unknown>> } | { problem: string } {
  if (typeof given !== 'string') return { args: given ?? {} };
  if (given.trim() === '') return { args: {} };
  try {
    const value: unknown = parsedJson(given);
    if (value === null) return { args: {} };
    if (typeof value === 'object' && !Array.isArray(value))
      return { args: value as Record<string, unknown> };
    return { problem: `the arguments must be a JSON object, but were: ${given.slice(0, 200)}` };
  } catch (error) {
    return {
      problem: `the arguments are not valid JSON (${errorWords(error)}); the call was not run: ${given.slice(0, 200)}`,
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
