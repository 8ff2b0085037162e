// Asks a real server over the Responses protocol.

import { createResponses } from '../../src/backends/responses/backend.ts';
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
  const endpoint = fakeEndpoint(`${server.url}/v1`, { settings });
  const asked = await askBackend(createResponses(), fakeRequest(endpoint, 'q', rest));
  return { ...asked, server };
}

export const last = (events: readonly ReplyEvent[]) => events.at(-1);

/** The event that an answer ends with. */
export const finish = (reason: string, detail?: string) => ({
  kind: 'finish',
  reason: { reason, ...(detail === undefined ? {} : { detail }) },
});
