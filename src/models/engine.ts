// Keeps one embedded model loaded and lets it continue a history: load, read the prompt in steps, generate. One request at a time.
// The same prompt gives the same answer at temperature 0, whatever was asked before in this process.

import { errorWords, Failure, providerFailure } from '../errors.ts';
import type { ChatWrapper, Functions, GenerateOptions, HistoryItem, Token } from './llama.ts';
import { type EngineSettings, type Loaded, loadModel, tooLong, withContext } from './loading.ts';

export interface EngineRequest {
  /** Folder of the pulled models; the runtime lies beside it. */
  readonly models: string;
  /** The GGUF file. */
  readonly path: string;
  readonly history: readonly HistoryItem[];
  readonly functions?: Functions;
  /** The answer must be a call of one of the functions. */
  readonly mustCall: boolean;
  /** Schema of the answer; never together with functions. */
  readonly grammar?: Readonly<Record<string, unknown>>;
  readonly sampling: Pick<
    GenerateOptions,
    'temperature' | 'topP' | 'topK' | 'minP' | 'seed' | 'repeatPenalty' | 'customStopTriggers'
  >;
  /** Tokens of the answer; at most what the context has left when absent. */
  readonly maxTokens?: number;
  readonly settings: EngineSettings;
  readonly signal: AbortSignal;
}

/** Called as things happen, in order. */
export interface EngineWatch {
  progress(phase: 'load' | 'prompt' | 'generate', done: number, total: number): void;
  text(text: string): void;
  thinking(text: string): void;
}

export interface EngineResult {
  readonly calls: readonly { readonly name: string; readonly params: unknown }[];
  readonly stop: 'stop' | 'length' | 'calls';
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Prompt tokens that were still in the context from the request before. */
  readonly reusedTokens: number;
}

/** Longest answer when nothing else is said: a small model that has lost the thread would go on for ever. */
const DEFAULT_ANSWER = 4096;
/** Room for what a call adds to the context besides the tokens that the model chooses. */
const CALL_ROOM = 256;

let queue: Promise<unknown> = Promise.resolve();

/** Runs one request when those before it are done. Rejects with a Failure, or with the signal's reason when the model has stopped. */
export function generate(request: EngineRequest, watch: EngineWatch): Promise<EngineResult> {
  const turn = queue.then(() => {
    request.signal.throwIfAborted();
    return work(request, watch);
  });
  queue = turn.catch(() => {});
  return turn;
}

async function work(request: EngineRequest, watch: EngineWatch): Promise<EngineResult> {
  const loaded = await loadModel(request, (done, total) => watch.progress('load', done, total));
  const wrapper = request.mustCall ? callingAtOnce(loaded.wrapper) : loaded.wrapper;
  const tokens = promptTokens(wrapper, request, loaded);
  const room = request.functions === undefined ? 2 : CALL_ROOM;
  const limit = Math.min(loaded.model.trainContextSize, request.settings.contextSize ?? Infinity);
  if (tokens.length + room > limit) throw tooLong(request.path, tokens.length, limit);
  const answer = Math.min(request.maxTokens ?? DEFAULT_ANSWER, limit - tokens.length - room);
  await withContext(loaded, tokens.length + answer + room, limit, request);
  const reusedTokens = await readPrompt(loaded, tokens, request.signal, (done) =>
    watch.progress('prompt', done, tokens.length),
  );
  return {
    ...(await answerTo(request, loaded, wrapper, answer, watch)),
    promptTokens: tokens.length,
    reusedTokens,
  };
}

/** A template that opens a call where the answer begins. */
function callingAtOnce(wrapper: ChatWrapper): ChatWrapper {
  const calling: ChatWrapper = Object.create(wrapper);
  calling.generateContextState = (options) => {
    const { contextText, stopGenerationTriggers } = wrapper.generateContextState(options);
    const functionCall = { initiallyEngaged: true, disengageInitiallyEngaged: [] };
    return { contextText, stopGenerationTriggers, functionCall };
  };
  return calling;
}

