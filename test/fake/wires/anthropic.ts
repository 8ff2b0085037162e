// Anthropic Messages: a stream of content blocks.

import { type Fields, fields, list } from '../../../src/json.ts';
import { encodeEvents, halves } from '../delivery.ts';
import { stamp, textOf, withoutMarks } from '../rules.ts';
import type { Occasion, Part, Prompt, Wire, WireEvent } from '../types.ts';
import { checkAnthropic } from './anthropic-check.ts';

export const anthropicWire: Wire = {
  name: 'anthropic',
  path: '/v1/messages',
  contentType: 'text/event-stream; charset=utf-8',
  endpoint: (url) => ({ backend: 'anthropic', url, model: 'claude-fake-1', key: '$FAKE_KEY' }),
  check: checkAnthropic,
  prompt,
  streams: ({ stream }) => stream === true,
  events,
  whole(occasion) {
    return {
      ...head(occasion),
      content: blocksOf(occasion),
      ...ending(occasion),
      usage: { ...startUsage(occasion), ...endUsage(occasion) },
    };
  },
  error: ({ message, type, code, more }, status, number) => ({
    type: 'error',
    error: {
      type: type ?? TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'),
      message,
      ...(code === undefined ? {} : { code }),
      ...more,
    },
    request_id: `req_fake_${number}`,
  }),
  errorEvent: ({ message, type, more }, number) => ({
    name: 'error',
    data: {
      type: 'error',
      error: { type: type ?? 'overloaded_error', message, ...more },
      request_id: `req_fake_${number}`,
    },
  }),
  other({ method, path }, { models, context, model }) {
    const url = new URL(path, 'http://fake');
    if (url.pathname === '/v1/messages/count_tokens' && method === 'POST')
      return { input_tokens: 7 };
    if (url.pathname !== '/v1/models' || method !== 'GET') return undefined;
    const ids = models.length > 0 ? models : [model ?? 'claude-fake-1'];
    const limit = Number(url.searchParams.get('limit') ?? 20);
    const start = ids.indexOf(url.searchParams.get('after_id') ?? '') + 1;
    const page = ids.slice(start, start + limit);
    return {
      data: page.map((id) => ({
        type: 'model',
        id,
        display_name: id,
        created_at: '2026-01-01T00:00:00Z',
        max_input_tokens: context ?? null,
        max_tokens: null,
      })),
      has_more: start + limit < ids.length,
      first_id: page[0] ?? null,
      last_id: page.at(-1) ?? null,
    };
  },
  encode: encodeEvents,
};

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** Tools, system and blocks, in the order of the prefix; a mark covers everything up to its block. */
function prompt(body: Fields): Prompt {
  const system =
    typeof body.system === 'string' ? [{ type: 'text', text: body.system }] : list(body.system);
  const blocks = [
    ...list(body.tools).map((tool) => ['tool', tool] as const),
    ...system.map((each) => ['system', each] as const),
    ...list(body.messages).flatMap((message) => {
      const { role, content } = fields(message);
      if (typeof content === 'string') return [[String(role), content] as const];
      return list(content).map((each) => [String(role), each] as const);
    }),
  ];
  const marks = blocks.flatMap(([, each], index) =>
    fields(each).cache_control === undefined ? [] : [index + 1],
  );
  const last = fields(list(body.messages).at(-1)).content;
  return {
    pieces: blocks.map(([role, each]) => `${role} ${JSON.stringify(withoutMarks(each))}`),
    marks: body.cache_control === undefined ? marks : [...marks, blocks.length],
    last: textOf(last),
  };
}

function head({ model, number }: Occasion): Fields {
  const id = `msg_fake_${String(number).padStart(4, '0')}`;
  return { id, type: 'message', role: 'assistant', model };
}

function startUsage({ tokens, reply }: Occasion): Fields {
  if (reply.usage === false) return {};
  const { prompt: all, cached, written } = tokens;
  return {
    input_tokens: all - cached - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens: 1,
  };
}

