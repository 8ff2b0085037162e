// A scripted server that ends with the test which started it.

import { onTestFinished } from 'vitest';
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
