// Segments, lineage and the totals of chats given as lists of messages.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chatFacts } from '../../src/prov/chat-facts.ts';
import { tokenEvents } from '../../src/prov/events.ts';
import { lineage, trace, withLineage } from '../../src/prov/lineage.ts';
import { project } from '../../src/prov/project.ts';
import { segments } from '../../src/prov/segments.ts';
import { total } from '../../src/prov/totals.ts';
import type { ChatNode } from '../../src/prov/types/graph.ts';
import type { Chat } from '../../src/types.ts';

interface Case {
  readonly name: string;
  readonly chats: readonly Chat[];
  readonly trace: readonly unknown[];
  readonly trace_without_deduplication: readonly unknown[];
  readonly totals: Readonly<Record<string, number>>;
  /** Addresses of messages with the same digest. */
  readonly equal_lineage: readonly (readonly (readonly [chat: number, index: number])[])[];
}

const file = join(import.meta.dirname, '../../fixtures/prov/trace.json');
const { cases }: { readonly cases: readonly Case[] } = JSON.parse(readFileSync(file, 'utf8'));

describe('segments of', () => {
  for (const each of cases) {
    test(each.name, () => {
      expect(traced(each.chats, true)).toEqual(each.trace);
      expect(traced(each.chats, false)).toEqual(each.trace_without_deduplication);
    });

    test(`${each.name}: the same totals from events`, () => {
      const nodes = each.chats.map((chat, index): ChatNode => {
        const facts = withLineage(chatFacts(chat), chat);
        return { kind: 'chat', path: `/${index}.chat`, facts };
      });
      const { tokens } = total(tokenEvents(nodes));
      const known = Object.entries(tokens).map(([field, count]) => [field, count ?? 0]);
      expect(Object.fromEntries(known)).toEqual(each.totals);
    });

    test(`${each.name}: equal digests for equal conversations alone`, () => {
      const places = new Map<string, [number, number][]>();
      for (const [number, chat] of each.chats.entries())
        for (const [index, digest] of lineage(chat).entries())
          places.set(digest, [...(places.get(digest) ?? []), [number, index]]);
      const repeated = [...places.values()].filter(({ length }) => length > 1);
      const expected = each.equal_lineage;
      expect(repeated.filter((some) => new Set(some.map(([chat]) => chat)).size > 1)).toEqual(
        expected,
      );
    });
  }
});

function traced(chats: readonly Chat[], deduplicate: boolean): readonly unknown[] {
  return trace(chats, { deduplicate }).map((segment) => ({
    inference_id: segment.inference_id,
    deduplication: segment.deduplication,
    meta_at: [segment.chat, segment.index],
    covers: segment.covers.map((index) => [segment.chat, index]),
    orphan: segment.orphan,
    meta: segment.fields,
  }));
}

test.each(['user', 'system', 'meta'])('a segment ends before a %s message', (role) => {
  const found = segments([
    { role: 'meta', content: 'tt=1' },
    { role: 'assistant', content: 'a' },
    { role, content: 'tt=2' },
    { role: 'assistant', content: 'b' },
  ]);
  expect(found[0]?.covers).toEqual([1]);
});

describe('a request that left no message', () => {
  const chat: Chat = [
    { role: 'user', content: 'q' },
    { role: 'meta', content: 'pt=5 ct=2 tt=7 inference_id=a orphan=true' },
    { role: 'meta', content: 'pt=6 ct=2 tt=8 inference_id=b' },
    { role: 'assistant', content: 'x' },
  ];

  test('is told and costs what it cost', () => {
    const facts = chatFacts(chat);
    expect(facts.requests.map(({ orphan }) => orphan)).toEqual([true, undefined]);
    const [first, second] = tokenEvents([{ kind: 'chat', path: '/a.chat', facts }]);
    expect([first?.tokens.tt, second?.tokens.tt]).toEqual([7, 8]);
  });
});

test.each([
  ['at the end of a chat', []],
  ['before a question', [{ role: 'user', content: 'q' }]],
  ['before instructions', [{ role: 'system', content: 's' }]],
] as const)('a request that left no message %s is an orphan', (_, after) => {
  const meta = { role: 'meta', content: 'pt=5 ct=2 tt=7 inference_id=a' };
  const { requests } = chatFacts([meta, ...after]);
  expect(requests.map(({ orphan }) => orphan)).toEqual([true]);
});

test('the same words of another role are another conversation', () => {
  const after = (role: string) =>
    lineage([
      { role, content: 'q' },
      { role: 'meta', content: 'pt=1 ct=1 tt=2' },
    ])[1];
  expect(after('user')).not.toBe(after('system'));
});

test('reasoning and time make no other request of a copied meta, anything else does', () => {
  const lineageOf = (meta: string) =>
    lineage([
      { role: 'user', content: 'q' },
      { role: 'meta', content: meta },
    ])[1];
  const plain = lineageOf('pt=1 ct=1 tt=2');
  expect(lineageOf('pt=1 ct=1 tt=2 reas=I thought of x = 3')).toBe(plain);
  expect(lineageOf('pt=1 ct=1 tt=2 timestamp=2026-01-01T00:00:00Z')).toBe(plain);
  expect(lineageOf('tt=2 pt=1 ct=1')).toBe(plain);
  expect(lineageOf('pt=1 ct=1 tt=2 tt_c=4')).not.toBe(plain);
});

describe('a projection', () => {
  const messages: Chat = [
    { role: 'user', content: 'q' },
    { role: 'meta', content: 'pt=1 ct=1 tt=2 inference_id=a reas=so it is' },
    { role: 'assistant', content: 'x' },
    { role: 'meta', content: 'job=/another/job' },
    { role: 'meta', content: 'reas=nothing but this' },
  ];

  test('begins with the one mark of its job, and has metas without their reasoning', () => {
    expect(project('/a/job', messages)).toEqual([
      { role: 'meta', content: 'job=/a/job' },
      { role: 'user', content: 'q' },
      { role: 'meta', content: 'pt=1 ct=1 tt=2 inference_id=a' },
      { role: 'assistant', content: 'x' },
    ]);
  });

  test('keeps reasoning where that is wanted', () => {
    expect(project('/a/job', messages, { keepReasoning: true })).toEqual([
      { role: 'meta', content: 'job=/a/job' },
      ...messages.slice(0, 3),
      ...messages.slice(4),
    ]);
  });
});