function endUsage({ tokens, reply }: Occasion): Fields {
  if (reply.usage === false) return {};
  return {
    output_tokens: tokens.completion,
    ...(tokens.thinking > 0 ? { output_tokens_details: { thinking_tokens: tokens.thinking } } : {}),
    ...reply.usage,
  };
}

function ending({ reply }: Occasion): Fields {
  const called = reply.content.some(({ kind }) => kind === 'call');
  const reason = reply.finish ?? (called ? 'tool_use' : 'end_turn');
  const details =
    reason === 'refusal'
      ? { type: 'refusal', category: 'fake', explanation: 'The fake server refuses.' }
      : null;
  return { stop_reason: reason, stop_sequence: null, stop_details: details };
}

/** A block as it is when it is whole. What must come back is remembered. */
function block(part: Part, index: number, { number, memory, model }: Occasion): Fields {
  if (part.kind === 'text') return { type: 'text', text: part.pieces.join('') };
  if (part.kind === 'redacted') {
    const made = { type: 'redacted_thinking', data: part.data };
    memory.issued.set(part.data, made);
    return made;
  }
  if (part.kind === 'thinking') {
    const thinking = part.pieces.join('');
    const signature = part.signature ?? stamp(`${model} ${number} ${index} ${thinking}`);
    const made = { type: 'thinking', thinking, signature };
    memory.issued.set(signature, made);
    return made;
  }
  const id = part.id ?? `toolu_fake_${number}_${index}`;
  const input = part.fragments === undefined ? part.arguments : {};
  return { type: 'tool_use', id, name: part.name, input };
}

/** All blocks; each call remembers what it came with. */
function blocksOf(occasion: Occasion): readonly Fields[] {
  const { reply, memory } = occasion;
  const blocks = reply.content.map((part, index) => block(part, index, occasion));
  for (const each of blocks)
    if (each.type === 'tool_use') memory.issued.set(String(each.id), blocks);
  return blocks;
}

function events(occasion: Occasion): readonly WireEvent[] {
  const { reply } = occasion;
  const blocks = blocksOf(occasion);
  const message = {
    ...head(occasion),
    ...{ content: [], stop_reason: null, stop_sequence: null, stop_details: null },
    usage: startUsage(occasion),
  };
  const all: readonly Event[] = [
    { type: 'message_start', message },
    { type: 'ping' },
    ...reply.content.flatMap((part, index) => blockEvents(part, index, fields(blocks[index]))),
    { type: 'message_delta', delta: ending(occasion), usage: endUsage(occasion) },
    { type: 'message_stop' },
  ];
  return all.map((data) => ({ name: data.type, data }));
}

function blockEvents(part: Part, index: number, whole: Fields): readonly Event[] {
  const delta = (made: Fields) => ({ type: 'content_block_delta', index, delta: made });
  return [
    { type: 'content_block_start', index, content_block: { ...whole, ...EMPTY[part.kind] } },
    ...deltas(part, whole).map(delta),
    { type: 'content_block_stop', index },
  ];
}

type Event = Fields & { readonly type: string };

const EMPTY: Readonly<Record<Part['kind'], Fields>> = {
  text: { text: '' },
  thinking: { thinking: '', signature: '' },
  redacted: {},
  call: { input: {} },
};

function deltas(part: Part, { signature }: Fields): readonly Fields[] {
  if (part.kind === 'text') return part.pieces.map((text) => ({ type: 'text_delta', text }));
  if (part.kind === 'thinking')
    return [
      ...part.pieces.map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature },
    ];
  if (part.kind === 'redacted') return [];
  const isEmpty = part.fragments === undefined && JSON.stringify(part.arguments) === '{}';
  const fragments = part.fragments ?? ['', ...halves(JSON.stringify(part.arguments))];
  const sent = isEmpty ? [] : fragments;
  return sent.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
}
