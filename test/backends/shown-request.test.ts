// `compile --wire` shows the request as `ask` would send it, also what an earlier process learned from a refusal.

import { describe, expect, test } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import { createOllama } from '../../src/backends/ollama/backend.ts';
import { createOpenai } from '../../src/backends/openai/backend.ts';
import { PRESETS } from '../../src/backends/openai/place.ts';
import { createResponses } from '../../src/backends/responses/backend.ts';
import type { Backend } from '../../src/backends/types.ts';
import { anthropicError, anthropicStream } from '../helpers/anthropic-replies.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { Script } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { ollamaStream } from '../helpers/ollama-replies.ts';
import { openaiStream } from '../helpers/openai-replies.ts';
import { served } from '../helpers/served.ts';

const said = (text: string): Script => ({
  body: {
    ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'fake-mini' },
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
  },
});

interface Row {
  readonly name: string;
  readonly create: () => Backend;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly refusal: string;
  readonly answer: Script;
  /** Of the wire of a process that knows nothing, and of one that looked. */
  readonly before: object;
  readonly after: object;
}

const ROWS: readonly Row[] = [
  {
    name: 'anthropic',
    create: createAnthropic,
    settings: { thinking: 'low' },
    refusal: 'adaptive thinking is not supported on this model',
    answer: anthropicStream('fine'),
    before: { thinking: { type: 'adaptive' } },
    after: { thinking: { type: 'enabled' } },
  },
  {
    name: 'openai',
    create: () => createOpenai(PRESETS.openai),
    settings: { max_tokens: 50 },
    refusal: "'max_tokens' is not supported with this model",
    answer: openaiStream('fine'),
    before: { max_tokens: 50 },
    after: { max_completion_tokens: 50 },
  },
  {
    name: 'ollama',
    create: createOllama,
    settings: { thinking: 'low' },
    refusal: 'think value "low" must be true or false',
    answer: ollamaStream('fine'),
    before: { think: 'low' },
    after: { think: true },
  },
  {
    name: 'responses',
    create: createResponses,
    settings: { max_tokens: 9000 },
    refusal: 'max_output_tokens: 9000 > 4096, the maximum',
    answer: said('fine'),
    before: { max_output_tokens: 9000 },
    after: { max_output_tokens: 4096 },
  },
];

describe('what was learned before stands in the shown request', () => {
  test.each(ROWS)('$name', async ({ create, settings, refusal, answer, before, after }) => {
    const server = await served([anthropicError(400, refusal), answer]);
    const endpoint = fakeEndpoint(server.url, { backend: create().name, settings });
    const request = fakeRequest(endpoint);
    const context = askContext({ cacheFolder: temporaryFolder() });
    const { text, failure } = await askBackend(create(), request, context);
    expect(failure).toBeUndefined();
    expect(text).toBe('fine');

    const unknowing = await create().wire(request, askContext());
    expect(unknowing).toMatchObject(before);
    const later = create();
    const shown = await later.wire(request, context);
    expect(shown).toEqual(server.requests.at(-1)?.json);
    expect(shown).toMatchObject(after);
    // It looks by itself, whether or not it was asked before.
    await askBackend(later, request, context);
    expect(server.requests).toHaveLength(3);
    expect(server.requests.at(-1)?.json).toEqual(shown);
  });
});
