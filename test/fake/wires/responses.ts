// OpenAI Responses: a stream of events about items, and conversations that the server keeps.

import { type Fields, fields, list } from '../../../src/json.ts';
import { encodeEvents, halves } from '../delivery.ts';
import { stamp, textOf } from '../rules.ts';
import type { Occasion, Part, Prompt, Wire, WireEvent } from '../types.ts';
import { checkResponses, wholeInput } from './responses-check.ts';

const CREATED = 1790000100;

export const responsesWire: Wire = {
  name: 'responses',
  path: '/v1/responses',
  contentType: 'text/event-stream',
  endpoint: (url) => ({
    backend: 'responses',
    url: `${url}/v1`,
    model: 'fake-5',
    key: '$FAKE_KEY',
  }),
  check: checkResponses,
  prompt(body, memory): Prompt {
    const { instructions, tools, input } = body;
    const items = wholeInput(body, memory);
    const before = instructions === undefined ? [] : [instructions];
    return {
      pieces: [...before, ...list(tools), ...items].map((each) => JSON.stringify(each)),
      last: typeof input === 'string' ? input : lastText(items.at(-1)),
    };
  },
  streams: ({ stream }) => stream === true,
  events,
  whole: (occasion) => response(occasion, itemsOf(occasion), true),
  error: ({ message, type, code, more }, status) => ({
    error: {
      message,
      type: type ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
      param: null,
      code: code ?? null,
      ...more,
    },
  }),
  errorEvent: ({ message, code, more }) => ({
    name: 'error',
    data: { type: 'error', code: code ?? 'server_error', message, param: null, ...more },
  }),
  other({ method, path }, { models, model }) {
    if (method !== 'GET' || path.split('?')[0] !== '/v1/models') return undefined;
    const ids = models.length > 0 ? models : [model ?? 'fake-5'];
    return {
      object: 'list',
      data: ids.map((id) => ({ id, object: 'model', created: CREATED, owned_by: 'fake' })),
    };
  },
  encode: encodeEvents,
};

function lastText(item: unknown): string {
  const { content, output } = fields(item);
  return textOf(output ?? content);
}

const idOf = ({ number }: Occasion): string => `resp_fake${number}`;

/** The output as it is at the end. What must come back is remembered. */
function itemsOf(occasion: Occasion): readonly Fields[] {
  const { reply, number, memory, body } = occasion;
  const items = reply.content.flatMap((part, index) => item(part, `${number}_${index}`, body));
  for (const [index, each] of items.entries()) {
    // Reasoning is known with the item that it led to.
    const made = each.type === 'reasoning' ? items[index + 1] : items[index - 1];
    memory.issued.set(String(each.id), { item: each, beside: made });
  }
  if (body.store !== false)
    memory.chains.set(idOf(occasion), [...wholeInput(body, memory), ...items]);
  return items;
}

function item(part: Part, id: string, body: Fields): readonly Fields[] {
  if (part.kind === 'redacted') return [];
  if (part.kind === 'text') {
    const content = [{ type: 'output_text', text: part.pieces.join(''), annotations: [] }];
    return [
      { id: `msg_fake${id}`, type: 'message', role: 'assistant', status: 'completed', content },
    ];
  }
  if (part.kind === 'thinking') {
    const text = part.pieces.join('');
    const secret = list(body.include).includes('reasoning.encrypted_content')
      ? { encrypted_content: part.signature ?? stamp(`${id} ${text}`) }
      : {};
    return [
      {
        id: `rs_fake${id}`,
        type: 'reasoning',
        summary: [{ type: 'summary_text', text }],
        ...secret,
      },
    ];
  }
  return [
    {
      id: `fc_fake${id}`,
      type: 'function_call',
      call_id: part.id ?? `call_fake${id}`,
      name: part.name,
      arguments: part.fragments?.join('') ?? JSON.stringify(part.arguments),
      status: 'completed',
    },
  ];
}

