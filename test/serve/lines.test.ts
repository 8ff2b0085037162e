// Messages as lines: however the bytes are cut, and one after the other.

import * as library from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { lineTransport } from '../../src/serve/lines.ts';
import { createClock } from '../../src/world/clock.ts';

const clock = createClock();

/** What a transport makes of these pieces, and what it answers by itself. */
async function received(pieces: readonly Uint8Array[]) {
  let written = '';
  const transport = lineTransport(
    {
      clock,
      input: {
        async *pieces() {
          yield* pieces;
        },
      },
      output: {
        closed: false,
        async write(text) {
          written += text;
        },
      },
    },
    library,
  );
  const messages: unknown[] = [];
  transport.onmessage = (message) => messages.push(message);
  await transport.start();
  await transport.ended;
  return { messages, written };
}

const ping = (id: string) => `{"jsonrpc":"2.0","id":"${id}","method":"ping"}`;
const bytes = (text: string) => new TextEncoder().encode(text);

test('lines are whole wherever the bytes are cut, also the last one without its end', async () => {
  const text = `${ping('ä€😀')}\n\r\n${ping('two')}\r\n${ping('three')}`;
  const all = bytes(text);
  const ids = ['ä€😀', 'two', 'three'];
  for (let size = 1; size < all.length; size += 7) {
    const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
      all.subarray(index * size, (index + 1) * size),
    );
    const { messages, written } = await received(pieces);
    expect(messages.map((message) => (message as { id: string }).id)).toEqual(ids);
    expect(written).toBe('');
  }
});

test('a byte order mark before the first line says nothing', async () => {
  const { messages, written } = await received([bytes(`\ufeff${ping('one')}\n${ping('two')}\n`)]);
  expect([messages.length, written]).toEqual([2, '']);
});

test('a client that reads nothing is not waited for at the end', async () => {
  const transport = lineTransport(
    {
      clock,
      input: {
        async *pieces(signal) {
          await new Promise((resolve) => signal?.addEventListener('abort', resolve));
        },
      },
      output: { closed: false, write: () => new Promise(() => {}) },
    },
    library,
  );
  await transport.start();
  void transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  await expect(transport.close()).resolves.toBeUndefined();
});

test('a line that is too long is answered, and the next one is read', async () => {
  const piece = bytes('x'.repeat(1 << 20));
  const { messages, written } = await received([
    ...Array.from({ length: 66 }, () => piece),
    bytes(`\n${ping('after')}\n`),
  ]);
  expect(JSON.parse(written).error).toMatchObject({ code: -32600 });
  expect(messages).toHaveLength(1);
});

test('what is sent at once is written one after the other', async () => {
  const pieces: string[] = [];
  const transport = lineTransport(
    {
      clock,
      input: { async *pieces() {} },
      output: {
        closed: false,
        async write(text) {
          pieces.push('begin');
          await new Promise((resolve) => setTimeout(resolve, text.length > 60 ? 30 : 0));
          pieces.push('end');
        },
      },
    },
    library,
  );
  await Promise.all([
    transport.send({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(100) } }),
    transport.send({ jsonrpc: '2.0', id: 2, result: {} }),
  ]);
  expect(pieces).toEqual(['begin', 'end', 'begin', 'end']);
});

test('an output that nobody reads ends it', async () => {
  let closed = false;
  const transport = lineTransport(
    {
      clock,
      input: {
        async *pieces(signal) {
          await new Promise((resolve) => signal?.addEventListener('abort', resolve));
        },
      },
      output: {
        get closed() {
          return closed;
        },
        async write() {
          closed = true;
        },
      },
    },
    library,
  );
  await transport.start();
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  await transport.ended;
});

test('a client that floods and reads nothing is not listened to until it reads', async () => {
  let taken = 0;
  let read = () => {};
  const reads = new Promise<void>((resolve) => {
    read = resolve;
  });
  const transport = lineTransport(
    {
      clock,
      input: {
        async *pieces() {
          for (; taken < 40; taken++) yield bytes(`${ping(String(taken))}\n`);
        },
      },
      output: { closed: false, write: () => reads },
    },
    library,
  );
  transport.onmessage = (message) => {
    const id = 'id' in message ? (message.id ?? 0) : 0;
    void transport.send({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(1 << 20) } });
  };
  await transport.start();
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(taken).toBeLessThan(20);
  read();
  await transport.ended;
  expect(taken).toBe(40);
});

test('requests beyond so many without answers are refused, until one is answered or cancelled', async () => {
  const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"0"}}';
  const lines = [
    ...Array.from({ length: 5000 }, (_, index) => ping(String(index))),
    ping('too many'),
    cancel,
    ping('fits'),
    ping('too many again'),
  ];
  const { messages, written } = await received([bytes(lines.join('\n'))]);
  expect(messages).toHaveLength(5002);
  expect(messages.at(-1)).toMatchObject({ id: 'fits' });
  const refused = written.trim().split('\n');
  expect(refused.map((line) => JSON.parse(line))).toMatchObject([
    { id: 'too many', error: { code: -32000 } },
    { id: 'too many again', error: { code: -32000 } },
  ]);
});
