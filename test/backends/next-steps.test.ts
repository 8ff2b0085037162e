// Every refusal says what to do next, and says nothing that the request and the words of the server do not bear out.

import { describe, expect, test } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import { createOllama } from '../../src/backends/ollama/backend.ts';
import { createOpenai } from '../../src/backends/openai/backend.ts';
import { PRESETS } from '../../src/backends/openai/place.ts';
import { createResponses } from '../../src/backends/responses/backend.ts';
import type { Backend, PromptRequest } from '../../src/backends/types.ts';
import type { Endpoint } from '../../src/config/types.ts';
import type { Attachment } from '../../src/types.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { Script } from '../helpers/fake-server.ts';
import { openaiError } from '../helpers/openai-replies.ts';
import { served } from '../helpers/served.ts';

const openai = (): Backend => createOpenai(PRESETS.openai);

async function refusedWith(
  answer: Script,
  endpoint: Partial<Endpoint> = {},
  request: Partial<PromptRequest> & { readonly backend?: Backend } = {},
) {
  const server = await served(answer);
  const made = fakeEndpoint(`${server.url}/v1`, endpoint);
  const { backend = openai(), messages, ...rest } = request;
  const asked = fakeRequest({ ...made, settings: { retry_max: 0, ...made.settings } }, messages);
  const { failure } = await askBackend(backend, { ...asked, ...rest });
  return { failure, requests: server.requests.length };
}

const DRY = /^look at the request \(`chat compile --wire`\)/;

describe('a refusal without a next step', () => {
  const rows: readonly (readonly [string, Script, RegExp, string?])[] = [
    ['400 for no known reason', openaiError(400, 'your messages are odd'), DRY],
    ['400 in plain text', { status: 400, body: 'Bad Request' }, DRY],
    ['422 without a word', { status: 422, body: '' }, DRY],
    ['418', { status: 418, body: 'teapot' }, DRY],
    ['405', { status: 405, body: '' }, /^check "url" and "backend" in etc\/AI\/fake.yaml: nothing/],
    ['407 of a proxy', { status: 407, body: '' }, /^put user and password into the address of the/],
    ['431', { status: 431, body: '' }, /^check "headers" and the key of endpoint fake /],
    [
      '451',
      { status: 451, body: 'not here' },
      /^change the question, or ask another model \(-m\)$/,
    ],
    [
      '403 for a question that was flagged',
      openaiError(403, 'Your chosen model requires moderation and your input was flagged'),
      /^change the question, or ask another model/,
      'bad-request',
    ],
    [
      '403 for a country',
      openaiError(403, 'Country not supported'),
      /has no key/,
      'not-authorized',
    ],
    [
      '403 for a model that is not the project’s',
      openaiError(403, 'Project `p` does not have access', { code: 'model_not_found' }),
      /^choose another model \(-m\), or correct "fake-mini" in etc\/AI\/fake.yaml; `chat model list -e fake`/,
      'model-not-found',
    ],
    ['400 for a model', openaiError(400, 'Invalid model: fake-mini'), /^choose another model/],
    ['400 for what a model takes', openaiError(400, 'Invalid model parameters: odd'), DRY],
    [
      '404 for a model of another interface',
      openaiError(404, 'This is not a chat model'),
      /^check "url" of endpoint fake \(etc\/AI\/fake.yaml\) and the model \(-m\): it was asked at/,
    ],
    ['402', { status: 402, body: 'pay' }, /is billed/, 'out-of-credits'],
    [
      '400 for credit',
      openaiError(400, 'Your credit balance is too low to access the API'),
      /^look after credit and limits where the key of endpoint fake \(etc.*\) is billed/,
      'out-of-credits',
    ],
    ['403 for credit', openaiError(403, 'Insufficient balance'), /is billed/, 'out-of-credits'],
    ['408', { status: 408 }, /^try again later/],
  ];
  for (const [name, answer, next, code] of rows)
    test(name, async () => {
      const { failure } = await refusedWith(answer);
      expect(failure?.next).toMatch(next);
      if (code !== undefined) expect(failure?.code).toBe(code);
    });

  const wires: readonly (readonly [string, () => Backend])[] = [
    ['openai', openai],
    ['responses', createResponses],
    ['anthropic', createAnthropic],
    ['ollama', createOllama],
  ];
  for (const [name, create] of wires)
    test(`${name}: no status from 300 to 599 is left without one`, async () => {
      const statuses = [300, 304, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412];
      const more = [413, 414, 415, 416, 417, 421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 499];
      for (const status of [...statuses, ...more, 500, 501, 502, 503, 504, 505, 511, 520, 529]) {
        const { failure } = await refusedWith({ status, body: 'no' }, {}, { backend: create() });
        expect([status, failure?.next]).toEqual([status, expect.stringMatching(/\w/)]);
      }
    });
});

