// Ollama's own /api/chat: lines of JSON.

import { type Fields, fields, list } from '../../../src/json.ts';
import { encodeLines } from '../delivery.ts';
import type { Occasion, Part, Wire, WireEvent } from '../types.ts';
import { checkOllama } from './ollama-check.ts';

export const ollamaWire: Wire = {
  name: 'ollama',
  path: '/api/chat',
  contentType: 'application/x-ndjson',
  endpoint: (url) => ({ backend: 'ollama', url, model: 'fake:1b' }),
  check: checkOllama,
  prompt(body) {
    const messages = list(body.messages);
    return {
      pieces: [...list(body.tools), ...messages].map((each) => JSON.stringify(each)),
      last: String(fields(messages.at(-1)).content ?? ''),
    };
  },
  // A stream comes unless it is declined.
  streams: ({ stream }) => stream !== false,
  events,
  whole(occasion) {
    const { content } = occasion.reply;
    const thinking = content
      .flatMap((part) => (part.kind === 'thinking' ? part.pieces : []))
      .join('');
    const text = content.flatMap((part) => (part.kind === 'text' ? part.pieces : [])).join('');
    const calls = callsOf(occasion);
    const message = {
      ...{ role: 'assistant', content: text },
      ...(thinking === '' ? {} : { thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return { ...lastLine(occasion), message };
  },
  error: ({ message, more }) => ({ error: message, ...more }),
  errorEvent: ({ message, more }) => ({ data: { error: message, ...more } }),
  other({ method, path, json }, { models, model, context }) {
    const names = models.length > 0 ? models : [model ?? 'fake:1b'];
    if (method === 'GET' && path === '/api/version') return { version: '0.99.0' };
    if (method === 'GET' && (path === '/api/tags' || path === '/api/ps'))
      return {
        models: names.map((name) => ({
          ...{ name, model: name, modified_at: '2026-01-01T00:00:00Z', size: 1, digest: 'fake' },
          details: { family: 'fake' },
          ...(path === '/api/ps' && context !== undefined ? { context_length: context } : {}),
        })),
      };
    if (method !== 'POST' || path !== '/api/show') return undefined;
    const { model: asked, name } = fields(json);
    if (models.length > 0 && !models.includes(String(asked ?? name))) return undefined;
    return {
      capabilities: ['completion', 'tools', 'vision', 'thinking'],
      model_info: {
        'general.architecture': 'fake',
        ...(context === undefined ? {} : { 'fake.context_length': context }),
      },
      details: { family: 'fake' },
    };
  },
  encode: encodeLines,
};

const head = ({ model }: Occasion): Fields => ({ model, created_at: '2026-11-30T00:00:00Z' });

function callsOf({ reply, number }: Occasion): readonly Fields[] {
  const calls = reply.content.filter((part) => part.kind === 'call');
  return calls.map((part, index) => ({
    id: part.id ?? `call_fake_${number}_${index}`,
    function: { index, name: part.name, arguments: argumentsOf(part) },
  }));
}

/** An object, except where a test wants something else. */
const argumentsOf = (part: Extract<Part, { kind: 'call' }>): unknown =>
  part.fragments === undefined ? part.arguments : part.fragments.join('');

function events(occasion: Occasion): readonly WireEvent[] {
  const line = (message: Fields) => ({
    data: {
      ...head(occasion),
      message: { role: 'assistant', content: '', ...message },
      done: false,
    },
  });
  const calls = callsOf(occasion);
  return [
    ...occasion.reply.content.flatMap((part) => {
      if (part.kind === 'text') return part.pieces.map((content) => line({ content }));
      return part.kind === 'thinking' ? part.pieces.map((thinking) => line({ thinking })) : [];
    }),
    ...calls.map((call) => line({ tool_calls: [call] })),
    { data: lastLine(occasion) },
  ];
}

function lastLine(occasion: Occasion): Fields {
  const { reply, tokens } = occasion;
  const counts =
    reply.usage === false
      ? {}
      : {
          ...{ prompt_eval_count: tokens.prompt, prompt_eval_duration: 500000 },
          ...{ eval_count: tokens.completion, eval_duration: 900000 },
          ...reply.usage,
        };
  return {
    ...head(occasion),
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: reply.finish ?? 'stop',
    ...{ total_duration: 2000000, load_duration: 1000 },
    ...counts,
  };
}
