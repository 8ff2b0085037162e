// The part of node-llama-cpp that is used here, as types, and how it is loaded: from the installed runtime, else from where Node finds it.

import { stat } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { pathToFileURL } from 'node:url';
import { configFailure, errorCode } from '../errors.ts';
import { runtimeEntry, runtimeFolder } from './places.ts';
import { platformOf } from './platform.ts';
import { runtimeMissing, unsupported } from './runtime.ts';

export type Token = number;

export type HistoryItem =
  | { readonly type: 'system'; readonly text: string }
  | { readonly type: 'user'; readonly text: string }
  | { readonly type: 'model'; readonly response: readonly (string | HistoryCall)[] };

export interface HistoryCall {
  readonly type: 'functionCall';
  readonly name: string;
  readonly params: unknown;
  readonly result: unknown;
  /** Calls that were made at once belong to one chunk. */
  readonly startsNewChunk?: boolean;
}

export type GrammarSchema = Readonly<Record<string, unknown>>;

export type Functions = Readonly<
  Record<string, { readonly description?: string; readonly params?: GrammarSchema }>
>;

export interface TemplatedText {
  readonly values: readonly unknown[];
  tokenize(tokenizer: unknown): Token[];
}

export interface ContextState {
  readonly contextText: TemplatedText;
  readonly stopGenerationTriggers: readonly unknown[];
}

export interface ChatWrapper {
  readonly wrapperName: string;
  generateContextState(options: {
    readonly chatHistory: readonly HistoryItem[];
    readonly availableFunctions?: Functions;
  }): ContextState;
}

export interface Sequence {
  readonly contextTokens: readonly Token[];
  readonly nextTokenIndex: number;
  readonly tokenMeter: { getState(): MeterState; diff(before: MeterState): MeterState };
  eraseContextTokenRanges(ranges: readonly { start: number; end: number }[]): Promise<void>;
  evaluateWithoutGeneratingNewTokens(tokens: readonly Token[]): Promise<void>;
}

export interface MeterState {
  readonly usedInputTokens: number;
  readonly usedOutputTokens: number;
}

export interface Context {
  readonly contextSize: number;
  getSequence(): Sequence;
  dispose(): Promise<void>;
}

export interface Model {
  readonly trainContextSize: number;
  readonly tokenizer: unknown;
  readonly tokens: { readonly bos: Token | null };
  createContext(options: {
    readonly contextSize: number;
    readonly batchSize: number;
    readonly createSignal: AbortSignal;
  }): Promise<Context>;
  dispose(): Promise<void>;
}

export interface Llama {
  readonly gpu: string | false;
  readonly cpuMathCores: number;
  maxThreads: number;
  loadModel(options: {
    readonly modelPath: string;
    readonly loadSignal: AbortSignal;
    readonly onLoadProgress: (share: number) => void;
  }): Promise<Model>;
  createGrammarForJsonSchema(schema: GrammarSchema): Promise<unknown>;
}

export interface ResponseChunk {
  readonly type?: 'segment';
  readonly segmentType?: string;
  readonly text: string;
}

export interface GenerateOptions {
  readonly signal: AbortSignal;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly seed?: number;
  readonly repeatPenalty: false | Readonly<Record<string, number>>;
  readonly customStopTriggers?: readonly string[];
  readonly grammar?: unknown;
  readonly functions?: Functions;
  readonly onResponseChunk: (chunk: ResponseChunk) => void;
}

export interface Generated {
  readonly functionCalls?: readonly { readonly functionName: string; readonly params: unknown }[];
  readonly metadata: { readonly stopReason: string };
}

export interface Chat {
  generateResponse(history: readonly HistoryItem[], options: GenerateOptions): Promise<Generated>;
  dispose(): void;
}

/** What `import('node-llama-cpp')` gives. */
export interface Library {
  readonly LlamaLogLevel: { readonly disabled: string };
  readonly LlamaChat: new (options: {
    readonly contextSequence: Sequence;
    readonly chatWrapper: ChatWrapper;
  }) => Chat;
  LlamaText(values: readonly unknown[]): TemplatedText;
  resolveChatWrapper(model: Model): ChatWrapper;
  getLlama(options: Readonly<Record<string, unknown>>): Promise<Llama>;
}

export interface LoadedLibrary {
  readonly library: Library;
  /** Whether its binaries may reach a graphics processor. */
  readonly gpu: boolean;
}

const loaded = new Map<string, Promise<LoadedLibrary>>();

/** The library. Rejects with a Failure (exit 3) that says how to install it, or that it cannot run here. */
export function loadLibrary(models: string): Promise<LoadedLibrary> {
  const before = loaded.get(models) ?? load(models);
  loaded.set(models, before);
  // A failure is not kept: the runtime may be installed in the meantime.
  before.catch(() => loaded.delete(models));
  return before;
}

async function load(models: string): Promise<LoadedLibrary> {
  const fitting = platformOf({ os: platform(), arch: arch() });
  const entry =
    fitting === undefined ? undefined : runtimeEntry(runtimeFolder(models, fitting.name));
  if (fitting !== undefined && entry !== undefined && (await isFile(entry)))
    return { library: await importFrom(pathToFileURL(entry).href), gpu: fitting.gpu };
  try {
    return { library: await importFrom('node-llama-cpp'), gpu: true };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (fitting === undefined)
      throw unsupported(`no prebuilt binary for ${platform()} on ${arch()}`);
    throw runtimeMissing();
  }
}

async function importFrom(place: string): Promise<Library> {
  const library: unknown = await import(place);
  if (typeof library === 'object' && library !== null && 'LlamaChat' in library)
    return library as Library;
  throw configFailure('runtime-unsupported', 'the node-llama-cpp that was found is too old', {
    next: 'chat model pull',
    facts: { kind: 'configuration' },
  });
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

const isNotFound = (error: unknown): boolean => errorCode(error) === 'ERR_MODULE_NOT_FOUND';
