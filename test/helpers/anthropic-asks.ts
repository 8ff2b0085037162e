// Asks a real server over the Messages protocol.

import { expect } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import type { PromptRequest, ReplyEvent } from '../../src/backends/types.ts';
import { askBackend, fakeEndpoint, fakeRequest } from './asking.ts';
import type { Answers } from './fake-server.ts';
import { served } from './served.ts';

/** Asks once; the answers come one for each request. */
export async function ask(
  answers: Answers,
  settings: Record<string, unknown> = {},
  rest: Partial<PromptRequest> = {},
) {
  const server = await served(answers);
  const endpoint = fakeEndpoint(server.url, { backend: 'anthropic', settings });
  const asked = await askBackend(createAnthropic(), fakeRequest(endpoint, 'q', rest));
  return { ...asked, events: asked.events.map(withoutPlace), server };
}

/** The block that names the server goes: each test has its own. */
export function withoutPlace(each: ReplyEvent): ReplyEvent {
  if (each.kind !== 'provider-content') return each;
  const [place, ...blocks] = each.blocks;
  expect(place).toEqual({ type: 'host', place: expect.stringMatching(/^[0-9a-f]{16}$/) });
  return { ...each, blocks };
}

export const THOUGHT = {
  type: 'thinking',
  thinking: 'Need the size and the clock.',
  signature: 'c2ln==',
};

export const SIZE = {
  type: 'tool_use',
  id: 'toolu_a',
  name: 'file_size',
  input: { path: 'notes.txt' },
};

export const CLOCK = { type: 'tool_use', id: 'toolu_b', name: 'clock', input: {} };
