// What a host refuses is asked again in another form, once, and remembered: by this process, and by the next ones for a week.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import type { LogLine, PromptRequest } from '../../src/backends/types.ts';
import { createClock } from '../../src/world/clock.ts';
import {
  anthropicError,
  anthropicStream,
  event,
  messageEvents,
} from '../helpers/anthropic-replies.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { FakeServer, Script } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import type { Wire } from '../helpers/prompts.ts';
import { served } from '../helpers/served.ts';

type Refuse = (body: Wire) => string | undefined;

const DISPLAY = 'thinking.adaptive.display: Extra inputs are not permitted';
const ADAPTIVE = 'adaptive thinking is not supported on this model';
const MARKS = 'system.0.cache_control: Extra inputs are not permitted';
const CAP =
  'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-fake-1';

const refuseDisplay: Refuse = ({ thinking }) => (thinking?.display ? DISPLAY : undefined);
const refuseLevels: Refuse = ({ thinking, output_config: output }) =>
  thinking?.type === 'adaptive' || output?.effort ? ADAPTIVE : undefined;
const refuseMarks: Refuse = (body) =>
  JSON.stringify(body).includes('cache_control') ? MARKS : undefined;
const refuseLength: Refuse = ({ max_tokens: most }) => (most > 8192 ? CAP : undefined);
const ALL = [refuseDisplay, refuseLevels, refuseMarks, refuseLength];

async function server(refuse: readonly Refuse[], then: Script = anthropicStream('fine')) {
  const started = await served(({ json }) => {
    const message = refuse.map((each) => each(json)).find((each) => each !== undefined);
    return message === undefined ? then : anthropicError(400, message);
  });
  return started;
}

const CHAT = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'q' },
];

const request = (
  { url }: FakeServer,
  rest: Partial<PromptRequest> = {},
  settings: Record<string, unknown> = {},
  model = 'claude-fake-1',
) =>
  fakeRequest(fakeEndpoint(url, { model, settings: { thinking: 'low', ...settings } }), CHAT, rest);

const bodies = ({ requests }: FakeServer): Wire[] => requests.map(({ json }) => json);
const formOf = ({ thinking, output_config: output, max_tokens: most, ...body }: Wire) => ({
  thinking: thinking?.type,
  display: thinking?.display,
  effort: output?.effort,
  marks: JSON.stringify(body).includes('cache_control'),
  most,
});

describe('each kind of refusal', () => {
  const plain = {
    thinking: 'adaptive',
    display: 'summarized',
    effort: 'low',
    marks: true,
    most: 64_000,
  };
  const rows: readonly [string, Refuse, object, string][] = [
    [
      'thinking.display is left out, thinking stays',
      refuseDisplay,
      { display: undefined },
      'asked again without thinking.display',
    ],
    [
      'levels of thinking become a budget',
      refuseLevels,
      { thinking: 'enabled', effort: undefined },
      'asked again with a budget of thinking in place of a level',
    ],
    [
      'marks are left out',
      refuseMarks,
      { marks: false },
      'asked again without marks for the cache',
    ],
    ['the answer is capped', refuseLength, { most: 8192 }, 'asked again for at most 8192 tokens'],
  ];
  for (const [name, refuse, change, told] of rows)
    test(`${name}: asked once, told, remembered here and by the next process`, async () => {
      const fake = await server([refuse]);
      const cacheFolder = temporaryFolder();
      const log: LogLine[] = [];
      const context = () => askContext({ cacheFolder, log: (line) => log.push(line) });
      const backend = createAnthropic();
      const first = await askBackend(backend, request(fake), context());
      expect([first.text, first.failure]).toEqual(['fine', undefined]);
      expect(first.warnings).toEqual([expect.stringMatching(new RegExp(`; ${told}$`))]);
      expect(bodies(fake).map(formOf)).toEqual([plain, { ...plain, ...change }]);
      expect(log.map(({ kind }) => kind)).toEqual(['http', 'refused', 'http']);

      const second = await askBackend(backend, request(fake), context());
      expect([second.text, second.warnings]).toEqual(['fine', []]);
      expect(formOf(await backend.wire(request(fake), context()))).toEqual({ ...plain, ...change });

      const next = await askBackend(createAnthropic(), request(fake), context());
      expect([next.text, next.warnings]).toEqual(['fine', []]);
      expect(bodies(fake).slice(2).map(formOf)).toEqual([
        { ...plain, ...change },
        { ...plain, ...change },
      ]);
    });

  test('without a folder for it, the next process asks again', async () => {
    const fake = await server([refuseMarks]);
    for (let count = 0; count < 2; count++) await askBackend(createAnthropic(), request(fake));
    expect(bodies(fake)).toHaveLength(4);
  });

  test('after a week it is asked again', async () => {
    const fake = await server([refuseMarks]);
    const cacheFolder = temporaryFolder();
    await askBackend(createAnthropic(), request(fake), askContext({ cacheFolder }));
    const later = { ...createClock(), now: () => new Date(Date.now() + 8 * 24 * 3600_000) };
    await askBackend(createAnthropic(), request(fake), askContext({ cacheFolder, clock: later }));
    expect(bodies(fake)).toHaveLength(4);
  });
});

