// What a server refuses is asked again in another form, once, and remembered: as long as the process lives, and for a week on disk.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createOpenai } from '../../src/backends/openai/backend.ts';
import { PRESETS } from '../../src/backends/openai/place.ts';
import type { LogLine, PromptRequest } from '../../src/backends/types.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { RecordedRequest } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { chatChunks, event, openaiError, openaiStream } from '../helpers/openai-replies.ts';
import { served } from '../helpers/served.ts';

/** Asks twice a server that refuses some bodies. */
async function askTwice(
  refuse: (body: RecordedRequest['json']) => string | undefined,
  settings: Record<string, unknown>,
  rest: Partial<PromptRequest> = {},
  more: Record<string, unknown> = {},
) {
  const server = await served(({ json }) => {
    const message = refuse(json);
    return message === undefined ? openaiStream('fine') : openaiError(400, message, more);
  });
  const backend = createOpenai(PRESETS.openai);
  const request = fakeRequest(fakeEndpoint(`${server.url}/v1`, { settings }), 'q', rest);
  const first = await askBackend(backend, request);
  const count = server.requests.length;
  const second = await askBackend(backend, request);
  return {
    first,
    second,
    count,
    bodies: server.requests.map(({ json }) => json),
    wire: await backend.wire(request, askContext()),
  };
}

describe('names of the output limit', () => {
  test('max_tokens refused: the new name, the same limit, never both', async () => {
    const { first, second, count, bodies, wire } = await askTwice(
      ({ max_tokens }) =>
        max_tokens && "Unsupported parameter: 'max_tokens' is not supported with this model.",
      { max_tokens: 50 },
    );
    expect([first.text, second.text, count, bodies.length]).toEqual(['fine', 'fine', 2, 3]);
    expect(bodies.map((body) => [body.max_tokens, body.max_completion_tokens])).toEqual([
      [50, undefined],
      [undefined, 50],
      [undefined, 50],
    ]);
    expect(first.warnings[0]).toMatch(
      /'max_tokens' is not supported with this model\.; asked again with max_completion_tokens for max_tokens$/,
    );
    expect(second.warnings).toEqual([]);
    expect(wire).toMatchObject({ max_completion_tokens: 50 });
  });

  test('max_completion_tokens refused: the old name', async () => {
    const { first, bodies } = await askTwice(
      ({ max_completion_tokens }) => max_completion_tokens && 'unknown field max_completion_tokens',
      { max_tokens: 50, max_tokens_field: 'max_completion_tokens' },
    );
    expect(first.text).toBe('fine');
    expect(bodies[1]).toMatchObject({ max_tokens: 50 });
    expect(bodies[1]).not.toHaveProperty('max_completion_tokens');
  });

  test('both refused: the second text is shown, and the limit is not dropped', async () => {
    const { first, count } = await askTwice(
      (body) => (body.max_tokens ? 'max_tokens is unknown' : 'max_completion_tokens is unknown'),
      { max_tokens: 50 },
    );
    expect(first.failure?.message).toMatch(/max_completion_tokens is unknown$/);
    expect(count).toBe(2);
  });

  test('a limit that is too large is told, not renamed', async () => {
    const { first, count } = await askTwice(
      () => 'max_tokens: 64000 > 8192, which is the maximum',
      { max_tokens: 64_000 },
    );
    expect(first.failure?.code).toBe('bad-request');
    expect(count).toBe(1);
  });
});

test('a limit whose name was learned is not turned round when the setting names the other', async () => {
  const server = await served(({ json }) =>
    json.max_tokens === undefined
      ? openaiStream('fine')
      : openaiError(400, "'max_tokens' is not supported"),
  );
  const cacheFolder = temporaryFolder();
  const endpoint = (settings: Record<string, unknown>) =>
    fakeEndpoint(`${server.url}/v1`, { settings });
  for (const settings of [
    { max_tokens: 50 },
    { max_tokens: 50 },
    { max_completion_tokens: 50 },
    { max_tokens: 50, max_tokens_field: 'max_completion_tokens' },
    { max_tokens: 50, max_tokens_field: 'max_tokens' },
  ]) {
    const { failure } = await askBackend(
      createOpenai(PRESETS.openai),
      fakeRequest(endpoint(settings)),
      askContext({ cacheFolder }),
    );
    expect(failure).toBeUndefined();
  }
  expect(server.requests).toHaveLength(6);
  expect(server.requests.at(-1)?.json).toMatchObject({ max_completion_tokens: 50 });
});