describe('the place of what was refused', () => {
  const settings = { temperature: 3, thinking: 'high', stop: ['x'], extra_body: { foo: 1 } };
  const origins = {
    temperature: { file: 'notes.chat', line: 3 },
    thinking: 'command line',
    extra_body: { file: 'etc/AI/fake.yaml', line: 9 },
    stop: { line: 2 },
    top_p: { file: 'notes.chat', line: 4 },
    model: { file: 'notes.chat', line: 1 },
  };
  const rows: readonly (readonly [string, RegExp])[] = [
    ['temperature must be between 0 and 2', /^change "temperature" \(notes\.chat:3\), or take it/],
    ['body.foo: input should be at most 0', /^change "extra_body" \(etc\/AI\/fake\.yaml:9\), or/],
    ["'stop' takes at most 0 words", /^change "stop" \(line 2 of the chat\), or take it out$/],
    [
      'temperature and foo: too large',
      /"temperature" \(.*:3\) and "extra_body" \(.*:9\), or take th/,
    ],
    ['please stop that, it is too large', DRY],
    ['top_p is too large', DRY],
    ['the model `fake-mini` does not exist', /or correct "fake-mini" in notes\.chat:1;/],
  ];
  for (const [message, next] of rows)
    test(message, async () => {
      const { failure } = await refusedWith(openaiError(400, message), { settings, origins });
      expect(failure?.next).toMatch(next);
      expect(failure?.message).toContain(message);
    });

  test('a field of extra_body whose name is no regular expression, or one that never ends, is a name', async () => {
    for (const name of ['a(', '(a+)+$', 'constructor']) {
      const settings = { extra_body: JSON.parse(`{${JSON.stringify(name)}: 1}`) };
      for (const said of [`body.${name}: too large`, `${'a'.repeat(400)}!`]) {
        const { failure } = await refusedWith(openaiError(400, said), { settings, origins });
        expect([name, failure?.next]).toEqual([
          name,
          expect.stringMatching(said.startsWith('body') ? /^change "extra_body"/ : DRY),
        ]);
      }
    }
  });

  test('a field that is named by its parameter, under the name that it has on the wire', async () => {
    const answer = openaiError(400, 'must be at most 3', { param: 'max_output_tokens' });
    const { failure } = await refusedWith(
      answer,
      { settings: { max_tokens: 5 }, origins: { max_tokens: 'command line' } },
      { backend: createResponses() },
    );
    expect(failure?.next).toBe('change "max_tokens" (command line), or take it out');
  });

  test('the form of the answer', async () => {
    const answer = { status: 400, body: { error: 'invalid JSON schema in format' } };
    const format = { type: 'object' };
    const { failure } = await refusedWith(answer, {}, { format, backend: createOllama() });
    expect(failure?.next).toMatch(/^take out the form of the answer \(--format, or/);
    const parameters = { type: 'object', properties: { format: { type: 'string' } } };
    const tools = [{ name: 'draw', description: 'Draws', parameters, run: async () => '' }];
    const without = await refusedWith(answer, {}, { tools, backend: createOllama() });
    expect(without.failure?.next).toMatch(DRY);
    const image = { status: 400, body: { error: 'unknown image format' } };
    const about = await refusedWith(image, {}, { format, backend: createOllama() });
    expect(about.failure?.next).toMatch(DRY);
  });

  test('a built-in endpoint has no file to correct', async () => {
    for (const answer of [
      { status: 401 },
      { status: 307, headers: { location: 'http://127.0.0.2/' } },
      openaiError(404, 'x', { code: 'model_not_found' }),
    ]) {
      const { failure } = await refusedWith(answer, { source: 'built-in' });
      expect(failure?.next).not.toMatch(/(?:in|of) built-in|there/);
    }
  });

  test('a key in the address that a server sends on to is not shown', async () => {
    const location = 'http://127.0.0.2/login/KEY-mock-123456';
    const { failure } = await refusedWith(
      { status: 307, headers: { location } },
      { headers: { 'x-api-key': 'KEY-mock-123456' } },
    );
    expect(failure?.message).toMatch(/sends requests on to http:\/\/127\.0\.0\.2\/login\/\*\*\*/);
  });
});

describe('a request that is too large', () => {
  const image = (path: string, bytes: number): Attachment => ({
    path,
    mediaType: 'image/png',
    base64: Buffer.alloc(bytes, 7).toString('base64'),
  });
  const asked = (attachments: readonly Attachment[]): Partial<PromptRequest> => ({
    messages: [
      { role: 'user', content: 'What is that?' },
      ...attachments.map(({ path }) => ({ role: 'image', content: path })),
    ],
    attachments: new Map(attachments.map((each) => [each.path, each])),
  });

  test('names its size and the largest of its files', async () => {
    const files = [image('small.png', 3000), image('big.png', 1_500_000)];
    const { failure } = await refusedWith({ status: 413, body: '' }, {}, asked(files));
    expect(failure?.message).toMatch(/answered 413 \(too large\)$/);
    expect(failure?.next).toBe(
      'the request has 2.0 MB; the largest of its 2 files is "big.png" (2.0 MB): make it smaller, or put "skip:" before it',
    );
  });

  test('names no file that makes up little of it', async () => {
    const messages = [{ role: 'user', content: 'word '.repeat(40_000) }];
    const { failure } = await refusedWith({ status: 413 }, {}, { ...asked([]), messages });
    expect(failure?.next).toMatch(/^the request has 201 kB: shorten the chat/);
  });
});

test('a prompt that is too long: what makes this one shorter', async () => {
  const answer = openaiError(400, 'context length exceeded');
  const { failure } = await refusedWith(answer);
  expect(failure?.next).toBe(
    'shorten the chat (`clear:` drops what stands before it), or ask a model with a larger context (-m)',
  );
  const messages = [
    { role: 'user', content: 'q' },
    { role: 'function_call', content: '{"name":"look","arguments":{},"id":"a"}' },
    { role: 'function_call_output', content: '{"name":"look","content":"long","id":"a"}' },
  ];
  const endpoint = { backend: 'ollama' };
  const other = await refusedWith(answer, endpoint, { messages, backend: createOllama() });
  expect(other.failure?.next).toMatch(
    /, send less of what tools said \(`option: prompt_strategies shorten_tools`\), raise "num_ctx", or ask/,
  );
});

test('a list of models that is refused is no request to look at', async () => {
  const server = await served({ status: 400, body: 'no' });
  const endpoint = fakeEndpoint(`${server.url}/v1`);
  await expect(openai().models(endpoint, askContext())).rejects.toMatchObject({
    next: 'check "url" and the key of endpoint fake (etc/AI/fake.yaml)',
  });
});
