// Asks a real server through the transport of requests, and shows all that a failure says.

import { openai } from '../../src/backends/openai/backend.ts';
import type { BackendContext } from '../../src/backends/types.ts';
import type { Endpoint } from '../../src/config/types.ts';
import { askBackend, askContext, fakeEndpoint, fakeRequest } from './asking.ts';
import type { Answers } from './fake-server.ts';
import { served } from './served.ts';

/** Asks once; the answers come one for each request. */
export async function ask(
  answers: Answers,
  settings: Record<string, unknown> = {},
  rest: Partial<Endpoint> = {},
  context: Partial<BackendContext> = {},
) {
  const server = await served(answers);
  const endpoint = fakeEndpoint(`${server.url}/v1`, { ...rest, settings });
  const asked = await askBackend(openai, fakeRequest(endpoint), askContext(context));
  return { ...asked, server };
}

/** All that a failure could show anywhere. */
export const shown = (failure: unknown): string => {
  const { message, detail, next, at, facts, stack } = failure as Record<string, unknown>;
  return JSON.stringify([message, detail, next, at, facts, stack]);
};
