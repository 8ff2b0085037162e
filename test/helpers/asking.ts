// What a backend needs to be asked in a test: endpoint, request, context over the real network. Waits are short, warnings and retries are kept.

import { addEvent } from '../../src/backends/joined.ts';
import type {
  Backend,
  BackendContext,
  PromptRequest,
  ReplyEvent,
  RetryNotice,
} from '../../src/backends/types.ts';
import type { Endpoint } from '../../src/config/types.ts';
import { Failure } from '../../src/errors.ts';
import type { Chat } from '../../src/types.ts';
import { createClock } from '../../src/world/clock.ts';
import { createFiles } from '../../src/world/files.ts';
import { createHttp } from '../../src/world/http.ts';
import type { Environment } from '../../src/world/types/world.ts';

/** An endpoint `fake` at the base `url` (the server's address and `/v1`). */
export function fakeEndpoint(url: string, rest: Partial<Endpoint> = {}): Endpoint {
  return {
    name: 'fake',
    backend: 'openai',
    url,
    model: 'fake-mini',
    headers: {},
    source: 'etc/AI/fake.yaml',
    ...rest,
    settings: { retry_base: 0.001, ...rest.settings },
  };
}

/** A question to an endpoint; text stands for one user message. */
export function fakeRequest(
  endpoint: Endpoint,
  messages: Chat | string = 'What flies?',
  rest: Partial<PromptRequest> = {},
): PromptRequest {
  return {
    messages: typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages,
    tools: [],
    endpoint,
    attachments: new Map(),
    turnStart: 0,
    sessionId: 'session-1',
    ...rest,
  };
}

export interface AskedContext extends BackendContext {
  readonly warnings: string[];
  readonly retries: RetryNotice[];
}

export function askContext(
  rest: Partial<BackendContext> & { readonly env?: Environment } = {},
): AskedContext {
  const warnings: string[] = [];
  const retries: RetryNotice[] = [];
  const env = rest.env ?? {};
  return {
    http: createHttp(env),
    clock: { ...createClock(), random: () => 0 },
    files: createFiles(),
    env,
    signal: new AbortController().signal,
    onRetry: (notice) => retries.push(notice),
    warn: (message) => warnings.push(message),
    modelsFolder: '/nowhere',
    warnings,
    retries,
    ...rest,
  };
}

export interface Asked {
  readonly events: readonly ReplyEvent[];
  readonly text: string;
  readonly thinking: string;
  /** What the reply ended with in place of `finish`. */
  readonly failure: Failure | undefined;
  readonly warnings: readonly string[];
  readonly retries: readonly RetryNotice[];
}

/** Asks and takes everything; a Failure is a result, anything else is thrown. */
export async function askBackend(
  backend: Backend,
  request: PromptRequest,
  context: AskedContext = askContext(),
): Promise<Asked> {
  const events: ReplyEvent[] = [];
  let failure: Failure | undefined;
  try {
    // How a text is cut into events depends on how it arrived.
    for await (const event of backend.reply(request, context)) addEvent(events, event);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    failure = error;
  }
  return {
    events,
    text: joined(events, 'text'),
    thinking: joined(events, 'thinking'),
    failure,
    warnings: context.warnings,
    retries: context.retries,
  };
}

const joined = (events: readonly ReplyEvent[], kind: 'text' | 'thinking'): string =>
  events.map((event) => (event.kind === kind ? event.text : '')).join('');

/** The events of one kind. */
export const ofKind = <Kind extends ReplyEvent['kind']>(
  events: readonly ReplyEvent[],
  kind: Kind,
): Extract<ReplyEvent, { kind: Kind }>[] =>
  events.filter((event): event is Extract<ReplyEvent, { kind: Kind }> => event.kind === kind);

export const callsOf = (events: readonly ReplyEvent[]) =>
  ofKind(events, 'tool-call').map(({ call }) => call);
export const tokensOf = (events: readonly ReplyEvent[]) =>
  ofKind(events, 'usage').map(({ tokens }) => tokens);
export const finishOf = (events: readonly ReplyEvent[]) =>
  ofKind(events, 'finish').map(({ reason }) => reason);
// biome-ignore lint/suspicious/noExplicitAny: tests reach into blocks of every shape
export const blocksOf = (events: readonly ReplyEvent[]): readonly any[] =>
  ofKind(events, 'provider-content').flatMap(({ blocks }) => blocks);
