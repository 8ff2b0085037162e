// Loads a model and makes its context, keeps both for the next request, and says in plain words why one cannot be loaded.

import { stat } from 'node:fs/promises';
import { configFailure, errorWords, Failure, providerFailure, workFailure } from '../errors.ts';
import {
  type ChatWrapper,
  type Context,
  type Library,
  type Llama,
  loadLibrary,
  type Model,
  type Sequence,
} from './llama.ts';
import { unsupported } from './runtime.ts';
import { defaultThreads } from './threads.ts';

export interface EngineSettings {
  /** Largest context, in tokens. */
  readonly contextSize?: number;
  readonly threads?: number;
  /** `false`: the processor alone. A word: that kind of graphics processor. */
  readonly gpu?: boolean | string;
}

/** A context and what is known about its content. */
export interface Session {
  readonly context: Context;
  readonly sequence: Sequence;
  /** So many tokens at its start were evaluated in whole steps. */
  wholeSteps: number;
}

export interface Loaded {
  readonly key: string;
  readonly library: Library;
  readonly llama: Llama;
  readonly model: Model;
  readonly wrapper: ChatWrapper;
  /** Tokens of a prompt that are evaluated at once. */
  readonly step: number;
  session: Session | undefined;
}

interface LoadRequest {
  readonly models: string;
  readonly path: string;
  readonly settings: EngineSettings;
  readonly signal: AbortSignal;
}

/** On a processor larger steps are no faster, and a stop waits for the end of one. */
const STEPS = { processor: 64, graphics: 512 } as const;
/** Contexts are made in multiples of so many tokens, so that a conversation that grows needs a new one now and then only. */
const CONTEXT_UNIT = 1024;

let current: Loaded | undefined;
const llamas = new Map<string, Promise<Llama>>();

/** The model of that file: the one of the request before when it is the same, else a fresh one in its place. */
export async function loadModel(
  request: LoadRequest,
  onProgress: (done: number, total: number) => void,
): Promise<Loaded> {
  const { models, path, settings, signal } = request;
  const { library, gpu } = await loadLibrary(models);
  signal.throwIfAborted();
  const llama = await startLlama(library, models, settings.gpu ?? (gpu ? 'auto' : false));
  signal.throwIfAborted();
  const threads = settings.threads ?? defaultThreads(llama.cpuMathCores);
  llama.maxThreads = threads;
  const key = JSON.stringify([models, path, settings.gpu, threads, await identity(path)]);
  if (current?.key === key) return current;
  await unload();
  try {
    onProgress(0, 100);
    const model = await llama.loadModel({
      modelPath: path,
      loadSignal: signal,
      onLoadProgress: (share) => onProgress(Math.floor(share * 20) * 5, 100),
    });
    const wrapper = templateOf(model, library);
    const step = llama.gpu === false ? STEPS.processor : STEPS.graphics;
    current = { key, library, llama, model, wrapper, step, session: undefined };
    return current;
  } catch (error) {
    signal.throwIfAborted();
    throw cannotLoad(path, error);
  }
}

/** The model's chat template. Some models' first token opens each message: the library would put it there twice. */
function templateOf(model: Model, library: Library): ChatWrapper {
  const wrapper = library.resolveChatWrapper(model);
  const { bos } = model.tokens;
  const probe = { chatHistory: [{ type: 'user', text: 'x' }] } as const;
  const [first, second] = wrapper.generateContextState(probe).contextText.tokenize(model.tokenizer);
  if (bos === null || first !== bos || second !== bos) return wrapper;
  const once: ChatWrapper = Object.create(wrapper);
  once.generateContextState = (options) => {
    const state = wrapper.generateContextState(options);
    return { ...state, contextText: library.LlamaText(state.contextText.values.slice(1)) };
  };
  return once;
}

async function unload(): Promise<void> {
  const before = current;
  current = undefined;
  await before?.session?.context.dispose();
  await before?.model.dispose();
}

/** A file that was replaced is another model. */
async function identity(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  return `${size} ${mtimeMs}`;
}

function startLlama(library: Library, models: string, gpu: boolean | string): Promise<Llama> {
  const key = `${models} ${gpu}`;
  const before = llamas.get(key);
  if (before !== undefined) return before;
  const started = library
    .getLlama({
      gpu: gpu === true ? 'auto' : gpu,
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      logLevel: library.LlamaLogLevel.disabled,
      // Nothing of the library may reach the terminal.
      logger: () => {},
    })
    .catch((error: unknown) => {
      llamas.delete(key);
      throw isNoBinary(error)
        ? unsupported(
            gpu === false || gpu === 'auto'
              ? 'no prebuilt binary loads on this machine'
              : `no prebuilt binary for "gpu: ${gpu}" loads on this machine`,
          )
        : error;
    });
  llamas.set(key, started);
  return started;
}

const isNoBinary = (error: unknown): boolean =>
  error instanceof Error && error.constructor.name === 'NoBinaryFoundError';

/** Sees to it that the model has a context of at least so many tokens, never more than `limit` (and a rest for rounding). */
export async function withContext(
  loaded: Loaded,
  tokens: number,
  limit: number,
  { path, signal }: LoadRequest,
): Promise<void> {
  const before = loaded.session;
  if (before !== undefined && before.context.contextSize >= tokens) return;
  const size = Math.min(limit, Math.ceil(tokens / CONTEXT_UNIT) * CONTEXT_UNIT);
  loaded.session = undefined;
  await before?.context.dispose();
  try {
    const context = await loaded.model.createContext({
      contextSize: size,
      batchSize: Math.min(loaded.step, size),
      createSignal: signal,
    });
    loaded.session = { context, sequence: context.getSequence(), wholeSteps: 0 };
  } catch (error) {
    signal.throwIfAborted();
    throw isMemory(error) ? noMemory(path, size, error) : cannotLoad(path, error);
  }
}

const isMemory = (error: unknown): boolean =>
  error instanceof Error && error.constructor.name === 'InsufficientMemoryError';

function noMemory(path: string, size: number, cause: unknown): Failure {
  return workFailure('out-of-memory', `no memory for a context of ${size} tokens of "${path}"`, {
    next: 'set a smaller "num_ctx", shorten the chat, or use a smaller model',
    facts: { kind: 'bad_request', context_window: size },
    cause,
  });
}

/** The prompt does not fit into the context. */
export function tooLong(path: string, prompt: number, window: number): Failure {
  const group = (count: number) => count.toLocaleString('en-US');
  return providerFailure(
    'context-overflow',
    `the prompt is too long for the embedded model: ${group(prompt)} tokens, and ${group(window)} fit`,
    {
      detail: [`model file "${path}"`],
      next: 'shorten the chat ("clear:" drops what stands before it), or ask a model with a larger context (-m)',
      facts: {
        kind: 'bad_request',
        context_overflow: true,
        prompt_tokens: prompt,
        context_window: window,
      },
    },
  );
}

/** Whatever the library says about a file, in one line that names it. */
export function cannotLoad(path: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  if (isMemory(cause))
    return workFailure('out-of-memory', `no memory to load "${path}"`, {
      next: 'use a smaller model, or set "gpu: false" when it is the graphics memory that is full',
      facts: { kind: 'bad_request' },
      cause,
    });
  const reason = errorWords(cause);
  return configFailure('model-unreadable', `the model "${path}" cannot be used: ${reason}`, {
    next: 'pull it again with "chat model pull", or use another GGUF file (-m)',
    facts: { kind: 'configuration' },
    cause,
  });
}
