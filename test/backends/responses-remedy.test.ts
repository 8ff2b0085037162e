// What a server of the Responses protocol refuses is asked again in another form: once, remembered in this process and for the next one, and never
// more often than stated.

import { describe, expect, test } from 'vitest';
import { createResponses } from '../../src/backends/responses/backend.ts';
import type { LogLine, PromptRequest } from '../../src/backends/types.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { RecordedRequest } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { responsesError, responsesStream } from '../helpers/responses-replies.ts';
import { served } from '../helpers/served.ts';

type Json = RecordedRequest['json'];

interface Refusing {
  readonly settings?: Record<string, unknown>;
  readonly rest?: Partial<PromptRequest>;
  readonly more?: Record<string, unknown>;
}

/** Asks a server that refuses some bodies: twice in one process, once in another that shares the folder. */
async function askThrice(refuse: (body: Json) => string | undefined, given: Refusing = {}) {
  const server = await served(({ json }) => {
    const text = refuse(json);
    return text === undefined ? responsesStream('fine') : responsesError(400, text, given.more);
  });
  const cacheFolder = temporaryFolder();
  const lines: LogLine[] = [];
  const context = () => askContext({ cacheFolder, log: (line) => lines.push(line) });
  const settings = { previous_response: false, ...given.settings };
  const request = fakeRequest(fakeEndpoint(`${server.url}/v1`, { settings }), 'q', given.rest);
  const backend = createResponses();
  const first = await askBackend(backend, request, context());
  const count = server.requests.length;
  const second = await askBackend(backend, request, context());
  const third = await askBackend(createResponses(), request, context());
  const bodies: Json[] = server.requests.map(({ json }) => json);
  const refusals = lines.filter(({ kind }) => kind === 'refused');
  return {
    first,
    second,
    third,
    count,
    bodies,
    refusals,
    wire: await backend.wire(request, context()),
  };
}