describe('all four at once', () => {
  test('each is tried once, in their order: five requests and no more, then one', async () => {
    const fake = await server(ALL);
    const cacheFolder = temporaryFolder();
    const { text } = await askBackend(
      createAnthropic(),
      request(fake),
      askContext({ cacheFolder }),
    );
    expect(text).toBe('fine');
    expect(bodies(fake).map(formOf)).toEqual([
      { thinking: 'adaptive', display: 'summarized', effort: 'low', marks: true, most: 64_000 },
      { thinking: 'adaptive', display: undefined, effort: 'low', marks: true, most: 64_000 },
      { thinking: 'enabled', display: undefined, effort: undefined, marks: true, most: 64_000 },
      { thinking: 'enabled', display: undefined, effort: undefined, marks: false, most: 64_000 },
      { thinking: 'enabled', display: undefined, effort: undefined, marks: false, most: 8192 },
    ]);
    await askBackend(createAnthropic(), request(fake), askContext({ cacheFolder }));
    expect(bodies(fake)).toHaveLength(6);
  });

  test('a host that never has enough is left after five requests; nothing is remembered', async () => {
    const fake = await server([() => `${DISPLAY}; ${ADAPTIVE}; ${MARKS}; max_tokens: 9 > 8`]);
    const cacheFolder = temporaryFolder();
    for (let asked = 1; asked <= 2; asked++) {
      const context = askContext({ cacheFolder });
      const { failure } = await askBackend(createAnthropic(), request(fake), context);
      expect(failure?.facts).toMatchObject({ kind: 'bad_request', status: 400 });
      expect(bodies(fake)).toHaveLength(asked * 5);
    }
    expect(readdirSync(cacheFolder)).toEqual([]);
  });
});