describe('a field that is refused', () => {
  const SEVERAL: readonly [string, Record<string, unknown>][] = [
    ['two of them in words', { error: { message: 'unsupported: top_k, min_p' } }],
    ['two of them in quotes', { error: { message: "reasoning models take no 'top_k', 'min_p'" } }],
    [
      'two of them as a list of complaints',
      {
        detail: ['top_k', 'min_p'].map((name) => ({
          ...{ type: 'extra_forbidden', loc: ['body', name] },
          ...{ msg: 'Extra inputs are not permitted', input: 5 },
        })),
      },
    ],
  ];
  for (const [name, body] of SEVERAL)
    test(`${name} go with one request`, async () => {
      const server = await served(({ json }) =>
        'top_k' in json || 'min_p' in json ? { status: 422, body } : openaiStream('fine'),
      );
      const settings = { top_k: 5, min_p: 0.1, reasoning: { effort: 'low' } };
      const endpoint = fakeEndpoint(`${server.url}/v1`, { settings });
      const { text } = await askBackend(createOpenai(PRESETS.openai), fakeRequest(endpoint));
      expect([text, server.requests.length]).toEqual(['fine', 2]);
      expect(server.requests[1]?.json).toMatchObject({ reasoning: { effort: 'low' } });
    });

  test('the schema of a tool is not taken for the form of the answer', async () => {
    const { first, count } = await askTwice(
      () => "Invalid schema for function 'look': array schema missing items",
      {},
      { format: { type: 'object', properties: {} } },
    );
    expect(first.failure?.code).toBe('bad-request');
    expect(count).toBe(1);
  });

  const rows: readonly [string, Record<string, unknown>, string, Record<string, unknown>?][] = [
    ['temperature', { temperature: 0 }, "'temperature' does not support 0 with this model"],
    ['top_k', { top_k: 5 }, 'Unrecognized request argument supplied: top_k'],
    ['seed', { seed: 5 }, 'this is not supported', { param: 'seed' }],
    ['stream_options', {}, 'extra inputs are not permitted: stream_options'],
  ];
  for (const [field, settings, message, more] of rows)
    test(`${field} is left out, told, and stays out`, async () => {
      const { first, second, bodies } = await askTwice(
        (body) => (field in body ? message : undefined),
        settings,
        {},
        more,
      );
      expect([first.text, second.text, bodies.length]).toEqual(['fine', 'fine', 3]);
      expect(first.warnings).toEqual([
        expect.stringMatching(new RegExp(`; asked again without ${field}$`)),
      ]);
      // What was asked for is missed, and not in silence.
      const isMissed = field in settings;
      expect(second.warnings).toEqual(
        isMissed ? [`"${field}" is left out: the server refused it before`] : [],
      );
    });

  test('a field of extra_body whose name is no regular expression is left out like any other', async () => {
    for (const name of ['a(', 'x[0', '(a+)+$', '__proto__']) {
      const { first, bodies } = await askTwice(
        (body) => (Object.hasOwn(body, name) ? `unknown field '${name}'` : undefined),
        { extra_body: JSON.parse(`{${JSON.stringify(name)}: 1}`) },
      );
      expect([first.text, bodies.length, Object.hasOwn(bodies[1], name)]).toEqual([
        'fine',
        3,
        false,
      ]);
    }
  });

  test('a value out of its range is told, not left out', async () => {
    const { first, count } = await askTwice(() => 'temperature must be between 0 and 2', {
      temperature: 3,
    });
    expect(first.failure?.message).toMatch(/must be between 0 and 2$/);
    expect(count).toBe(1);
  });

  const offers: readonly [string, string][] = [
    ['a field that fits', "Unknown parameter: 'top_k'. Did you mean 'top_p'?"],
    ['another field', "'top_k' is not supported, use 'top_p' instead"],
    ['all that it knows', "unknown field 'top_k'; supported parameters: 'max_tokens', 'top_p'"],
    ['all that is valid', 'top_k is not one of the valid options: max_tokens, temperature, top_p'],
  ];
  for (const [what, message] of offers)
    test(`a server that offers ${what} does not refuse that`, async () => {
      const { first, bodies } = await askTwice(({ top_k }) => top_k && message, {
        ...{ top_k: 5, top_p: 0.5, temperature: 0, max_tokens: 50 },
      });
      expect([first.text, bodies.length]).toEqual(['fine', 3]);
      for (const body of bodies.slice(1)) {
        expect(body).toMatchObject({ top_p: 0.5, temperature: 0, max_tokens: 50 });
        expect(body).not.toHaveProperty('top_k');
      }
    });

  test('a list of what is not supported is no offer', async () => {
    const { bodies } = await askTwice(
      ({ top_k, min_p }) => (top_k ?? min_p) && 'these are not supported parameters: top_k, min_p',
      { top_k: 5, min_p: 0.1 },
    );
    expect(bodies).toHaveLength(3);
  });

  for (const message of [
    '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
    "'temperature' and 'top_p' must not be set together",
  ])
    test(`two settings that exclude each other are told, none is given up: ${message}`, async () => {
      const { first, second, count, bodies } = await askTwice(
        ({ temperature, top_p }) =>
          temperature !== undefined && top_p !== undefined ? message : undefined,
        { temperature: 0, top_p: 0.5 },
      );
      expect([first.failure?.code, count]).toEqual(['bad-request', 1]);
      expect(second.failure?.message).toContain(message);
      expect(bodies[1]).toMatchObject({ temperature: 0, top_p: 0.5 });
    });

  test('a setting that does not go together with tools is left out', async () => {
    const { first, count } = await askTwice(
      ({ logprobs }) => logprobs && "'logprobs' and 'tools' cannot be used together",
      { logprobs: true },
    );
    expect([first.text, count]).toEqual(['fine', 2]);
  });

  test('something else that is refused is not asked again', async () => {
    const { first, count } = await askTwice(() => 'your messages are odd', { temperature: 0 });
    expect(first.failure?.code).toBe('bad-request');
    expect(count).toBe(1);
  });
});

