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

/** A server whose answer is made after its client left; what becomes of its body. */
async function leftBefore(): Promise<string> {
  let tell: (fate: string) => void = () => {};
  const fate = new Promise<string>((resolve) => {
    tell = resolve;
  });
  let began = () => {};
  const begun = new Promise<void>((resolve) => {
    began = resolve;
  });
  const { port, close } = await listen({ host: '127.0.0.1', port: 0 }, async ({ signal }) => {
    began();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    // Of more pieces than are made before anybody reads.
    let left = 5;
    const pull = (made: ReadableStreamDefaultController) =>
      left-- > 0 ? made.enqueue(new Uint8Array(1)) : made.close();
    return new Response(new ReadableStream({ pull, cancel: () => tell('let go') }));
  });
  const socket = connect(port, '127.0.0.1', () =>
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  );
  await begun;
  socket.destroy();
  return fate.finally(close);
}

test('an answer that comes after its client left is let go, and takes no room for ever', async () => {
  expect(await leftBefore()).toBe('let go');
});

test('clients that read lose no answer, however much they are sent together', async () => {
  const answer = 'x'.repeat(30 * 1024 * 1024);
  const { port, close } = await listen({ host: '127.0.0.1', port: 0 }, async () => {
    return new Response(answer);
  });
  const read = async () => (await (await fetch(`http://127.0.0.1:${port}`)).text()).length;
  const lengths = await Promise.all([read(), read(), read(), read()]);
  expect(new Set(lengths)).toEqual(new Set([answer.length]));
  await close();
});
