// Faults of streams that users met, over every wire and through the whole program: what must be shown, kept and told.

import { describe, expect, it } from 'vitest';
import { WIRES } from '../fake/server.ts';
import type { WireName } from '../fake/types.ts';
import type { Piece, Script } from '../helpers/fake-server.ts';
import { askChat, bareServer, eventOf, eventsOf, isLines } from './asking.ts';
import { WIRE_NAMES } from './home.ts';

interface Case {
  /** The symptom. */
  readonly name: string;
  readonly wires?: readonly WireName[];
  /** What the model says; its events are handed to `play`. */
  readonly reply?: unknown;
  readonly play: (events: readonly string[], wire: WireName) => Script | readonly Script[];
  readonly answer?: string | undefined;
  readonly code?: number;
  readonly stderr?: RegExp;
  readonly requests?: number;
  /** What a `skip` message keeps. */
  readonly partial?: string;
}

const SSE: readonly WireName[] = WIRE_NAMES.filter((wire) => !isLines(wire));

const SNAIL = { text: ['Žluť ', '🐌 hotovo'] };

/** The events with something before each. */
const between = (events: readonly string[], piece: string): string[] =>
  events.flatMap((event) => [piece, event]);

/** Events up to the last that brings text. */
function untilText(events: readonly string[]): readonly string[] {
  const last = events.findLastIndex((event) => event.includes('kite') && event.includes('elta'));
  const line = events.findLastIndex((event) => event.includes('kite'));
  return events.slice(0, (last === -1 ? line : last) + 1);
}

/** An error as the wire tells it in the middle of an answer. */
function errorOf(wire: WireName): string {
  const { errorEvent, encode } = WIRES[wire];
  return encode([errorEvent({ message: 'fake failure' }, 1)], {}).join('');
}

const KITE = { text: ['Blue ', 'kite'] };
const WAIT: Piece = { wait: 30 };