describe('thinking that is refused', () => {
  test('goes without its fields', async () => {
    const { first, bodies } = await askTwice(
      (body) =>
        'reasoning_effort' in body ? 'Reasoning is mandatory for this endpoint' : undefined,
      { thinking: 'off' },
    );
    expect([first.text, bodies.length]).toEqual(['fine', 3]);
    expect(bodies[1]).not.toHaveProperty('chat_template_kwargs');
  });

  test('one field that is named goes alone', async () => {
    const { bodies } = await askTwice(
      (body) =>
        'chat_template_kwargs' in body
          ? 'Unrecognized request argument: chat_template_kwargs'
          : undefined,
      { thinking: 'off' },
    );
    expect(bodies[1]).toMatchObject({ reasoning_effort: 'none' });
  });

  test('an error about thinking that was not asked for is an error', async () => {
    const { count } = await askTwice(() => 'thinking is broken today', {});
    expect(count).toBe(1);
  });
});

describe('the form of the answer that is refused', () => {
  const format = { type: 'object', properties: { bird: { type: 'string' } } };

  test('a schema becomes JSON mode with the schema in words, then words alone', async () => {
    const { first, bodies } = await askTwice(
      ({ response_format: sent }) => sent && `response_format ${sent.type} is not supported`,
      {},
      { format },
    );
    expect(first.text).toBe('fine');
    expect(bodies.slice(0, 3).map((body) => body.response_format?.type)).toEqual([
      'json_schema',
      'json_object',
      undefined,
    ]);
    expect(bodies[0].messages).toHaveLength(1);
    for (const body of bodies.slice(1)) expect(body.messages.at(-1).content).toContain('"bird"');
    expect(bodies).toHaveLength(4);
  });
});