describe('a field that is refused is left out, told, and stays out', () => {
  const rows: readonly [string, Refusing, (body: Json) => unknown, string, object?][] = [
    [
      'temperature',
      { settings: { temperature: 0 } },
      (body) => body.temperature,
      "Unsupported parameter: 'temperature' is not supported with this model.",
    ],
    [
      'top_p, named as the parameter alone',
      { settings: { top_p: 0.5 }, more: { param: 'top_p' } },
      (body) => body.top_p,
      'this is not supported',
    ],
    ['include', {}, (body) => body.include, 'Encrypted content is not supported with this model.'],
    ['store', {}, (body) => body.store, "Unknown parameter: 'store'."],
    [
      'text.verbosity',
      { settings: { verbosity: 'low' } },
      (body) => body.text?.verbosity,
      "Unsupported parameter: 'text.verbosity' is not supported with this model.",
    ],
    [
      'reasoning.summary of an organization that is not verified',
      { settings: { thinking: 'low' }, more: { param: 'reasoning.summary' } },
      (body) => body.reasoning?.summary,
      'Your organization must be verified to generate reasoning summaries.',
      { reasoning: { effort: 'low' } },
    ],
    [
      'reasoning of a model that has none',
      { settings: { thinking: 'low' }, more: { param: 'reasoning.effort' } },
      (body) => body.reasoning,
      "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
    ],
    [
      'no reasoning of a model that has none',
      { settings: { thinking: 'off' } },
      (body) => body.reasoning,
      "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
    ],
    [
      'thinking in other words',
      { settings: { thinking: 'high' } },
      (body) => body.reasoning,
      'this model does not support thinking',
    ],
  ];
  for (const [name, given, sent, words, left] of rows)
    test(name, async () => {
      const { first, second, third, count, bodies, refusals } = await askThrice(
        (body) => (sent(body) === undefined ? undefined : words),
        given,
      );
      expect([first.text, second.text, third.text]).toEqual(['fine', 'fine', 'fine']);
      expect([count, bodies.length, refusals.length]).toEqual([2, 4, 1]);
      expect(sent(bodies[1])).toBe(undefined);
      expect(bodies[1]).toMatchObject(left ?? {});
      expect(first.warnings).toEqual([expect.stringContaining(words)]);
      expect([...second.warnings, ...third.warnings]).toEqual([]);
    });

  test('several that one message names go with one request, where each took one', async () => {
    const names = ['temperature', 'top_p', 'service_tier'];
    const { first, count, bodies, refusals } = await askThrice(
      (body) => {
        const sent = names.filter((name) => name in body);
        return sent.length === 0 ? undefined : `unsupported: ${sent.map((n) => `'${n}'`)}`;
      },
      { settings: { temperature: 0, top_p: 1, service_tier: 'flex', verbosity: 'low' } },
    );
    expect([first.text, count, bodies.length]).toEqual(['fine', 2, 4]);
    expect(refusals).toEqual([{ kind: 'refused', what: 'sampling', fields: names }]);
    expect(bodies[1].text).toEqual({ verbosity: 'low' });
  });

  test('what the server offers in place of a field is not refused', async () => {
    const { first, count, bodies } = await askThrice(
      (body) => ('top_k' in body ? "Unknown parameter: 'top_k'. Did you mean 'top_p'?" : undefined),
      { settings: { top_p: 0.5, extra_body: { top_k: 5 } } },
    );
    expect([first.text, count]).toEqual(['fine', 2]);
    for (const body of bodies.slice(1)) expect(body).toMatchObject({ top_p: 0.5 });
  });

  test('a field of extra_body whose name is no regular expression', async () => {
    const { first, count } = await askThrice(
      (body) => ('a(' in body ? "Unknown parameter: 'a('." : undefined),
      { settings: { extra_body: { 'a(': 1 } } },
    );
    expect([first.text, count]).toEqual(['fine', 2]);
  });

  test('two settings that exclude each other are told, none is given up', async () => {
    const { first, count } = await askThrice(
      (body) =>
        'temperature' in body && 'top_p' in body
          ? "'temperature' and 'top_p' cannot both be set"
          : undefined,
      { settings: { temperature: 0, top_p: 0.5 } },
    );
    expect([first.failure?.code, count]).toEqual(['bad-request', 1]);
  });

  test('a value out of its range is told, not left out', async () => {
    const { first, count } = await askThrice(() => "'temperature' must be between 0 and 2", {
      settings: { temperature: 3 },
    });
    expect(first.failure?.message).toMatch(/must be between 0 and 2$/);
    expect(count).toBe(1);
  });

  test('words that are also plain English are no fields', async () => {
    const { count } = await askThrice(() => 'the text of the user cannot be stored in this store');
    expect(count).toBe(1);
  });
});

describe('no reasoning, where a model always reasons', () => {
  test('becomes as little as it can', async () => {
    const { first, bodies, count, third } = await askThrice(
      ({ reasoning }) =>
        reasoning.effort === 'none'
          ? "Unsupported value: 'none' is not supported with the 'fake' model. Supported values are: 'minimal', 'low'."
          : undefined,
      { settings: { thinking: 'off' }, more: { param: 'reasoning.effort' } },
    );
    expect([first.text, third.text, count]).toEqual(['fine', 'fine', 2]);
    expect(bodies.map(({ reasoning }) => reasoning.effort)).toEqual([
      'none',
      'minimal',
      'minimal',
      'minimal',
    ]);
  });

  test('skips what the server does not list', async () => {
    const { bodies } = await askThrice(
      ({ reasoning }) =>
        reasoning.effort === 'none'
          ? "'none' is no value; supported are: 'low', 'high'"
          : undefined,
      { settings: { thinking: 'off' } },
    );
    expect(bodies[1].reasoning).toEqual({ effort: 'low' });
  });
});

describe('the output limit', () => {
  const rows: readonly [string, number][] = [
    ['max_output_tokens: 200000 > 8192, which is the maximum allowed', 8192],
    ['max_output_tokens is too large: 200000. This model supports at most 8,192 tokens', 8192],
  ];
  for (const [words, limit] of rows)
    test(`is lowered to what the model can: ${words}`, async () => {
      const { first, bodies, count } = await askThrice(
        (body) => (body.max_output_tokens > limit ? words : undefined),
        { settings: { max_tokens: 200_000 } },
      );
      expect([first.text, count, bodies.length]).toEqual(['fine', 2, 4]);
      expect(bodies[3].max_output_tokens).toBe(limit);
    });

  test('that is too small, or unknown, is told and not dropped', async () => {
    for (const words of [
      "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.",
      "Unknown parameter: 'max_output_tokens'.",
    ]) {
      const { first, count } = await askThrice(() => words, { settings: { max_tokens: 5 } });
      expect([count, first.failure?.message.endsWith(words)]).toEqual([1, true]);
    }
  });
});

