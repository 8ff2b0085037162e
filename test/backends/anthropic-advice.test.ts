// Refusals whose words mean more than their status: what is said about them, and what the user is told to do.

import { describe, expect, test } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import { anthropicError } from '../helpers/anthropic-replies.ts';
import { askBackend, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import { served } from '../helpers/served.ts';

interface Row {
  readonly name: string;
  readonly status: number;
  readonly said: string;
  readonly expected: object;
}

const SIGNATURE = {
  next: expect.stringMatching(/provider_content:.*reasoning_history turn/),
  facts: expect.objectContaining({ kind: 'bad_request', status: 400 }),
};

const ROWS: readonly Row[] = [
  {
    name: 'an unknown model is no wrong address',
    status: 404,
    said: 'model: claude-fake-9',
    expected: {
      code: 'model-not-found',
      next: expect.stringMatching(/-m.*chat model list/),
      facts: expect.objectContaining({ model_not_found: true }),
    },
  },
  {
    name: 'a wrong address is no unknown model',
    status: 404,
    said: 'Not Found',
    expected: { code: 'not-found', next: expect.stringMatching(/"url"/) },
  },
  {
    name: 'a signature that does not fit is nothing to be asked again',
    status: 400,
    said: 'messages.1.content.0: Invalid `signature` in `thinking` block',
    expected: SIGNATURE,
  },
  {
    name: 'thinking of another conversation neither',
    status: 400,
    said: 'messages.1.content.0: this block is bound to a different conversation; remove it or set `thinking.block_binding.prefix_mismatch_behavior` to `drop_block`',
    expected: SIGNATURE,
  },
  {
    name: 'prompt and answer that do not fit together: the numbers are told as what they are',
    status: 400,
    said: 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
    expected: {
      code: 'context-overflow',
      message: expect.stringMatching(/: 190,000 tokens and at most 20,000, and 200,000 fit$/),
      next: expect.stringMatching(/^set "max_tokens" to 10000 or less/),
      facts: expect.objectContaining({ prompt_tokens: 190_000, context_window: 200_000 }),
    },
  },
  {
    name: 'a model that always thinks',
    status: 400,
    said: 'thinking.type: `disabled` is not supported on this model',
    expected: { next: expect.stringMatching(/thinking low/) },
  },
  {
    name: 'a prompt that is too long by itself',
    status: 400,
    said: 'prompt is too long: 210000 tokens > 200000 maximum',
    expected: {
      code: 'context-overflow',
      facts: expect.objectContaining({ prompt_tokens: 210_000, context_window: 200_000 }),
    },
  },
];

describe('a refusal', () => {
  test.each(ROWS)('$name', async ({ status, said, expected }) => {
    const type = status === 404 ? 'not_found_error' : undefined;
    const server = await served(anthropicError(status, said, type));
    const endpoint = fakeEndpoint(server.url, { backend: 'anthropic' });
    const { failure } = await askBackend(createAnthropic(), fakeRequest(endpoint));
    expect(failure).toMatchObject(expected);
    expect(server.requests).toHaveLength(1);
  });
});
