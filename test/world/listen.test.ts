// The HTTP server of this machine: what its requests tell.

import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { listen } from '../../src/world/listen.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

test('a client that leaves is noticed, however long its answer takes: garbage collection loses nothing', async () => {
  let signal: AbortSignal | undefined;
  let began = () => {};
  const begun = new Promise<void>((resolve) => {
    began = resolve;
  });
  const left = new Promise<void>((resolve) => {
    void listen({ host: '127.0.0.1', port: 0 }, (request) => {
      signal = request.signal;
      signal.addEventListener('abort', () => resolve());
      began();
      return new Promise(() => {});
    }).then(({ port }) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n'),
      );
      void begun.then(async () => {
        for (let turn = 0; turn < 5; turn++) {
          await pause(10);
          collectGarbage();
        }
        socket.destroy();
      });
    });
  });
  await left;
  expect(signal?.aborted).toBe(true);
});