const CASES: readonly Case[] = [
  {
    name: 'multi-byte characters cut between two reads: every byte a read of its own',
    reply: SNAIL,
    play: (events) => ({ body: [...events], cut: 1 }),
    answer: 'Žluť 🐌 hotovo',
  },
  {
    name: 'multi-byte characters cut between two reads: inside two of them',
    reply: SNAIL,
    play(events) {
      const bytes = Buffer.from(events.join(''));
      return { body: bytes, cut: [bytes.indexOf('Ž') + 1, bytes.indexOf('🐌') + 2] };
    },
    answer: 'Žluť 🐌 hotovo',
  },
  {
    name: 'one byte that is no UTF-8',
    wires: ['openai', 'anthropic', 'ollama'],
    reply: { text: ['a~b 🐌'] },
    play: (events) => ({
      body: Buffer.from(Buffer.from(events.join('')).map((byte) => (byte === 0x7e ? 0xff : byte))),
    }),
    answer: 'a\uFFFDb 🐌',
  },
  {
    name: 'no space after "data:"',
    wires: SSE,
    play: (events) => ({ body: events.map((event) => event.replace(/^data: /m, 'data:')) }),
    answer: 'Blue kite',
  },
  {
    name: 'no "event:" lines',
    wires: SSE,
    play: (events) => ({ body: events.map((event) => event.replace(/^event: .*\n/m, '')) }),
    answer: 'Blue kite',
  },
  {
    name: 'CR LF',
    play: (events) => ({ body: events.map((event) => event.replaceAll('\n', '\r\n')), cut: 7 }),
    answer: 'Blue kite',
  },
  {
    name: 'comments and keep-alives between events',
    wires: SSE,
    play: (events) => ({
      body: [': still here\n\n', ...between(events, ':\n\nid: 7\n\nretry: 10\n\n')],
    }),
    answer: 'Blue kite',
  },
  {
    name: 'unknown events',
    play: (events, wire) => ({
      body: between(events, isLines(wire) ? '\n' : 'event: weather\ndata: {"type":"weather"}\n\n'),
    }),
    answer: 'Blue kite',
  },
  {
    name: 'a relay that puts its comments into data',
    play: ([first = '', ...rest], wire) => ({
      body: [first, ...between(rest, eventOf(wire, ': still here'))],
    }),
    answer: 'Blue kite',
    stderr:
      /^warning: left out of the answer: an? (?:event|line) that is no JSON \(": still here"\)\n$/,
  },
  {
    name: 'no end mark behind a whole answer',
    play: (events, wire) => ({
      body: wire === 'openai' || wire === 'anthropic' ? events.slice(0, -1) : [...events],
      ending: 'close',
    }),
    answer: 'Blue kite',
  },
  ...(['end', 'close', 'reset'] as const).map(
    (ending): Case => ({
      name: `a stream that ends in the middle (${ending}), twice`,
      play: (events) => ({ body: [...untilText(events), WAIT], ending }),
      answer: undefined,
      code: 4,
      partial: 'Blue kite',
      requests: 2,
      stderr: /discarded, asking this round again/,
    }),
  ),
  {
    name: 'an error in the same read as the text before it, twice',
    play: (events, wire) => ({ body: [...untilText(events), errorOf(wire)].join('') }),
    answer: undefined,
    code: 4,
    partial: 'Blue kite',
    requests: 2,
    stderr: /fake failure.*discarded, asking this round again/,
  },
  {
    name: 'a response that failed in the same read as the text before it, twice',
    wires: ['responses'],
    play: (events) => ({
      body: [
        ...untilText(events),
        'data: {"type":"response.failed","response":{"id":"r","error":{"code":"server_error","message":"fake failure"}}}\n\n',
      ].join(''),
    }),
    answer: undefined,
    code: 4,
    partial: 'Blue kite',
    requests: 2,
    stderr: /fake failure.*discarded, asking this round again/,
  },
  {
    name: 'a stream that ends in the middle, once',
    play: (events) => [
      { body: [...untilText(events), WAIT], ending: 'close' },
      { body: [...events] },
    ],
    answer: 'Blue kite',
    requests: 2,
    stderr: /discarded, asking this round again/,
  },
  {
    name: 'no event at all',
    play: () => ({ body: [] }),
    answer: undefined,
    code: 4,
    requests: 3,
    stderr: /gave an empty answer/,
  },
  {
    name: 'chunks of unexpected shape',
    play: ([first = '', ...rest], wire) => ({
      body: [
        first,
        ...[
          ...['null', '7', '[]', '"text"', '{}', '{"usage":{"prompt_tokens":3}}', '{"choices":[]}'],
          ...['{"choices":[{"index":0}]}', '{"choices":[{"index":0,"delta":null}]}'],
          ...['{"choices":[{"delta":{"content":null,"tool_calls":null,"role":""}}]}'],
          ...['{"type":null}', '{"type":"content_block_delta"}', '{"message":null}'],
          ...['{"type":"content_block_start","index":9}', '{"type":"response.output_text.delta"}'],
          ...['{"type":"response.output_item.done","item":null}', '{"message":{"content":null}}'],
        ].map((data) => eventOf(wire, data)),
        ...rest,
      ],
    }),
    stderr: /^(?:warning: left out of the answer: .*\n)?$/,
    answer: 'Blue kite',
  },
  {
    name: 'a whole JSON answer where a stream was asked for',
    reply: { ...KITE, stream: false },
    play: (events) => ({ body: events.join('').trim() }),
    answer: 'Blue kite',
  },
  {
    name: 'a log-in page with status 200',
    play: () => ({
      headers: { 'content-type': 'text/html' },
      body: `<!DOCTYPE html><title>Log in</title>${'<p>x</p>'.repeat(9000)}`,
    }),
    answer: undefined,
    code: 4,
    requests: 1,
    stderr: /^error: 127\.0\.0\.1:\d+ (?:sent no|gave an empty) answer: a web page, "Log in"/,
  },
  ...(
    [
      [502, `<html><h1>nope</h1>${'x'.repeat(200_000)}</html>`, 3, /502.*"nope"/],
      [401, 'bad key', 1, /401.*bad key/],
      [503, '', 3, /503/],
      [429, '{"error":"slow"}', 3, /429.*slow/],
    ] as const
  ).map(
    ([status, body, requests, stderr]): Case => ({
      name: `a ${status} that says ${body.slice(0, 20) || 'nothing'}`,
      play: () => ({ status, body }),
      answer: undefined,
      code: 4,
      requests,
      stderr,
    }),
  ),
  {
    name: 'Retry-After: 0, then the answer',
    play: (events) => [
      { status: 429, headers: { 'retry-after': '0' }, body: '{}' },
      { status: 529, headers: { 'retry-after-ms': '5' }, body: '{}' },
      { body: [...events] },
    ],
    answer: 'Blue kite',
    stderr: /429.*trying again \(1 of 2\).*529.*trying again \(2 of 2\)/s,
    requests: 3,
  },
  {
    name: 'Retry-After above what is waited for',
    play: () => ({ status: 429, headers: { 'retry-after': '86400' }, body: '{}' }),
    answer: undefined,
    code: 4,
    requests: 1,
    stderr: /wants a wait of/,
  },
];

for (const wire of WIRE_NAMES)
  describe(`over ${wire}`, () => {
    for (const each of CASES) {
      if (each.wires !== undefined && !each.wires.includes(wire)) continue;
      it(each.name, async () => {
        const events = await eventsOf(wire, each.reply ?? KITE);
        const server = await bareServer(each.play(events, wire));
        const run = await askChat(wire, server.url);
        const { code = 0, stderr = /^$/ } = each;
        expect([run.code, run.answer, run.stderr]).toEqual([
          code,
          each.answer,
          expect.stringMatching(stderr),
        ]);
        expect(run.stderr.length).toBeLessThan(2000);
        expect(server.requests.length).toBe(each.requests ?? 1);
        if (code === 0) expect(run.stdout).toBe(`${each.answer}\n`);
        const kept = run.chat.filter(({ role }) => role === 'skip').map(({ content }) => content);
        const partial = each.partial === undefined ? [] : [expect.stringContaining(each.partial)];
        expect(kept).toEqual(partial);
        if (code !== 0 && each.partial === undefined) expect(run.text).toBe('user: What flies?\n');
      });
    }
  });