describe('the form of the answer that is refused', () => {
  const format = { type: 'object', properties: { bird: { type: 'string' } } };

  test('a schema becomes JSON mode with the schema in words, then words alone', async () => {
    const { first, bodies } = await askThrice(
      ({ text }) => text?.format && `text.format ${text.format.type} is not supported`,
      { rest: { format } },
    );
    expect(first.text).toBe('fine');
    expect(bodies.map((body) => body.text?.format.type)).toEqual([
      'json_schema',
      'json_object',
      undefined,
      undefined,
      undefined,
    ]);
    expect(bodies[0].input).toHaveLength(1);
    for (const body of bodies.slice(1)) expect(JSON.stringify(body.input.at(-1))).toContain('bird');
  });
});

describe('one odd tool does not make the whole request fail', () => {
  const tool = (name: string) => ({ name, description: '', parameters: { type: 'object' } });
  const rest = { tools: [tool('look'), tool('odd.one')] };

  for (const [name, words] of [
    ['by its name', (wire: string) => `Invalid schema for function '${wire}': x`],
    ['by its place', () => "Invalid 'tools[1].parameters': not a schema"],
  ] as const)
    test(`refused ${name}, it is left out by name for the run`, async () => {
      const { first, second, bodies, count } = await askThrice(
        ({ tools }) => (tools.length > 1 ? words(tools[1].name) : undefined),
        { rest },
      );
      expect([first.text, second.text, count]).toEqual(['fine', 'fine', 2]);
      expect(first.warnings[0]).toMatch(/; asked again without the tool "odd\.one"$/);
      expect(bodies[2].tools).toHaveLength(1);
    });

  test('one of the provider too', async () => {
    const { first, bodies } = await askThrice(
      ({ tools }) => tools && "Hosted tool 'web_search' is not supported with this model.",
      { settings: { websearch: true } },
    );
    expect(first.text).toBe('fine');
    expect(bodies[1]).not.toHaveProperty('tools');
  });
});

describe('what cannot be helped', () => {
  test('a server that refuses everything is left after a few requests, and nothing is learned from it', async () => {
    const settings = { temperature: 0, top_p: 1, user: 'u', service_tier: 'flex', top_logprobs: 2 };
    const { first, count, bodies } = await askThrice(
      (body) => `not supported: '${Object.keys(body).at(-1)}'`,
      { settings },
    );
    expect([count, first.failure?.facts.kind]).toEqual([4, 'bad_request']);
    expect(bodies[4]).toEqual(bodies[0]);
    expect(bodies[8]).toEqual(bodies[0]);
  });

  const rows: readonly [string, number, string][] = [
    ['a key that is wrong', 401, "temperature: 'temperature' is not for you"],
    ['a model that is not there', 404, "The model 'temperature' does not exist"],
    ['a prompt that is too long', 400, "This model's maximum context length is 10 'temperature'"],
    ['something else', 400, 'your input is odd'],
  ];
  for (const [name, status, words] of rows)
    test(`${name} is not asked again`, async () => {
      const server = await served(responsesError(status, words));
      const endpoint = fakeEndpoint(`${server.url}/v1`, { settings: { temperature: 0 } });
      const { failure } = await askBackend(createResponses(), fakeRequest(endpoint));
      expect([failure?.exitCode, server.requests.length]).toEqual([4, 1]);
    });

  test('what one model refused says nothing about another', async () => {
    const server = await served(({ json }) =>
      json.model === 'old' && json.top_p !== undefined
        ? responsesError(400, "unknown 'top_p'")
        : responsesStream('fine'),
    );
    const backend = createResponses();
    for (const model of ['old', 'new', 'old'])
      await askBackend(
        backend,
        fakeRequest(fakeEndpoint(`${server.url}/v1`, { model, settings: { top_p: 1 } })),
      );
    expect(server.requests.map(({ json }) => [json.model, json.top_p])).toEqual([
      ['old', 1],
      ['old', undefined],
      ['new', 1],
      ['old', undefined],
    ]);
  });
});