describe('reasoning that was sent back is refused', () => {
  const chat = [
    { role: 'user', content: 'one' },
    {
      role: 'provider_content',
      content: '{"backend":"openai","blocks":[{"type":"reasoning_content","text":"Hm."}]}',
    },
    { role: 'assistant', content: 'first' },
    { role: 'user', content: 'two' },
  ];
  /** What of the request is about reasoning. */
  const about = ({ messages, reasoning_effort }: RecordedRequest['json']) =>
    [messages[1].reasoning_content && 'history', reasoning_effort && 'fields'].filter(Boolean);

  async function asked(
    refuse: (about: readonly string[]) => boolean,
    options: { message?: string; settings?: Record<string, unknown>; processes?: number } = {},
  ) {
    const server = await served(({ json }) =>
      refuse(about(json))
        ? openaiError(400, options.message ?? 'reasoning is not taken here')
        : openaiStream('fine'),
    );
    const cacheFolder = temporaryFolder();
    const endpoint = fakeEndpoint(`${server.url}/v1`, {
      settings: { thinking: 'high', ...options.settings },
    });
    const results = [];
    for (let process = 0; process < (options.processes ?? 1); process++)
      results.push(
        await askBackend(
          createOpenai(PRESETS.openai),
          fakeRequest(endpoint, chat, { turnStart: 3 }),
          askContext({ cacheFolder }),
        ),
      );
    return { sent: server.requests.map(({ json }) => about(json)), results };
  }

  test('asked again without it, and remembered for the model, also by the next process', async () => {
    const { sent, results } = await asked((about) => about.includes('history'), { processes: 2 });
    expect(sent).toEqual([['history', 'fields'], ['fields'], ['fields']]);
    expect(results[0]?.warnings[0]).toMatch(
      /asked again without the reasoning of earlier answers$/,
    );
    expect(results[1]?.warnings).toEqual([]);
  });

  test('refused then too: the fields go, three requests in all; what was sent back was not to blame', async () => {
    const { sent } = await asked((about) => about.includes('fields'), { processes: 2 });
    expect(sent).toEqual([['history', 'fields'], ['fields'], [], ['history']]);
  });

  test('refused whatever is sent: never more than three requests, and nothing is remembered', async () => {
    const { sent, results } = await asked(() => true, { processes: 2 });
    expect(sent).toEqual([
      ['history', 'fields'],
      ['fields'],
      [],
      ['history', 'fields'],
      ['fields'],
      [],
    ]);
    expect(results[0]?.failure?.code).toBe('bad-request');
  });

  for (const message of [
    'Invalid `signature` in `thinking` block',
    'the thinking block is bound to a different conversation',
    'reasoning models: no endpoints found that support tool use',
    'reasoning exceeds the context size',
    'this reasoning model: image input is not supported',
  ])
    test(`not about reasoning: ${message}`, async () => {
      const { sent } = await asked(() => true, { message });
      expect(sent).toHaveLength(1);
    });
});

test('what was learned is forgotten after a week, and a damaged file is none', async () => {
  const server = await served(({ json }) =>
    json.top_k ? openaiError(400, "unknown 'top_k'") : openaiStream('fine'),
  );
  const cacheFolder = temporaryFolder();
  const request = fakeRequest(
    fakeEndpoint(`${server.url}/v1?key=KEY-mock-1`, { settings: { top_k: 3 } }),
  );
  const ask = async (days: number) => {
    const context = askContext({ cacheFolder });
    const later = new Date(Date.now() + days * 24 * 3600_000);
    const clock = { ...context.clock, now: () => later };
    const before = server.requests.length;
    await askBackend(createOpenai(PRESETS.openai), request, { ...context, clock });
    return server.requests.length - before;
  };
  expect([await ask(0), await ask(6), await ask(8)]).toEqual([2, 1, 2]);
  const [name = ''] = readdirSync(join(cacheFolder, 'endpoints'));
  const file = join(cacheFolder, 'endpoints', name);
  expect(readFileSync(file, 'utf8')).not.toContain('KEY-mock');
  writeFileSync(file, '{"learned":');
  expect(await ask(8)).toBe(2);
});

test('a refusal after output is not asked again: what was shown would be shown twice', async () => {
  const server = await served({
    body: [
      ...chatChunks(['Half'], { finish: null, done: false }),
      event({ error: { code: 400, message: "unknown 'top_k'" } }),
    ],
  });
  const endpoint = fakeEndpoint(`${server.url}/v1`, { settings: { top_k: 3 } });
  const { text, failure } = await askBackend(createOpenai(PRESETS.openai), fakeRequest(endpoint));
  expect([text, failure?.facts.kind, server.requests.length]).toEqual(['Half', 'bad_request', 1]);
});

test('a server that refuses everything is left after a few requests', async () => {
  const { count, first } = await askTwice(
    (body) => `not supported: '${Object.keys(body).at(-1)}'`,
    { temperature: 0, top_p: 1, seed: 1, top_k: 1, min_p: 0, presence_penalty: 0 },
  );
  expect(count).toBe(4);
  expect(first.failure?.facts.kind).toBe('bad_request');
});

