// Whether a server has read the whole prompt. Ollama cuts the beginning off a prompt that is longer than its window, and says nothing.

import type { Endpoint } from '../../config/types.ts';
import { type Fields, fields, list, text } from '../../json.ts';
import { fetchJson } from '../http/transport.ts';
import { isSize } from '../model-list.ts';
import { keyHeader } from '../place.ts';
import type { BackendContext } from '../types.ts';
import { contextSetting } from './body.ts';
import { ollamaPlace, ollamaScope } from './place.ts';

/** Below this a prompt fits every window, and its length says little. */
const SHORTEST = 1000;
const CHARACTERS_A_TOKEN = 4;
/** Seconds for a question about the model. */
const PATIENCE = 5;

export interface ModelFacts {
  /** Tokens that the model can have in its window at most. */
  readonly most?: number;
  /** Tokens that its window has when nobody says otherwise. */
  readonly usual?: number;
}

/** Asks a server about its models, once a process; what it does not say stays unknown. */
export function createModelFacts() {
  const known = new Map<string, Promise<ModelFacts>>();
  return (endpoint: Endpoint, context: BackendContext): Promise<ModelFacts> => {
    const scope = ollamaScope(endpoint);
    const facts = known.get(scope) ?? askFacts(endpoint, context);
    known.set(scope, facts);
    return facts;
  };
}

/**
 * The warning when the server counted far fewer tokens than the text must have; undefined when all is well. A server that counts only what its cache
 * did not hold is not wronged: a window that is known to be large enough ends the matter.
 */
export async function cutWarning(
  { endpoint, body, counted }: { endpoint: Endpoint; body: Fields; counted: number | undefined },
  factsOf: ReturnType<typeof createModelFacts>,
  context: BackendContext,
): Promise<string | undefined> {
  const expected = Math.round(charactersIn(body) / CHARACTERS_A_TOKEN);
  if (counted === undefined || expected < SHORTEST || counted * 2 > expected) return undefined;
  const facts = await factsOf(endpoint, context);
  const window =
    contextSetting({ endpoint }) ?? (await loadedWindow(endpoint, context)) ?? facts.usual;
  if (window !== undefined && window > expected * 1.2) return undefined;
  const size = window === undefined ? '' : ` (${count(window)} tokens)`;
  const most = facts.most === undefined ? '' : `; the model can have ${count(facts.most)}`;
  return `${endpoint.model ?? 'the model'} has read ${count(counted)} tokens of a prompt of about ${count(expected)}: the beginning was cut off, for its window${size} is too small. Set "num_ctx" to more${most}`;
}

const count = (number: number): string => number.toLocaleString('en-US');

/** Text of the messages; pictures are counted in another way. */
function charactersIn({ messages }: Fields): number {
  return list(messages)
    .map(fields)
    .reduce((sum, { content, tool_calls: calls }) => {
      const called = calls === undefined ? 0 : JSON.stringify(calls).length;
      return sum + (text(content)?.length ?? 0) + called;
    }, 0);
}

async function askFacts(endpoint: Endpoint, context: BackendContext): Promise<ModelFacts> {
  const body = JSON.stringify({ model: endpoint.model });
  const shown = fields(await probe(endpoint, '/api/show', context, body));
  const info = Object.entries(fields(shown.model_info));
  const most = info.find(([name]) => name.endsWith('.context_length'))?.[1];
  const usual = /^num_ctx\s+(\d+)/m.exec(text(shown.parameters) ?? '')?.[1];
  return {
    ...(isSize(most) ? { most } : {}),
    ...(usual === undefined ? {} : { usual: Number(usual) }),
  };
}

/** The window of the model as it is loaded now. */
async function loadedWindow(
  endpoint: Endpoint,
  context: BackendContext,
): Promise<number | undefined> {
  const running = list(fields(await probe(endpoint, '/api/ps', context)).models).map(fields);
  const names = [endpoint.model, `${endpoint.model}:latest`];
  const own = running.find(({ name, model }) =>
    names.some((each) => each === name || each === model),
  );
  return isSize(own?.context_length) ? own.context_length : undefined;
}

/** The answer, undefined when there is none: nothing that was asked for depends on it. */
async function probe(
  endpoint: Endpoint,
  path: string,
  context: BackendContext,
  body?: string,
): Promise<unknown> {
  const patient = {
    ...endpoint,
    settings: { ...endpoint.settings, retry_max: 0, request_timeout: PATIENCE },
  };
  const headers = {
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...keyHeader(endpoint),
  };
  try {
    const call = { endpoint: patient, url: ollamaPlace(endpoint, path), headers };
    const asked = body === undefined ? call : { ...call, body };
    return await fetchJson({ ...asked, purpose: 'probe' }, context);
  } catch {
    context.signal.throwIfAborted();
    return undefined;
  }
}
