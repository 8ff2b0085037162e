// A tool that the server does not take: the request goes out without it, is told, and the tools that are fine work on in the whole run.

import { describe, expect, test } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import { createOpenai } from '../../src/backends/openai/backend.ts';
import { PRESETS } from '../../src/backends/openai/place.ts';
import { createResponses } from '../../src/backends/responses/backend.ts';
import type { Backend } from '../../src/backends/types.ts';
import { anthropicStream } from '../helpers/anthropic-replies.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { Script } from '../helpers/fake-server.ts';
import { openaiError, openaiStream } from '../helpers/openai-replies.ts';
import { tool, type Wire } from '../helpers/prompts.ts';
import { responsesStream } from '../helpers/responses-replies.ts';
import { served } from '../helpers/served.ts';

const openai = () => createOpenai(PRESETS.openai);
const named = (index: number) => `Invalid schema for function '${ODD[index]}': it is odd`;
const ODD = ['odd_one', 'odd_two'];

/** How the refusal names the tool at that place. */
const ROWS: readonly (readonly [
  string,
  () => Backend,
  Script,
  (at: number, index: number) => string,
])[] = [
  ['chat, by name', openai, openaiStream('fine'), (_, index) => named(index)],
  [
    'chat, by place',
    openai,
    openaiStream('fine'),
    (at) => `tools[${at}].function.parameters: odd schema`,
  ],
  [
    'messages',
    createAnthropic,
    anthropicStream('fine'),
    (at) => `tools.${at}.custom.input_schema: JSON schema is invalid`,
  ],
  ['responses', createResponses, responsesStream('fine'), (_, index) => named(index)],
];

describe('one odd tool makes the whole request fail', () => {
  test.each(ROWS)('%s', async (_, create, answer, refusal) => {
    const namesIn = (json: Wire): string[] =>
      json.tools.map((each: Wire) => each.name ?? each.function.name);
    const server = await served(({ json }) => {
      const at = namesIn(json).findIndex((name) => ODD.includes(name));
      if (at === -1) return answer;
      return openaiError(400, refusal(at, ODD.indexOf(namesIn(json)[at] ?? '')));
    });
    const backend = create();
    const endpoint = fakeEndpoint(server.url, { backend: backend.name });
    const tools = ['look', ...ODD, 'count'].map((name) => tool(name));
    const request = fakeRequest(endpoint, 'q', { tools });
    const { text, failure, warnings } = await askBackend(backend, request);
    expect([failure, text]).toEqual([undefined, 'fine']);
    expect(warnings.map((each) => /without the tool "(\w+)"/.exec(each)?.[1])).toEqual(ODD);
    // Later in the run it is known; another run may have another server behind the same address.
    await askBackend(backend, request);
    expect(server.requests.map(({ json }) => namesIn(json).length)).toEqual([4, 3, 2, 2]);
    expect(namesIn(await backend.wire(request, askContext()))).toEqual(['look', 'count']);
    const other = await backend.wire({ ...request, sessionId: 'session-2' }, askContext());
    expect(namesIn(other)).toHaveLength(4);
  });
});
