// A scripted server that ends with the test which started it.

import { onTestFinished } from 'vitest';
import type { Backend } from '../../src/backends/types.ts';
import { askBackend, fakeEndpoint, fakeRequest } from './asking.ts';
import {
  type Answers,
  type FakeServer,
  type FakeServerOptions,
  startFakeServer,
} from './fake-server.ts';

/** The server; nobody has to close it. */
export async function served(answers: Answers, options?: FakeServerOptions): Promise<FakeServer> {
  const server = await startFakeServer(answers, options);
  onTestFinished(() => server.close());
  return server;
}

/** Asks a server of its own one question; `count` is how many requests came of it. */
export async function askServer(backend: Backend, answers: Answers) {
  const server = await served(answers);
  const endpoint = fakeEndpoint(server.url, { backend: backend.name });
  const asked = await askBackend(backend, fakeRequest(endpoint));
  return { ...asked, count: server.requests.length };
}
