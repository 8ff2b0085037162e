// Faults of counts, limits and ways to a server that users met, over every wire and through the whole program.

import { describe, expect, it } from 'vitest';
import { parseMeta } from '../../src/chat/meta.ts';
import type { WireName } from '../fake/types.ts';
import { askChat, bareServer, type ChatRun, eventsOf, fakeFor } from './asking.ts';
import { WIRE_NAMES } from './home.ts';

const metaOf = ({ chat }: ChatRun) =>
  parseMeta(chat.find(({ role }) => role === 'meta')?.content ?? '');

/** Counts in the words of each wire: 100 of the prompt, 40 of them from the cache, 10 of the answer. */
const COUNTS: Readonly<Record<WireName, Record<string, unknown>>> = {
  anthropic: {
    ...{ input_tokens: 60, cache_read_input_tokens: 40, cache_creation_input_tokens: 0 },
    output_tokens: 10,
  },
  openai: {
    ...{ prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    prompt_tokens_details: { cached_tokens: 40 },
  },
  responses: {
    ...{ input_tokens: 100, output_tokens: 10, total_tokens: 110 },
    input_tokens_details: { cached_tokens: 40 },
  },
  ollama: { prompt_eval_count: 100, eval_count: 10 },
};

/** The same with every count changed. */
const changed = (usage: Record<string, unknown>, change: (count: number) => unknown): unknown =>
  JSON.parse(JSON.stringify(usage), (_, value) =>
    typeof value === 'number' ? change(value) : value,
  );

describe.each(WIRE_NAMES)('over %s', (wire) => {
  it('two meanings of "input tokens": what came from the cache is part of the prompt', async () => {
    const fake = await fakeFor(wire, [{ text: 'Fine.', usage: COUNTS[wire] }]);
    const meta = metaOf(await askChat(wire, fake.url));
    expect(meta).toMatchObject({ pt: 100, ct: 10, tt: 110 });
    if (wire !== 'ollama') expect(meta).toMatchObject({ cct: 40 });
  });

  it('tokens written to the cache are part of the prompt too', async () => {
    if (wire !== 'anthropic') return;
    const usage = { ...COUNTS.anthropic, cache_creation_input_tokens: 5 };
    const fake = await fakeFor(wire, [{ text: 'Fine.', usage }]);
    const meta = metaOf(await askChat(wire, fake.url));
    expect(meta).toMatchObject({ pt: 105, ct: 10, tt: 115, cct: 40, cwt: 5 });
  });

  it('running totals are not added up', async () => {
    const events = await eventsOf(wire, { text: 'Fine.', usage: COUNTS[wire] });
    // What tells the counts at the end is told twice.
    const counted = events.findLastIndex((event) => /usage"?:\{|eval_count/.test(event));
    const twice = wire === 'ollama' ? events : events.toSpliced(counted, 0, events[counted] ?? '');
    const server = await bareServer({ body: twice });
    expect(metaOf(await askChat(wire, server.url))).toMatchObject({ pt: 100, ct: 10, tt: 110 });
  });

  it('counts as text are read', async () => {
    const usage = changed(COUNTS[wire], String);
    const fake = await fakeFor(wire, [{ text: 'Fine.', usage }]);
    const run = await askChat(wire, fake.url);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(metaOf(run)).toMatchObject({ pt: 100, ct: 10 });
  });

  for (const [name, value] of [
    ['negative', -7],
    ['no number', '12abc'],
    ['null', null],
    ['an object', { a: 1 }],
    ['out of all bounds', '1e309'],
    ['half a token', 1.5],
  ] as const)
    it(`counts that are ${name} are not counted, and never shown`, async () => {
      const usage = changed(COUNTS[wire], () => value);
      const fake = await fakeFor(wire, [{ text: 'Fine.', usage }]);
      const run = await askChat(wire, fake.url, { args: ['-v'] });
      expect([run.code, run.answer]).toEqual([0, 'Fine.']);
      const meta = run.text.match(/^meta:.*$/m)?.[0] ?? '';
      expect(meta).not.toMatch(/NaN|undefined|null|Infinity|=-|12abc|object/);
      const told = run.stderr.split('\n').filter((line) => line.startsWith('tokens'));
      expect(told.join('')).toMatch(/unknown|0 prompt/);
      expect(told.join('')).not.toMatch(/NaN|undefined|Infinity|\s-\d/);
    });

  it('no counts at all', async () => {
    const fake = await fakeFor(wire, [{ text: 'Fine.', usage: false }]);
    const run = await askChat(wire, fake.url, { args: ['-v'] });
    expect([run.code, metaOf(run).pt]).toEqual([0, undefined]);
    expect(run.stderr).toContain('unknown prompt');
  });

  it('one option for the output limit, under the one name of the wire', async () => {
    const fake = await fakeFor(wire, ['Fine.']);
    const run = await askChat(wire, fake.url, { args: ['-o', 'max_tokens=50'] });
    expect([run.code, fake.violations]).toEqual([0, []]);
    const sent = fake.turns[0]?.request.body.match(/"(?:max\w*_tokens|num_predict)":\d+/g);
    expect(sent).toEqual([
      {
        anthropic: '"max_tokens":50',
        openai: '"max_tokens":50',
        responses: '"max_output_tokens":50',
        ollama: '"num_predict":50',
      }[wire],
    ]);
  });

  it('proxies: every request goes through the one that is named, a server that is excepted does not', async () => {
    const fake = await fakeFor(wire, ['Fine.']);
    const proxy = await bareServer(async ({ method, path, headers, body }) => {
      const { host: _, connection: __, 'content-length': ___, ...rest } = headers;
      const url = new URL(path);
      const answer = await fetch(`${fake.url}${url.pathname}${url.search}`, {
        ...{ method, headers: rest },
        ...(method === 'POST' ? { body } : {}),
      });
      return { status: answer.status, body: await answer.text() };
    });
    const url = `http://far.example:${fake.port}`;
    const env = { http_proxy: proxy.url, NO_PROXY: '127.0.0.1' };
    const far = await askChat(wire, url, { env });
    expect([far.code, far.answer]).toEqual([0, 'Fine.']);
    const seen = proxy.requests.length;
    expect(seen).toBe(fake.requests.length);
    const near = await askChat(wire, fake.url, { env });
    expect([near.code, proxy.requests.length]).toEqual([0, seen]);
  });

  it('a proxy that is no address is one clear error', async () => {
    const { code, stderr } = await askChat(wire, 'http://far.example:9', {
      env: { http_proxy: 'not a url' },
    });
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringMatching(/proxy/i)]);
    expect(code).not.toBe(0);
  });
});
