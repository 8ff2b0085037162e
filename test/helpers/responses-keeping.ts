// Talks over the Responses protocol with a server that keeps conversations.

import { expect } from 'vitest';
import { createResponses } from '../../src/backends/responses/backend.ts';
import { fakeEndpoint } from './asking.ts';
import { called, type Item, keepingServer, message, reasoning } from './responses-replies.ts';
import { startTalk } from './responses-talk.ts';
import { served } from './served.ts';

/** Two turns: reasoning and two calls, reasoning and text, then reasoning, text and a call, and a text. */
export const OUTPUTS: readonly (readonly Item[])[] = [
  [
    reasoning('rs_1', 'Count both.'),
    called('k1', 'count', '{"shelf": 3}'),
    called('k2', 'count', '{"shelf":4}'),
  ],
  [reasoning('rs_2', 'Add.'), message('There are 24.', 'm2')],
  [reasoning('rs_3', 'Again.'), message('Let me see.', 'm3'), called('k3', 'count', '{}')],
  [message('Still 24.', 'm4')],
];

/** A talk with a server that answers with these outputs, one after the other. */
export async function talkTo(
  settings: Record<string, unknown> = {},
  outputs = OUTPUTS,
  model = 'fake-5',
) {
  const keeping = keepingServer(outputs);
  const server = await served((request) => keeping.answer(request));
  const endpoint = fakeEndpoint(`${server.url}/v1`, { backend: 'responses', model, settings });
  const talk = startTalk(createResponses(), endpoint);
  const inputs = (): Item[][] => server.requests.map(({ json }) => json.input);
  return { talk, server, keeping, inputs, endpoint };
}

/** Both turns to their end. */
export async function wholeTalk(settings: Record<string, unknown> = {}) {
  const all = await talkTo(settings);
  for (const more of ['How many?', [], 'And now?', []]) {
    const { failure, warnings } = await all.talk.ask(more);
    expect([failure, warnings]).toEqual([undefined, []]);
  }
  return all;
}

/** What items there are, each with its id. */
export const typesOf = (items: readonly Item[]) =>
  items.map(({ type, role, id, call_id: call }) =>
    [type ?? role, id ?? call].filter(Boolean).join(' '),
  );

/** The provider is to keep nothing. */
export const STATELESS = { previous_response: false };
