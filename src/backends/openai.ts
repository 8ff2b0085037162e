// Chat Completions and the servers that speak it. Puts the parts together: body, request, reading, and what a refusal teaches.

import { Failure } from '../errors.ts';
import { bodyText, fields, list, text } from './json.ts';
import { type Body, NOTHING_REFUSED, type Refused, toBody } from './openai-body.ts';
import { keyHeader, PRESETS, type Preset, placeOf } from './openai-place.ts';
import { remedy } from './openai-remedy.ts';
import { readReply } from './openai-stream.ts';
import { exchange, fetchJson } from './transport.ts';
import type { Backend, BackendContext, ModelInfo, PromptRequest, ReplyEvent } from './types.ts';

/** How often one request is asked again in another form. */
const MOST_REMEDIES = 3;

export const openai: Backend = createOpenai(PRESETS.openai);
export const vllm: Backend = createOpenai(PRESETS.vllm);
export const openwebui: Backend = createOpenai(PRESETS.openwebui);

/** A backend that remembers, as long as the process lives, what each server and model refused. */
export function createOpenai(preset: Preset): Backend {
  const lessons = new Map<string, Refused>();
  const learned = (request: PromptRequest) =>
    lessons.get(keyOf(preset, request)) ?? NOTHING_REFUSED;
  return {
    name: preset.name,
    wire: (request) => toBody(preset, request, learned(request)).fields,
    async *reply(request, context) {
      for (let tries = 0; ; tries++) {
        const refused = learned(request);
        const body = toBody(preset, request, refused);
        if (tries === 0) for (const warning of body.warnings) context.warn(warning);
        try {
          yield* ask(preset, request, body, context);
          return;
        } catch (error) {
          if (!(error instanceof Failure) || tries === MOST_REMEDIES) throw error;
          const cure = remedy(error, body.fields, refused);
          if (cure === undefined) throw error;
          context.warn(`${error.message}; ${cure.told}`);
          lessons.set(keyOf(preset, request), cure.refused);
        }
      }
    },
    async models(endpoint, context) {
      const url = placeOf(preset, endpoint, '/models');
      const headers = { accept: 'application/json', ...keyHeader(endpoint) };
      return modelList(await fetchJson({ endpoint, url, headers }, context));
    },
  };
}

function keyOf(preset: Preset, { endpoint }: PromptRequest): string {
  return `${placeOf(preset, endpoint, '').href} ${endpoint.model ?? ''}`;
}

function ask(
  preset: Preset,
  request: PromptRequest,
  { fields: body }: Body,
  context: BackendContext,
): AsyncGenerator<ReplyEvent> {
  const { endpoint, sessionId } = request;
  const streamed = body.stream === true;
  const call = {
    endpoint,
    url: placeOf(preset, endpoint, '/chat/completions'),
    method: 'POST' as const,
    headers: {
      'content-type': 'application/json',
      accept: streamed ? 'text/event-stream, application/json' : 'application/json',
      'session-id': sessionId,
      ...keyHeader(endpoint),
    },
    body: bodyText(body),
    streamed,
  };
  return exchange(call, context, (answer) => readReply(answer, context));
}

/** Lists of the protocol, and of servers that call it `models`. Entries without a name are left out. */
function modelList(value: unknown): readonly ModelInfo[] {
  const { data, models } = fields(value);
  const entries = [value, data, models].map(list).find((each) => each.length > 0) ?? [];
  return entries.flatMap((entry) => {
    const each = fields(entry);
    const id = text(each.id) ?? text(each.name) ?? text(each.model) ?? text(entry);
    if (id === undefined) return [];
    const sizes = [each.context_length, each.context_window, each.max_model_len];
    const window = [...sizes, fields(each.meta).n_ctx].find(isSize);
    return [window === undefined ? { id } : { id, contextWindow: window }];
  });
}

const isSize = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