test('refusals of several kinds in one request do not leave a conversation stuck', async () => {
  const refusals: readonly (readonly [(body: RecordedRequest['json']) => unknown, string])[] = [
    [({ max_tokens }) => max_tokens, "'max_tokens' is not supported"],
    [({ response_format: { type } = {} }) => type === 'json_schema', 'no json_schema here'],
    [(body) => 'temperature' in body, "'temperature' does not support 0"],
    [(body) => 'reasoning_effort' in body, 'Reasoning is mandatory for this endpoint'],
  ];
  const server = await served(({ json }) => {
    const found = refusals.find(([isRefused]) => isRefused(json));
    return found === undefined ? openaiStream('{}') : openaiError(400, found[1]);
  });
  const settings = { max_tokens: 50, temperature: 0, thinking: 'off' };
  const blocks = [{ type: 'reasoning_content', text: 'x' }];
  const chat = [
    { role: 'user', content: 'q' },
    { role: 'provider_content', content: JSON.stringify({ backend: 'openai', blocks }) },
    { role: 'assistant', content: 'a' },
    { role: 'user', content: 'and?' },
  ];
  const request = fakeRequest(fakeEndpoint(`${server.url}/v1`, { settings }), chat, {
    format: { type: 'object' },
  });
  const context = askContext({ cacheFolder: temporaryFolder() });
  for (const count of [6, 7]) {
    const { text } = await askBackend(createOpenai(PRESETS.openai), request, context);
    expect([text, server.requests.length]).toEqual(['{}', count]);
  }
});

describe('a server that refuses several things costs no request more than it has to', () => {
  const settings = {
    ...{ max_tokens: 50, temperature: 0, top_p: 1, top_k: 1, thinking: 'off' },
    chat_template_kwargs: null,
  };
  const LIMIT = ['max_tokens', "'max_tokens' is not supported, use 'max_completion_tokens'"];
  const REFUSED = [
    ...[LIMIT, ['response_format', 'response_format is not supported here']],
    ...[['temperature'], ['top_p'], ['top_k'], ['reasoning_effort']].map(([name = '']) => [
      name,
      `'${name}' is not supported`,
    ]),
  ];
  const wrong = (body: RecordedRequest['json']) =>
    REFUSED.filter(([name = '']) => name in body).map(([, message = '']) => message);

  async function cost(complain: (all: readonly string[]) => string) {
    const server = await served(({ json }) => {
      const all = wrong(json);
      return all.length === 0 ? openaiStream('{}') : openaiError(400, complain(all));
    });
    const lines: LogLine[] = [];
    const context = askContext({ log: (line) => lines.push(line) });
    const request = fakeRequest(fakeEndpoint(`${server.url}/v1`, { settings }), 'q', {
      format: 'json',
    });
    const { text, warnings } = await askBackend(createOpenai(PRESETS.openai), request, context);
    const refused = lines.filter((line) => line.kind === 'refused');
    return { text, warnings, refused, bodies: server.requests.map(({ json }) => json) };
  }

  test('all named at once: two requests, where one for each kind made four', async () => {
    const { text, bodies, refused, warnings } = await cost((all) => all.join('; '));
    expect([text, bodies.length]).toEqual(['{}', 2]);
    expect(bodies[1]).toMatchObject({ max_completion_tokens: 50 });
    expect(refused.map((line) => 'what' in line && line.what)).toEqual([
      'limit_name',
      'format',
      'thinking',
    ]);
    expect(warnings[0]).toMatch(
      /; asked again with max_completion_tokens for max_tokens, without JSON mode, without reasoning_effort and temperature and top_p and top_k$/,
    );
  });

  test('one named at a time: one more for each, and no form of it twice', async () => {
    const { text, bodies } = await cost(([first = '']) => first);
    expect([text, bodies.length]).toEqual(['{}', REFUSED.length + 1]);
    const forms = bodies.map((body) => JSON.stringify(body));
    expect(new Set(forms).size).toBe(forms.length);
  });

  test('what is only hinted at beside a name is not taken away with it', async () => {
    const { bodies } = await cost(([first = '']) => `${first} (see the schema of the API)`);
    expect(bodies[1]).toMatchObject({ response_format: { type: 'json_object' }, top_p: 1 });
  });
});

test('what one model refused says nothing about another', async () => {
  const server = await served(({ json }) =>
    json.model === 'old' && json.top_k ? openaiError(400, "unknown 'top_k'") : openaiStream('fine'),
  );
  const backend = createOpenai(PRESETS.openai);
  for (const model of ['old', 'new'])
    await askBackend(
      backend,
      fakeRequest(fakeEndpoint(`${server.url}/v1`, { model, settings: { top_k: 3 } })),
    );
  expect(server.requests.map(({ json }) => [json.model, json.top_k])).toEqual([
    ['old', 3],
    ['old', undefined],
    ['new', 3],
  ]);
});

test('the session is named to gateways', async () => {
  const server = await served(openaiStream('fine'));
  await askBackend(createOpenai(PRESETS.openai), fakeRequest(fakeEndpoint(`${server.url}/v1`)));
  expect(server.requests[0]?.headers['session-id']).toBe('session-1');
});
