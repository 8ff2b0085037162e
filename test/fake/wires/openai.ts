// Chat Completions: a stream of chunks with deltas.

import { type Fields, fields, list } from '../../../src/json.ts';
import { greatest } from '../../../src/lists.ts';
import { encodeEvents, halves } from '../delivery.ts';
import { textOf, withoutMarks } from '../rules.ts';
import type { Occasion, Part, Prompt, Wire, WireEvent } from '../types.ts';
import { checkOpenai } from './openai-check.ts';

const CREATED = 1790000000;

export const openaiWire: Wire = {
  name: 'openai',
  path: '/v1/chat/completions',
  contentType: 'text/event-stream',
  endpoint: (url) => ({
    backend: 'openai',
    url: `${url}/v1`,
    model: 'fake-mini',
    key: '$FAKE_KEY',
  }),
  check: checkOpenai,
  prompt,
  streams: ({ stream }) => stream === true,
  events,
  whole(occasion) {
    const { reply, model } = occasion;
    const calls = callsOf(occasion).map(({ index: _, ...call }) => call);
    const thinking = joined(reply.content, 'thinking');
    const message = {
      role: 'assistant',
      content: joined(reply.content, 'text') || null,
      ...(thinking === '' ? {} : { reasoning_content: thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    const choice = { index: 0, message, finish_reason: finishOf(occasion) };
    return {
      ...{ id: idOf(occasion), object: 'chat.completion', created: CREATED, model },
      choices: [choice],
      ...(reply.usage === false ? {} : { usage: usageOf(occasion) }),
    };
  },
  error: ({ message, type, code, more }, status) => ({
    error: {
      message,
      type: type ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
      param: null,
      code: code ?? null,
      ...more,
    },
  }),
  errorEvent: ({ message, type, code, more }) => ({
    data: { error: { message, type: type ?? 'server_error', code: code ?? 500, ...more } },
  }),
  other({ method, path }, { models, model, context }) {
    if (method !== 'GET' || path.split('?')[0] !== '/v1/models') return undefined;
    const ids = models.length > 0 ? models : [model ?? 'fake-mini'];
    const size = context === undefined ? {} : { context_length: context };
    return {
      object: 'list',
      data: ids.map((id) => ({ id, object: 'model', created: CREATED, owned_by: 'fake', ...size })),
    };
  },
  encode: encodeEvents,
};

function prompt(body: Fields): Prompt {
  const messages = list(body.messages);
  return {
    pieces: [...list(body.tools), ...messages].map((each) => JSON.stringify(withoutMarks(each))),
    last: textOf(fields(messages.at(-1)).content),
  };
}

const idOf = ({ number }: Occasion): string => `chatcmpl-fake${number}`;

const joined = (content: readonly Part[], kind: 'text' | 'thinking'): string =>
  content.flatMap((part) => (part.kind === kind ? part.pieces : [])).join('');

function finishOf({ reply }: Occasion): string {
  const called = reply.content.some(({ kind }) => kind === 'call');
  return reply.finish ?? (called ? 'tool_calls' : 'stop');
}

function usageOf({ tokens, reply }: Occasion): Fields {
  const { prompt: pt, completion, cached, thinking } = tokens;
  return {
    prompt_tokens: pt,
    completion_tokens: completion,
    total_tokens: pt + completion,
    prompt_tokens_details: { cached_tokens: cached },
    ...(thinking > 0 ? { completion_tokens_details: { reasoning_tokens: thinking } } : {}),
    ...(reply.usage === false ? {} : reply.usage),
  };
}

interface Call extends Fields {
  readonly index: number;
  readonly function: { readonly name: string; readonly arguments: string };
}

function callsOf({ reply, number }: Occasion): readonly Call[] {
  const calls = reply.content.filter((part) => part.kind === 'call');
  return calls.map((part, index) => ({
    index,
    id: part.id ?? `call_fake_${number}_${index}`,
    type: 'function',
    function: {
      name: part.name,
      arguments: part.fragments?.join('') ?? JSON.stringify(part.arguments),
    },
  }));
}

function events(occasion: Occasion): readonly WireEvent[] {
  const { reply, model, body } = occasion;
  const head = {
    ...{ id: idOf(occasion), object: 'chat.completion.chunk', created: CREATED, model },
  };
  const counted = fields(body.stream_options).include_usage === true;
  const usage = counted ? { usage: null } : {};
  const chunk = (delta: Fields, finish: string | null = null) => ({
    data: { ...head, choices: [{ index: 0, delta, finish_reason: finish }], ...usage },
  });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...reply.content
      .flatMap((part) => (part.kind === 'call' ? [] : spoken(part)))
      .map((each) => chunk(each)),
    ...callDeltas(occasion).map((each) => chunk(each)),
    chunk({}, finishOf(occasion)),
    ...(counted && reply.usage !== false
      ? [{ data: { ...head, choices: [], usage: usageOf(occasion) } }]
      : []),
    { data: 'data: [DONE]\n\n' },
  ];
}

function spoken(part: Exclude<Part, { kind: 'call' }>): Fields[] {
  if (part.kind === 'redacted') return [];
  const field = part.kind === 'text' ? 'content' : 'reasoning_content';
  return part.pieces.map((text) => ({ [field]: text }));
}

/** Name and id first, then the fragments of all calls by turns. */
function callDeltas(occasion: Occasion): Fields[] {
  const calls = callsOf(occasion);
  const given = occasion.reply.content.filter((part) => part.kind === 'call');
  const fragments = calls.map(
    (call, index) => given[index]?.fragments ?? halves(call.function.arguments),
  );
  const rounds = greatest(fragments.map(({ length }) => length));
  return [
    ...calls.map((call) => ({ ...call, function: { name: call.function.name, arguments: '' } })),
    ...Array.from({ length: rounds }, (_, round) =>
      fragments.flatMap((each, index) => {
        const text = each[round];
        return text === undefined ? [] : [{ index, function: { arguments: text } }];
      }),
    ).flat(),
  ].map((call) => ({ tool_calls: [call] }));
}
