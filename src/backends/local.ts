// The embedded model: a GGUF file that runs in this process. Puts a request into the engine's terms and its events into ours.
// src/models holds the engine and reads model files and the runtime by itself; everything else reaches the machine through ports.

import { DEFAULT_MODEL } from '../models/catalogue.ts';
import {
  type EngineRequest,
  type EngineResult,
  type EngineWatch,
  generate,
} from '../models/engine.ts';
import { ANY_OBJECT, toGrammarSchema } from '../models/grammar-schema.ts';
import { toHistory } from '../models/history.ts';
import { findModel, listInstalled } from '../models/installed.ts';
import type { Functions } from '../models/llama.ts';
import { withoutOptionalNulls } from '../models/optional-nulls.ts';
import type { ToolSpec } from '../types.ts';
import { channel } from './channel.ts';
import { numberSetting } from './settings.ts';
import { toolChoice } from './tool-choice.ts';
import type { Backend, BackendContext, FinishReason, PromptRequest, ReplyEvent } from './types.ts';

export const local: Backend = {
  name: 'local',
  wire: async (request) => ({
    model: request.endpoint.model ?? DEFAULT_MODEL,
    history: toHistory(request.messages, request.note),
    ...(request.tools.length === 0 ? {} : { tools: request.tools }),
    ...(request.format === undefined ? {} : { format: request.format }),
    options: { ...optionsOf(request) },
  }),
  reply,
  async models(_endpoint, context) {
    const installed = await listInstalled(context.modelsFolder, context.files);
    return installed.map(({ name }) => ({ id: name }));
  },
};