function promptTokens(
  wrapper: ChatWrapper,
  { history, functions, path }: EngineRequest,
  { model }: Loaded,
): readonly Token[] {
  const open: readonly HistoryItem[] =
    history.at(-1)?.type === 'model' ? history : [...history, { type: 'model', response: [] }];
  try {
    const state = wrapper.generateContextState({
      chatHistory: open,
      ...(functions === undefined ? {} : { availableFunctions: functions }),
    });
    return state.contextText.tokenize(model.tokenizer);
  } catch (error) {
    throw failedAt(path, error);
  }
}

/** A template that refuses a conversation, a grammar that cannot be made … */
function failedAt(path: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  const reason = errorWords(cause);
  return providerFailure('model-failed', `the embedded model gave up: ${reason}`, {
    detail: [`model file "${path}"`],
    next: 'shorten or simplify the chat, or ask another model (-m)',
    facts: { kind: 'bad_request' },
    cause,
  });
}

/**
 * Evaluates the prompt but its last token, in steps of a fixed size counted from its start. Only whole steps of the prompt before are
 * reused: the numbers that come out of a step depend on how many tokens are in it. Returns how many tokens were reused.
 */
async function readPrompt(
  { session, step }: Loaded,
  tokens: readonly Token[],
  signal: AbortSignal,
  onStep: (done: number) => void,
): Promise<number> {
  if (session === undefined) return 0;
  const { sequence } = session;
  const last = tokens.length - 1;
  const same = commonStart(sequence.contextTokens, tokens.slice(0, last));
  const keep = Math.floor(Math.min(same, session.wholeSteps) / step) * step;
  session.wholeSteps = Math.min(session.wholeSteps, keep);
  if (sequence.nextTokenIndex > keep)
    await sequence.eraseContextTokenRanges([{ start: keep, end: sequence.nextTokenIndex }]);
  // Some models cannot forget a part: then less is left than was to be kept.
  const reused = sequence.nextTokenIndex;
  for (let done = reused; done < last; ) {
    signal.throwIfAborted();
    onStep(done);
    const end = Math.min(last, done + step - (done % step));
    await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(done, end));
    done = end;
    session.wholeSteps = Math.floor(done / step) * step;
  }
  onStep(tokens.length);
  return reused;
}

function commonStart(one: readonly Token[], other: readonly Token[]): number {
  const most = Math.min(one.length, other.length);
  let index = 0;
  while (index < most && one[index] === other[index]) index++;
  return index;
}

async function answerTo(
  request: EngineRequest,
  loaded: Loaded,
  chatWrapper: ChatWrapper,
  maxTokens: number,
  watch: EngineWatch,
): Promise<Pick<EngineResult, 'calls' | 'stop' | 'completionTokens'>> {
  const { library, llama, session } = loaded;
  if (session === undefined) throw new TypeError('the context is made before an answer');
  const { sequence } = session;
  const { functions, grammar, sampling, signal } = request;
  const chat = new library.LlamaChat({ contextSequence: sequence, chatWrapper });
  const before = sequence.tokenMeter.getState();
  const counted = () => sequence.tokenMeter.diff(before).usedOutputTokens;
  try {
    const answer = await chat.generateResponse(request.history, {
      ...sampling,
      signal,
      maxTokens,
      ...(functions === undefined ? {} : { functions }),
      ...(grammar === undefined
        ? {}
        : { grammar: await llama.createGrammarForJsonSchema(grammar) }),
      onResponseChunk({ type, text }) {
        if (text !== '') (type === 'segment' ? watch.thinking : watch.text)(text);
        watch.progress('generate', counted(), maxTokens);
      },
    });
    return {
      calls: (answer.functionCalls ?? []).map(({ functionName, params }) => ({
        name: functionName,
        params,
      })),
      stop: stopOf(answer.metadata.stopReason),
      completionTokens: counted(),
    };
  } catch (error) {
    signal.throwIfAborted();
    throw failedAt(request.path, error);
  } finally {
    chat.dispose();
  }
}

function stopOf(reason: string): EngineResult['stop'] {
  if (reason === 'maxTokens') return 'length';
  return reason === 'functionCalls' ? 'calls' : 'stop';
}