describe('which rule a message is for', () => {
  const rows: readonly [string, string, Partial<ReturnType<typeof formOf>> | undefined][] = [
    ['the path of display names adaptive', DISPLAY, { thinking: 'adaptive', display: undefined }],
    ['display in other words', "Unknown field 'display' in thinking", { display: undefined }],
    ['effort', 'output_config.effort: Extra inputs are not permitted', { thinking: 'enabled' }],
    [
      'a tag that is not expected',
      "thinking: Input tag 'adaptive' found using 'type' does not match any of the expected tags: 'disabled', 'enabled'",
      { thinking: 'enabled' },
    ],
    [
      'the field of the effort',
      'output_config: Extra inputs are not permitted',
      { thinking: 'enabled' },
    ],
    [
      'marks before length',
      'cache_control is unknown; max_tokens: 64000 > 5',
      { marks: false, most: 64_000 },
    ],
    [
      'too many marks',
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
      { marks: false },
    ],
    ['a length in quotes', '`max_tokens`: 64000 > 4096 for this model', { most: 4096 }],
    ['a length as a range', 'Range of max_tokens should be [1, 8192]', { most: 8192 }],
    [
      'a length in words',
      'max_tokens is too large: 64000. This model supports at most 16,384 completion tokens.',
      { most: 16_384 },
    ],
    [
      'a length as a rule for the field',
      'max_tokens: Input should be less than or equal to 32768',
      { most: 32_768 },
    ],
    [
      'a length that has to be more is none',
      '`max_tokens` must be greater than `thinking.budget_tokens`',
      undefined,
    ],
    [
      'a signature is none',
      'messages.1.content.0: Invalid `signature` in `thinking` block',
      undefined,
    ],
    [
      'a bound block is none',
      'thinking is bound; set thinking.block_binding.prefix_mismatch_behavior, adaptive',
      undefined,
    ],
    [
      'a prompt that is too long is none',
      'prompt is too long: 210000 tokens > 200000 maximum (max_tokens: 64000 > 1)',
      undefined,
    ],
    ['a field of sampling is none', 'temperature: Extra inputs are not permitted', undefined],
    ['a length that was not sent', 'max_tokens: 64000 > 64000', undefined],
    ['something else', 'messages: roles must alternate', undefined],
  ];
  for (const [name, message, change] of rows)
    test(name, async () => {
      const fake = await served([anthropicError(400, message), anthropicStream('fine')]);
      const { failure } = await askBackend(createAnthropic(), request(fake));
      expect(bodies(fake)).toHaveLength(change === undefined ? 1 : 2);
      if (change === undefined) expect(failure?.message).toMatch(/answered 400|is too long/);
      else expect(formOf(bodies(fake)[1])).toMatchObject(change);
    });

  test('gateways say it with 422; any other status is no refusal of a field', async () => {
    for (const [status, count] of [
      [422, 2],
      [413, 1],
    ] as const) {
      const fake = await served([anthropicError(status, ADAPTIVE), anthropicStream('fine')]);
      await askBackend(createAnthropic(), request(fake));
      expect(bodies(fake)).toHaveLength(count);
    }
  });

  test('a refusal of what was not sent changes nothing', async () => {
    const fake = await server([() => `${DISPLAY}; ${ADAPTIVE}; ${MARKS}`]);
    const settings = { thinking: 'default', cache: false };
    const { failure } = await askBackend(createAnthropic(), request(fake, {}, settings));
    expect([bodies(fake).length, failure?.facts.status]).toEqual([1, 400]);
  });

  test('a status other than 400 changes nothing', async () => {
    const fake = await served(anthropicError(403, ADAPTIVE, 'permission_error'));
    await askBackend(createAnthropic(), request(fake));
    expect(bodies(fake)).toHaveLength(1);
  });
});

describe('whose habit it is', () => {
  test('display and marks are the host’s, levels and length the model’s', async () => {
    const fake = await server([]);
    const old: Refuse = (body) =>
      body.model === 'old' ? ALL.map((each) => each(body)).find((each) => each) : undefined;
    fake.answer(({ json }) => {
      const message = old(json);
      return message === undefined ? anthropicStream('fine') : anthropicError(400, message);
    });
    const backend = createAnthropic();
    await askBackend(backend, request(fake, {}, {}, 'old'));
    await askBackend(backend, request(fake, {}, {}, 'new'));
    expect(formOf(bodies(fake).at(-1))).toEqual({
      thinking: 'adaptive',
      display: undefined,
      effort: 'low',
      marks: false,
      most: 64_000,
    });
  });

  test('and another host’s habits are its own', async () => {
    const [one, other] = [await server(ALL), await server([])];
    const cacheFolder = temporaryFolder();
    const backend = createAnthropic();
    await askBackend(backend, request(one), askContext({ cacheFolder }));
    await askBackend(backend, request(other), askContext({ cacheFolder }));
    expect(formOf(bodies(other)[0])).toMatchObject({ marks: true, display: 'summarized' });
  });
});

describe('a schema for the answer that is refused', () => {
  const format = { type: 'object', properties: { bird: { type: 'string' } } };

  test('goes into words; a model that takes none is remembered', async () => {
    const fake = await server([
      ({ output_config: output }) =>
        output?.format ? 'output_config.format: Extra inputs are not permitted' : undefined,
    ]);
    const backend = createAnthropic();
    const { text } = await askBackend(backend, request(fake, { format }));
    await askBackend(backend, request(fake, { format }));
    expect([text, bodies(fake).length]).toEqual(['fine', 3]);
    expect(bodies(fake)[1].output_config).toEqual({ effort: 'low' });
    expect(bodies(fake)[1].messages.at(-1).content.at(-1).text).toContain('"bird"');
  });

  test('one that is only odd is not', async () => {
    const fake = await server([
      ({ output_config: output }) =>
        output?.format ? 'output_config.format.schema: minimum is not supported here' : undefined,
    ]);
    const backend = createAnthropic();
    for (let count = 0; count < 2; count++) await askBackend(backend, request(fake, { format }));
    expect(bodies(fake)).toHaveLength(4);
  });
});