async function* reply(request: PromptRequest, context: BackendContext): AsyncGenerator<ReplyEvent> {
  const { signal } = context;
  signal.throwIfAborted();
  const { name, path } = await findModel(request.endpoint.model, context.modelsFolder, context);
  const events = channel<ReplyEvent>();
  const left = new AbortController();
  const given: EngineRequest = {
    models: context.modelsFolder,
    path,
    history: toHistory(request.messages, request.note),
    ...(await constraints(request, context)),
    ...optionsOf(request),
    signal: AbortSignal.any([signal, left.signal]),
  };
  // A stop is told at once, also while the model is in the middle of something that cannot be stopped.
  const stop = () => events.fail(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  generate(given, watch(events.push)).then(
    (result) => {
      for (const event of ending(result, name, request, context)) events.push(event);
      events.end();
    },
    (error: unknown) => events.fail(error),
  );
  try {
    yield* events.read();
  } finally {
    signal.removeEventListener('abort', stop);
    // Nobody reads any more: no use in going on.
    left.abort();
  }
}

/** Only whole percents and tokens that are news. */
function watch(push: (event: ReplyEvent) => void): EngineWatch {
  let told = '';
  return {
    progress(phase, done, total) {
      const now = `${phase} ${done}`;
      if (now !== told) push({ kind: 'progress', phase, done, total });
      told = now;
    },
    text: (text) => push({ kind: 'text', text }),
    thinking: (text) => push({ kind: 'thinking', text }),
  };
}

function* ending(
  result: EngineResult,
  model: string,
  request: PromptRequest,
  context: BackendContext,
): Generator<ReplyEvent> {
  const { promptTokens: pt, completionTokens: ct, reusedTokens: cct } = result;
  for (const { name, params } of result.calls) {
    const schema = request.tools.find((tool) => tool.name === name)?.parameters;
    const args = withoutOptionalNulls(params ?? {}, schema) as Readonly<Record<string, unknown>>;
    yield {
      kind: 'tool-call',
      call: { id: `call_${context.clock.id()}`, name, arguments: args },
    };
  }
  yield { kind: 'usage', tokens: { pt, ct, tt: pt + ct, ...(cct > 0 ? { cct } : {}) } };
  yield { kind: 'served', model };
  yield { kind: 'finish', reason: finishOf(result) };
}

function finishOf({ stop }: EngineResult): FinishReason {
  return { reason: stop === 'calls' ? 'tool_calls' : stop };
}

/** Tools or the form of the answer, as grammars. A request with both gets its tools; the form is asked for when they are used up. */
async function constraints(
  request: PromptRequest,
  { warn }: BackendContext,
): Promise<Pick<EngineRequest, 'functions' | 'mustCall' | 'grammar'>> {
  const { format } = request;
  const offered = toolsToOffer(request);
  if (offered.tools.length > 0) {
    if (format !== undefined)
      warn(
        'the embedded model cannot be held to a format while it has tools: "format" has no effect',
      );
    return { functions: toFunctions(offered.tools, warn), mustCall: offered.must };
  }
  if (format === undefined) return { mustCall: false };
  if (format === 'json') return { mustCall: false, grammar: ANY_OBJECT };
  const { schema, ignored } = toGrammarSchema(format, 'required');
  tellIgnored(ignored, 'the format', warn);
  return { mustCall: false, grammar: schema };
}

/** `tool_choice` is `auto`, `none`, `required`, or a tool that must be called. A result that came back is answered freely. */
function toolsToOffer(request: PromptRequest): {
  readonly tools: readonly ToolSpec[];
  readonly must: boolean;
} {
  const { tools } = request;
  const choice = tools.length === 0 ? 'none' : toolChoice(request);
  if (choice === 'none') return { tools: [], must: false };
  if (choice === 'auto') return { tools, must: false };
  if (choice === 'required') return { tools, must: true };
  return { tools: tools.filter(({ name }) => name === choice.name), must: true };
}

function toFunctions(tools: readonly ToolSpec[], warn: (message: string) => void): Functions {
  const functions: Record<string, Functions[string]> = {};
  for (const { name, description, parameters } of tools) {
    const { schema, ignored } = toGrammarSchema(parameters, 'nullable');
    tellIgnored(ignored, `the tool "${name}"`, warn);
    const hasParameters =
      schema.properties !== undefined || schema.additionalProperties !== undefined;
    functions[name] = { description, ...(hasParameters ? { params: schema } : {}) };
  }
  return functions;
}

function tellIgnored(
  ignored: readonly string[],
  what: string,
  warn: (message: string) => void,
): void {
  if (ignored.length > 0)
    warn(`the embedded model cannot be held to ${ignored.join(', ')} in the schema of ${what}`);
}

/** What a free answer has against itself when nothing is said: without it a small model says one sentence again until it may say no more. */
const FREE_PENALTY = 1.1;

/** Settings in the engine's terms. */
function optionsOf({
  endpoint,
  format,
  tools,
}: PromptRequest): Pick<EngineRequest, 'sampling' | 'maxTokens' | 'settings'> {
  const number = (...names: readonly string[]) => {
    for (const name of names) {
      const value = numberSetting(endpoint, name, -Infinity);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const { gpu, stop } = endpoint.settings;
  // Forms and calls repeat names and marks by their nature.
  const usual = format === undefined && tools.length === 0 ? FREE_PENALTY : 1;
  const penalty = number('repeat_penalty', 'repetition_penalty') ?? usual;
  const stops = typeof stop === 'string' ? [stop] : Array.isArray(stop) ? stop.map(String) : [];
  return {
    sampling: {
      temperature: number('temperature') ?? 0,
      ...defined({
        topP: number('top_p'),
        topK: number('top_k'),
        minP: number('min_p'),
        seed: number('seed'),
      }),
      repeatPenalty: penalty === 1 ? false : { penalty },
      ...(stops.length === 0 ? {} : { customStopTriggers: stops }),
    },
    ...defined({ maxTokens: number('max_tokens', 'max_completion_tokens') }),
    settings: {
      ...defined({
        contextSize: number('num_ctx', 'context_window'),
        threads: number('threads') || undefined,
      }),
      ...(typeof gpu === 'boolean' || typeof gpu === 'string' ? { gpu: gpuOf(gpu) } : {}),
    },
  };
}

function gpuOf(value: boolean | string): boolean | string {
  if (value === 'true' || value === 'auto') return true;
  return value === 'false' || value === 'off' ? false : value;
}

function defined<Fields extends Record<string, number | undefined>>(
  fields: Fields,
): { readonly [Name in keyof Fields]?: number } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: number;
  };
}
