// How servers of a protocol's family tell that something is wrong: each against a real server, named after what users saw.

import { describe, expect, test } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import { limited } from '../../src/backends/http/limited.ts';
import { readValues } from '../../src/backends/http/values.ts';
import { createOpenai } from '../../src/backends/openai/backend.ts';
import { PRESETS } from '../../src/backends/openai/place.ts';
import { createResponses } from '../../src/backends/responses/backend.ts';
import { askBackend, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { Answers } from '../helpers/fake-server.ts';
import { event, openaiStream } from '../helpers/openai-replies.ts';
import { askServer, served } from '../helpers/served.ts';

const openai = () => createOpenai(PRESETS.openai);
const chat = (answers: Answers) => askServer(openai(), answers);

describe('the words of an error are lost in its wrapping', () => {
  const error = { code: 400, message: 'the fake key is not valid', status: 'INVALID_ARGUMENT' };
  test('a list of one error', async () => {
    const { failure } = await chat({ status: 400, body: JSON.stringify([{ error }]) });
    expect(failure?.message).toMatch(/answered 400 \(bad request\): the fake key is not valid$/);
  });

  test.each([
    ['{"errors":[{"message":"one"},{"message":"two"}]}', 'one; two'],
    ['{"code":12,"msg":"the balance is out"}', 'the balance is out'],
    ['{"__type":"ValidationException","Message":"odd input"}', 'odd input'],
    ['{"error":{"error":{"message":"deep words"}}}', 'deep words'],
    ['{"error":"{\\"error\\":{\\"message\\":\\"inner words\\"}}"}', 'inner words'],
    ['{"error":"invalid_token","error_description":"it expired"}', 'invalid_token: it expired'],
    ['{"error":{"code":7}}', '{"error":{"code":7}}'],
  ])('%s', async (body, words) => {
    const { failure } = await chat({ status: 400, body });
    expect(failure?.message).toMatch(/answered 400 \(bad request\): /);
    expect(failure?.message.split('(bad request): ')[1]).toBe(words);
  });

  test('a list of one error with a status of 200', async () => {
    const { failure, count } = await chat({ body: JSON.stringify([{ error }]) });
    expect([count, failure?.message]).toEqual([1, expect.stringMatching(/fake key is not valid$/)]);
  });

  test('a field of a list of one error is told, so that it can be left out', async () => {
    const refusal = [{ error: { message: 'Unknown name "seed"', status: 'INVALID_ARGUMENT' } }];
    const server = await served(({ json }) =>
      json.seed === undefined
        ? openaiStream('fine')
        : { status: 400, body: JSON.stringify(refusal) },
    );
    const endpoint = fakeEndpoint(server.url, { settings: { seed: 7 } });
    expect((await askBackend(openai(), fakeRequest(endpoint))).text).toBe('fine');
  });

  test.each([
    ['an object', '{"message":"the fake is overloaded","code":529}'],
    ['words', 'the fake is overloaded'],
  ])('an event named error that holds %s', async (_, data) => {
    const body = [`event: error\ndata: ${data}\n\n`];
    const { text, retries } = await chat([{ body }, openaiStream('fine')]);
    expect(text).toBe('fine');
    expect(retries.map(({ message }) => message)).toEqual([
      expect.stringContaining('the fake is overloaded'),
    ]);
  });

  test('a quota that is used up, told by an answer that failed, is no bad request', async () => {
    const failed = {
      type: 'response.failed',
      response: {
        ...{ id: 'resp_1', object: 'response', status: 'failed', output: [] },
        error: { code: 'insufficient_quota', message: 'fake quota used up' },
      },
    };
    const { failure, count } = await askServer(createResponses(), { body: [event(failed)] });
    expect([count, failure?.facts.kind]).toEqual([1, 'credits']);
  });
});

describe('a prompt that is too long is told as something else', () => {
  test.each([
    'This model’s maximum prompt length is 131072 but the request contains 140000 tokens.',
    'The input token count (140000) exceeds the maximum number of tokens allowed (131072).',
    'Input is too long for requested model.',
    'Invalid request: Your request exceeded model token limit: 131072',
    'the number of tokens to keep is greater than the context length',
    'context window exceeds limit',
    'Please reduce the length of the messages or completion.',
  ])('%s', async (message) => {
    const body = JSON.stringify({ error: { message, code: 400 } });
    const { failure } = await chat({ status: 400, body });
    expect(failure?.facts).toMatchObject({ context_overflow: true });
    expect(failure?.message).toContain('the prompt is too long for fake-mini');
  });

  test('a request that is over the limit of a minute by itself is not asked again', async () => {
    const message =
      'Request too large for fake-mini on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.';
    const body = JSON.stringify({ error: { message, code: 'rate_limit_exceeded' } });
    const { failure, count } = await chat({ status: 429, body });
    expect(count).toBe(1);
    expect(failure?.facts).toMatchObject({ kind: 'rate_limited', retryable: false });
  });
});

describe('an answer that cannot be read ends the program, or is told as a connection that was not made', () => {
  test('an event without end', async () => {
    const piece = 'x'.repeat(8 * 1024 * 1024);
    const body = ['data: ', ...Array.from({ length: 9 }, () => piece)];
    const { failure, count } = await chat({ body });
    expect([count, failure?.message]).toEqual([
      1,
      expect.stringMatching(/sent more than one event can be$/),
    ]);
  });

  const site = { endpoint: fakeEndpoint('http://x/v1'), url: new URL('http://x/'), sent: 0 };

  test('white space without end is not kept to its end', async () => {
    const blank = new Uint8Array(65_536).fill(0x20);
    let pieces = 0;
    const spaces = async function* () {
      for (; pieces < 3000; pieces++) yield blank;
    };
    const reading = (async () => {
      for await (const _ of readValues(spaces(), site, () => {}));
    })();
    await expect(reading).rejects.toThrow('x sent more than one event can be');
    expect(pieces).toBeLessThan(1500);
  });

  test('an answer that never ends', async () => {
    const forEver = async function* () {
      for (;;) yield new Uint8Array(10);
    };
    let size = 0;
    const reading = (async () => {
      for await (const bytes of limited(forEver(), site, 95)) size += bytes.length;
    })();
    await expect(reading).rejects.toThrow('x sent more than one answer can be');
    expect(size).toBe(90);
  });

  test.each(['gzip', 'br', 'deflate'])('%s that is none', async (encoding) => {
    const headers = { 'content-encoding': encoding };
    const { failure } = await chat({ headers, body: 'nonsense that is none' });
    expect(failure?.message).toMatch(/sent a compressed answer that cannot be read/);
  });

  test('a whole message that is one text', async () => {
    const body = { type: 'message', role: 'assistant', content: 'plain', stop_reason: 'end_turn' };
    expect((await askServer(createAnthropic(), { body })).text).toBe('plain');
  });
});