function response(occasion: Occasion, output: readonly Fields[], ended: boolean): Fields {
  const { reply, model, body, tokens } = occasion;
  const { finish = 'completed' } = reply;
  const incomplete = finish !== 'completed' && finish !== 'failed';
  return {
    id: idOf(occasion),
    object: 'response',
    created_at: CREATED,
    status: !ended ? 'in_progress' : incomplete ? 'incomplete' : finish,
    model,
    output: ended ? output : [],
    error: ended && finish === 'failed' ? { code: 'server_error', message: 'fake failure' } : null,
    incomplete_details: ended && incomplete ? { reason: finish } : null,
    previous_response_id: body.previous_response_id ?? null,
    usage: !ended || reply.usage === false ? null : { ...usageOf(tokens), ...reply.usage },
  };
}

function usageOf({ prompt, cached, completion, thinking }: Occasion['tokens']): Fields {
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: completion,
    output_tokens_details: { reasoning_tokens: thinking },
    total_tokens: prompt + completion,
  };
}

function events(occasion: Occasion): readonly WireEvent[] {
  const { reply } = occasion;
  const items = itemsOf(occasion);
  const spoken = reply.content.filter(({ kind }) => kind !== 'redacted');
  const { finish = 'completed' } = reply;
  const last = finish === 'completed' || finish === 'failed' ? finish : 'incomplete';
  const all: Fields[] = [
    { type: 'response.created', response: response(occasion, items, false) },
    ...spoken.flatMap((part, index) => itemEvents(part, fields(items[index]), index)),
    { type: `response.${last}`, response: response(occasion, items, true) },
  ];
  return all.map((each, index) => {
    const { type, ...rest } = each;
    return { name: String(type), data: { type, sequence_number: index, ...rest } };
  });
}

function itemEvents(part: Part, whole: Fields, index: number): readonly Fields[] {
  const place = { item_id: whole.id, output_index: index };
  const { pieces: inner, opened } = inside(part, whole, place);
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...whole, ...opened } },
    ...inner,
    { type: 'response.output_item.done', output_index: index, item: whole },
  ];
}

/** What comes between the item's two events, and how the item looks when it is opened. */
function inside(part: Part, whole: Fields, place: Fields): { pieces: Fields[]; opened: Fields } {
  if (part.kind === 'text') {
    const at = { ...place, content_index: 0 };
    const said = { type: 'output_text', text: '', annotations: [] };
    return {
      opened: { status: 'in_progress', content: [] },
      pieces: [
        { type: 'response.content_part.added', ...at, part: said },
        ...part.pieces.map((delta) => ({
          type: 'response.output_text.delta',
          ...at,
          delta,
          logprobs: [],
        })),
        { type: 'response.output_text.done', ...at, text: part.pieces.join(''), logprobs: [] },
        {
          type: 'response.content_part.done',
          ...at,
          part: { ...said, text: part.pieces.join('') },
        },
      ],
    };
  }
  if (part.kind === 'thinking') {
    const at = { ...place, summary_index: 0 };
    const text = part.pieces.join('');
    const type = 'response.reasoning_summary';
    return {
      // Not whole yet, as it may be here.
      opened: {
        summary: [],
        ...(whole.encrypted_content === undefined ? {} : { encrypted_content: 'cGFydA==' }),
      },
      pieces: [
        { type: `${type}_part.added`, ...at, part: { type: 'summary_text', text: '' } },
        ...part.pieces.map((delta) => ({ type: `${type}_text.delta`, ...at, delta })),
        { type: `${type}_text.done`, ...at, text },
        { type: `${type}_part.done`, ...at, part: { type: 'summary_text', text } },
      ],
    };
  }
  const fragments = part.kind === 'call' ? (part.fragments ?? halves(String(whole.arguments))) : [];
  const type = 'response.function_call_arguments';
  return {
    opened: { status: 'in_progress', arguments: '' },
    pieces: [
      ...fragments.map((delta) => ({ type: `${type}.delta`, ...place, delta })),
      { type: `${type}.done`, ...place, name: whole.name, arguments: whole.arguments },
    ],
  };
}
