// An answer that the provider pauses (stop reason pause_turn) is gone on with until its end, and is one answer.

import { describe, expect, test } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import { toBody } from '../../src/backends/anthropic/body.ts';
import { anthropicError, anthropicStream } from '../helpers/anthropic-replies.ts';
import { askBackend, fakeEndpoint, fakeRequest, ofKind } from '../helpers/asking.ts';
import type { Answers } from '../helpers/fake-server.ts';
import { served } from '../helpers/served.ts';

async function ask(answers: Answers) {
  const server = await served(answers);
  const endpoint = fakeEndpoint(server.url, { backend: 'anthropic' });
  const request = fakeRequest(endpoint);
  const asked = await askBackend(createAnthropic(), request);
  return { ...asked, server, request };
}

const THOUGHT = { type: 'thinking', thinking: 'Where? ', signature: 's1' };
const SEARCH = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { q: 'x' } };
const FOUND = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
const PLACE = { type: 'host', place: expect.any(String) };
const PAUSED = { stop: 'pause_turn' };

describe('a paused answer ends in the middle', () => {
  test('it is gone on with from what it holds, and both parts are one answer', async () => {
    const { text, events, server, request } = await ask([
      anthropicStream([THOUGHT, 'I search. ', SEARCH, FOUND], { ...PAUSED, id: 'msg_1' }),
      anthropicStream(['It is ', 'here.'], { id: 'msg_2' }),
    ]);
    expect(text).toBe('I search. \n\nIt is here.');
    const [first, second] = server.requests;
    const blocks = [THOUGHT, { type: 'text', text: 'I search. ' }, SEARCH, FOUND];
    expect(second?.json).toEqual({
      ...first?.json,
      messages: [...(first?.json.messages ?? []), { role: 'assistant', content: blocks }],
    });
    const said = ['It is ', 'here.'].map((each) => ({ type: 'text', text: each }));
    const kept = ofKind(events, 'provider-content');
    expect(kept.map((each) => each.blocks)).toEqual([[PLACE, ...blocks, ...said]]);
    // Twice 12 in, twice 6 out.
    expect(ofKind(events, 'usage')).toEqual([
      { kind: 'usage', tokens: { pt: 24, ct: 12, tt: 36 } },
    ]);
    expect(events.at(-1)).toEqual({ kind: 'finish', reason: { reason: 'stop' } });
    expect(ofKind(events, 'finish')).toHaveLength(1);

    const content = JSON.stringify({ backend: 'anthropic', blocks: kept[0]?.blocks });
    const messages = [
      ...request.messages,
      { role: 'provider_content', content },
      { role: 'assistant', content: text },
      { role: 'user', content: 'Sure?' },
    ];
    expect(toBody({ ...request, messages }).fields).toMatchObject({
      messages: [{}, { content: [...blocks, ...said] }, {}],
    });
  });

  test('counts that one part does not tell are unknown, and not those of the other part', async () => {
    const usage = { input_tokens: 12, cache_read_input_tokens: 4, output_tokens: 1 };
    const { events } = await ask([
      anthropicStream('I search.', { ...PAUSED, usage }),
      anthropicStream('Here.'),
    ]);
    expect(ofKind(events, 'usage')).toEqual([
      { kind: 'usage', tokens: { pt: 28, ct: 12, tt: 40 } },
    ]);
    const none = await ask([
      anthropicStream('I search.', PAUSED),
      anthropicStream('Here.', { usage: {}, endUsage: {} }),
    ]);
    expect(ofKind(none.events, 'usage')).toEqual([]);
  });

  test('calls after the pause are calls of the answer', async () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'size', input: { path: 'a' } };
    const { events } = await ask([
      anthropicStream([SEARCH, FOUND], PAUSED),
      anthropicStream(['So:', call]),
    ]);
    expect(ofKind(events, 'tool-call').map((each) => each.call.id)).toEqual(['toolu_1']);
    expect(ofKind(events, 'provider-content')[0]?.blocks).toHaveLength(5);
    expect(events.at(-1)).toMatchObject({ reason: { reason: 'tool_calls' } });
  });

  test('one that is never ended is not gone on with for ever', async () => {
    const { events, server, text, warnings } = await ask(anthropicStream('Wait.', PAUSED));
    expect(server.requests).toHaveLength(11);
    expect(text).toBe('Wait.'.repeat(11));
    expect(events.at(-1)).toMatchObject({ reason: { reason: 'other', detail: 'pause_turn' } });
    expect(warnings.join()).toMatch(/paused/);
  });

  test('final assistant content cannot end with trailing whitespace: it does not on the wire', async () => {
    const { text, events, server } = await ask([
      anthropicStream([THOUGHT, 'I search. \n'], PAUSED),
      anthropicStream('Found.'),
    ]);
    expect(text).toBe('I search. \nFound.');
    const sent = server.requests[1]?.json.messages.at(-1).content;
    expect(sent).toEqual([THOUGHT, { type: 'text', text: 'I search.' }]);
    const [kept] = ofKind(events, 'provider-content');
    expect(kept?.blocks).toContainEqual({ type: 'text', text: 'I search. \n' });
  });

  test('one that says nothing new is not gone on with at all', async () => {
    const { server } = await ask(anthropicStream([], PAUSED));
    expect(server.requests).toHaveLength(1);
  });

  test('a busy provider is waited for in the middle; a refusal there is told', async () => {
    const paused = anthropicStream([SEARCH, FOUND], PAUSED);
    const busy = await ask([paused, anthropicError(529, 'busy'), anthropicStream('Here.')]);
    expect(busy.text).toBe('Here.');
    const refused = await ask([paused, anthropicError(400, 'no such tool')]);
    expect(refused.failure?.message).toMatch(/no such tool/);
  });
});