test('a refusal in the middle of an answer is an error: what was shown is not shown again', async () => {
  const error = { type: 'invalid_request_error', message: ADAPTIVE };
  const fake = await served({
    body: [...messageEvents(['One ']).slice(0, 4), event({ type: 'error', error })],
  });
  const { text, failure } = await askBackend(createAnthropic(), request(fake));
  expect([text, failure?.facts.status, bodies(fake).length]).toEqual(['One ', 400, 1]);
});

test('a refusal in place of an answer, under a status of 200, is one all the same', async () => {
  const error = { type: 'invalid_request_error', message: ADAPTIVE };
  const fake = await served([{ body: [event({ type: 'error', error })] }, anthropicStream('fine')]);
  expect((await askBackend(createAnthropic(), request(fake))).text).toBe('fine');
});

test('what is kept on disk holds no key, no prompt and no header', async () => {
  const fake = await server(ALL);
  const cacheFolder = temporaryFolder();
  const asked = request(fake);
  const endpoint = {
    ...asked.endpoint,
    key: { reveal: () => 'KEY-mock-123' },
    headers: { 'x-other': 'HEADER-mock' },
  };
  const context = askContext({ cacheFolder });
  const { warnings } = await askBackend(createAnthropic(), { ...asked, endpoint }, context);
  const files = readdirSync(cacheFolder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.json'),
  );
  expect(files).toHaveLength(2);
  const all = [...files.map((name) => readFileSync(join(cacheFolder, name), 'utf8')), ...warnings];
  for (const text of all) expect(text).not.toMatch(/KEY-mock|HEADER-mock|Be brief/);
  expect(all.join('')).toContain('"output_cap":{"value":8192');
});

test('tries again after a server error do not use up the other forms', async () => {
  const fake = await served([
    anthropicError(529, 'busy', 'overloaded_error'),
    anthropicError(400, MARKS),
    anthropicError(529, 'busy', 'overloaded_error'),
    anthropicStream('fine'),
  ]);
  const { text, retries } = await askBackend(createAnthropic(), request(fake));
  expect([text, retries.length, bodies(fake).length]).toEqual(['fine', 2, 4]);
});

describe('a host refuses calls in the history of a request without tools', () => {
  const said = [
    'Requests which include `tool_use` or `tool_result` blocks must define tools.',
    'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
    "litellm.UnsupportedParamsError: Anthropic doesn't support tool calling without `tools=` param specified.",
  ];
  const chat = [
    { role: 'user', content: 'q' },
    { role: 'function_call', content: '{"name":"look.up","arguments":{},"id":"a"}' },
    { role: 'function_call_output', content: '{"name":"look.up","content":"x","id":"a"}' },
  ];
  const toolless =
    (message: string): Refuse =>
    ({ tools, messages }) =>
      tools === undefined && JSON.stringify(messages).includes('tool_use') ? message : undefined;
  for (const message of said)
    test(message, async () => {
      const host = await server([toolless(message)]);
      const backend = createAnthropic();
      for (const _ of ['first', 'second']) {
        const { text } = await askBackend(backend, { ...request(host), messages: chat });
        expect(text).toBe('fine');
      }
      // Learned once.
      const [refused, ...rest] = bodies(host);
      expect(refused).not.toHaveProperty('tools');
      expect(rest).toHaveLength(2);
      const name = refused.messages[1].content[0].name;
      for (const { tools, tool_choice: choice } of rest) {
        expect(tools.map((tool: Wire) => tool.name)).toEqual([name]);
        expect(choice).toBeUndefined();
      }
      expect(await backend.wire(request(host), askContext())).not.toHaveProperty('tools');
    });
});
