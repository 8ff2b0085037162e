// Asks a real server over the Chat Completions protocol.

import { openai } from '../../src/backends/openai/backend.ts';
import type { ReplyEvent } from '../../src/backends/types.ts';
import { askBackend, fakeEndpoint, fakeRequest } from './asking.ts';
import type { Answers } from './fake-server.ts';
import { served } from './served.ts';

/** Asks once; the answers come one for each request. */
export async function ask(answers: Answers, settings: Record<string, unknown> = {}) {
  const server = await served(answers);
  const asked = await askBackend(
    openai,
    fakeRequest(fakeEndpoint(`${server.url}/v1`, { settings })),
  );
  return { ...asked, server };
}

export const last = (events: readonly ReplyEvent[]) => events.at(-1);
