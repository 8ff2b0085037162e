// Answers that come compressed although they were asked for as they are: some gateways do that to everybody.

import * as zlib from 'node:zlib';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createHttp } from '../../src/world/http.ts';
import { type Script, startFakeServer } from '../helpers/fake-server.ts';

async function read(script: Script, onPiece: (text: string) => void = () => {}): Promise<string> {
  const server = await startFakeServer(script);
  onTestFinished(() => server.close());
  const { body } = await createHttp({}).send({ method: 'GET', url: server.url, headers: {} });
  const decoder = new TextDecoder();
  let all = '';
  for await (const piece of body) {
    all += decoder.decode(piece, { stream: true });
    onPiece(all);
  }
  return all;
}

const ZSTD = 'KLUv/QRYWQAAxb1sdcWlIPCfkIx/x7Ne';
const TEXT = 'data: {"text":"Žluť 🐌"}\n\n'.repeat(50);

const FORMS: readonly (readonly [string, Uint8Array])[] = [
  ['gzip', gzipSync(TEXT)],
  ['X-GZip', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['deflate, gzip', gzipSync(deflateSync(TEXT))],
  ['identity', Buffer.from(TEXT)],
  ['unknown', Buffer.from(TEXT)],
];

describe('a compressed answer', () => {
  test.each(FORMS)(
    'in %s is read as the text that it is, however it is cut',
    async (name, body) => {
      const headers = { 'content-encoding': name };
      expect(await read({ headers, body, cut: 7 })).toBe(TEXT);
    },
  );

  test('in zstd is read where Node can, and told where it cannot', async () => {
    // What `zstd` makes of "Žluť 🐌".
    const body = Buffer.from(ZSTD, 'base64');
    const reading = read({ headers: { 'content-encoding': 'zstd' }, body, cut: 7 });
    if ('createZstdDecompress' in zlib) expect(await reading).toBe('Žluť 🐌');
    else await expect(reading).rejects.toMatchObject({ code: 'NO_ZSTD' });
  });

  test('is handed on as it arrives, not at its end', async () => {
    const gzip = createGzip();
    gzip.write('first');
    await new Promise<void>((resolve) => gzip.flush(() => resolve()));
    const begin = gzip.read() as Uint8Array;
    gzip.end(' last');
    let seen = () => {};
    const until = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const rest = await new Promise<Uint8Array>((resolve) => {
      gzip.once('readable', () => resolve(gzip.read() as Uint8Array));
    });
    const script = { headers: { 'content-encoding': 'gzip' }, body: [begin, { until }, rest] };
    const text = await read(script, (all) => {
      if (all.startsWith('first')) seen();
    });
    expect(text).toBe('first last');
  });

  test('that nobody reads to its end does not keep its connection', async () => {
    const gzip = createGzip();
    gzip.write('first');
    await new Promise<void>((resolve) => gzip.flush(() => resolve()));
    const script: Script = {
      headers: { 'content-encoding': 'gzip' },
      body: gzip.read() as Uint8Array,
      ending: 'hang',
    };
    const server = await startFakeServer(script);
    onTestFinished(() => server.close());
    const { body } = await createHttp({}).send({ method: 'GET', url: server.url, headers: {} });
    for await (const _ of body) break;
    await vi.waitFor(() => expect(server.requests[0]?.aborted).toBe(true), { timeout: 5000 });
  });

  test.each<Script>([
    { body: gzipSync(TEXT).subarray(0, 40), ending: 'reset' },
    { body: 'no gzip at all' },
  ])('that breaks off, or is none, is a failure with a code', async (script) => {
    const reading = read({ ...script, headers: { 'content-encoding': 'gzip' } });
    await expect(reading).rejects.toMatchObject({ code: expect.any(String) });
  });
});
