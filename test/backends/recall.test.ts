// `compile --wire` shows the request as `ask` would send it, also what an earlier process learned from a refusal.

import { describe, expect, onTestFinished, test } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import { createResponses } from '../../src/backends/responses/backend.ts';
import type { Backend } from '../../src/backends/types.ts';
import { anthropicError, anthropicStream } from '../helpers/anthropic-replies.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import { type Script, startFakeServer } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';

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
    const server = await startFakeServer([anthropicError(400, refusal), answer]);
    onTestFinished(() => server.close());
    const endpoint = fakeEndpoint(server.url, { backend: create().name, settings });
    const request = fakeRequest(endpoint);
    const context = askContext({ cacheFolder: temporaryFolder() });
    const { text, failure } = await askBackend(create(), request, context);
    expect(failure).toBeUndefined();
    expect(text).toBe('fine');

    const later = create();
    expect(later.wire(request)).toMatchObject(before);
    await later.recall?.(endpoint, context);
    expect(later.wire(request)).toEqual(server.requests.at(-1)?.json);
    expect(later.wire(request)).toMatchObject(after);
  });
});
