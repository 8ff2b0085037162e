// Laws of provenance, for graphs and chats that were drawn at random.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMeta, serializeMeta } from '../../src/chat/meta.ts';
import { chatFacts } from '../../src/prov/chat-facts.ts';
import { components } from '../../src/prov/components.ts';
import { eventSet, sumOf, union } from '../../src/prov/event-sets.ts';
import { tokenEvents } from '../../src/prov/events.ts';
import { withLineage } from '../../src/prov/lineage.ts';
import { metaFields } from '../../src/prov/meta-fields.ts';
import { nodeTotals } from '../../src/prov/node-totals.ts';
import { plainRequest } from '../../src/prov/plain-request.ts';
import { project } from '../../src/prov/project.ts';
import { jobOf, requestFields } from '../../src/prov/request-fields.ts';
import { addEvent, emptySum } from '../../src/prov/sums.ts';
import { toolCalls } from '../../src/prov/tool-calls.ts';
import { total, totals } from '../../src/prov/totals.ts';
import type { ChatNode, Edge } from '../../src/prov/types/graph.ts';
import type { TokenEvent } from '../../src/prov/types/tokens.ts';
import { walk } from '../../src/prov/walk.ts';
import type { Chat, Message } from '../../src/types.ts';
import type { FolderEntry } from '../../src/world/types/files.ts';
import { deepFreeze } from '../helpers/compiling.ts';
import { RUNS } from '../helpers/nasty.ts';

const runs = { numRuns: RUNS };
const LONG = { timeout: 3_600_000 };

/** What the law needs of chats: few ids, so that they meet, and counts that belong to them, so that copies agree. */
const request = fc
  .integer({ min: 0, max: 9 })
  .map((id) => ({ pt: id, ct: 1, tt: id + 1, inference_id: `i${id}` }));
const anonymous = fc.integer({ min: 0, max: 2 }).map((pt) => ({ pt, tt: pt }));
const text = (fields: object) =>
  Object.entries(fields)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
const message = fc.oneof(
  fc.oneof(request, anonymous).map((fields): Message => ({ role: 'meta', content: text(fields) })),
  fc.constantFrom('user', 'assistant').map((role): Message => ({ role, content: 'x' })),
  fc.array(request, { maxLength: 3 }).chain((receipts) =>
    fc.constant<Message>({
      role: 'function_call_output',
      content: JSON.stringify({ id: 'c', meta: receipts }),
    }),
  ),
  fc.constant<Message>({ role: 'function_call', content: '{"name":"ask","id":"c"}' }),
);
const chat = fc.array(message, { maxLength: 12 }).map(deepFreeze);
const chats = fc.array(chat, { minLength: 1, maxLength: 6 });

const nodeOf = (messages: Chat, index: number): ChatNode => ({
  kind: 'chat',
  path: `/${index}.chat`,
  facts: withLineage(chatFacts(messages), messages),
});

describe('totals', () => {
  test('do not depend on the order of visits', LONG, () => {
    fc.assert(
      fc.property(
        chats.chain((some) =>
          fc.tuple(
            fc.constant(some),
            fc.shuffledSubarray(
              some.map((_, index) => index),
              { minLength: some.length },
            ),
          ),
        ),
        ([some, order]) => {
          const nodes = some.map(nodeOf);
          const shuffled = order.flatMap((index) => nodes[index] ?? []);
          expect(totals(tokenEvents(shuffled))).toEqual(totals(tokenEvents(nodes)));
        },
      ),
      runs,
    );
  });

  test('do not change when a chat is copied', LONG, () => {
    fc.assert(
      fc.property(chats, fc.nat(), (some, which) => {
        const nodes = some.map(nodeOf);
        const copy = some[which % some.length] ?? [];
        const more = [...nodes, nodeOf(copy, some.length)];
        expect(totals(tokenEvents(more))).toEqual(totals(tokenEvents(nodes)));
      }),
      runs,
    );
  });

  test('of all nodes are those of plain sets of what each can reach', LONG, () => {
    const edges = fc.array(fc.tuple(fc.nat({ max: 7 }), fc.nat({ max: 7 }), fc.boolean()), {
      maxLength: 16,
    });
    fc.assert(
      fc.property(fc.array(chat, { minLength: 8, maxLength: 8 }), edges, (some, arrows) => {
        const nodes = some.map(nodeOf);
        const list = arrows.flatMap(([start, end, own]): Edge[] => {
          const from = nodes[start];
          const to = nodes[end];
          if (from === undefined || to === undefined) return [];
          return [{ from, to, relation: 'log', first: false, own, detail: null }];
        });
        const events = tokenEvents(nodes);
        const found = nodeTotals({ roots: [], nodes, edges: list }, events);
        for (const [index, node] of nodes.entries()) {
          const reached = reachable(node, list);
          const expected = events.filter(({ evidence }) =>
            evidence.some(({ source }) => reached.has(source)),
          );
          expect(found[index]?.aggregate).toEqual(total(expected));
        }
      }),
      runs,
    );
  });
});

function reachable(start: ChatNode, edges: readonly Edge[]): ReadonlySet<string> {
  const found = new Set([start.path]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const { from, to } of edges) if (found.has(from.path)) found.add(to.path);
  }
  return found;
}

test('a walk ends on any graph, visits every edge and expands each node once', LONG, async () => {
  const graph = fc.array(fc.array(fc.nat({ max: 7 }), { maxLength: 5 }), {
    minLength: 8,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(graph, async (next) => {
      const read: string[] = [];
      const ports = graphPorts(next, read);
      const edges: string[] = [];
      const firsts: string[] = [];
      for await (const { node, edge, first } of walk({ kind: 'job', path: '/w/t/0' }, ports)) {
        if (first) firsts.push(node.path);
        if (edge !== null) edges.push(`${edge.from.path} ${edge.to.path}`);
      }
      expect(new Set(firsts).size).toBe(firsts.length);
      expect(read.sort()).toEqual(firsts.map((path) => `${path}.info`).sort());
      const expected = firsts.flatMap((path) =>
        [...new Set(next[Number(path.slice(5))])].map((to) => `${path} /w/t/${to}`),
      );
      expect(edges.sort()).toEqual(expected.sort());
    }),
    { numRuns: Math.min(RUNS, 2000) },
  );
});

/** Jobs 0 to 7 in one folder, each with the dependencies that are given. */
function graphPorts(next: readonly (readonly number[])[], read: string[]) {
  const stat = {
    kind: 'file',
    size: 1,
    modified: 0,
    changed: 0,
    device: 0,
    inode: 0,
    mode: 0,
  } as const;
  const entries: FolderEntry[] = next.flatMap((_, index): FolderEntry[] => [
    { name: `${index}`, kind: 'file' },
    { name: `${index}.info`, kind: 'file' },
  ]);
  const names = new Map(entries.map(({ name, kind }) => [`/w/t/${name}`, kind]));
  const infoOf = (path: string) => {
    read.push(path);
    const dependencies = (next[Number(path.slice(5, -5))] ?? []).map((to) => `/w/t/${to}`);
    return Buffer.from(JSON.stringify({ status: 'done', dependencies }));
  };
  return {
    files: {
      read: async (path: string) => infoOf(path),
      stat: async () => stat,
      now: {
        load: (path: string) => ({ bytes: infoOf(path), stat }),
        stat: () => stat,
        entries: () => entries,
        kindAt: (path: string) => names.get(path),
        realPath: (path: string) => path,
      },
    },
    locks: { holder: async () => undefined, isAlive: async () => undefined },
    jobFolders: [],
    cwd: '/',
  };
}

test('metas are read by the short way exactly as by the long one', LONG, () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'pt=',
      '=',
      ' ',
      '"',
      '\\',
      'a',
      '1',
      '-',
      '.',
      '007',
      '\n',
      '\u2028',
      'é',
      '__proto__=',
      'toString=',
      '1=',
      'inference_id=',
    ),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const meta = pieces.join('');
      expect(Object.entries(metaFields(meta)).sort()).toEqual(
        Object.entries(parseMeta(meta)).sort(),
      );
    }),
    runs,
  );
});

test(
  'metas of requests are read by the short way exactly as by the long one, or not at all',
  LONG,
  () => {
    const field = fc.oneof(
      fc.tuple(
        fc.constantFrom(
          ...['pt', 'ct', 'tt', 'cct', 'cwt', 'rt', 'pt_c', 'tt_s', 'duration', 'job', 'reas', 'x'],
        ),
        fc.oneof(
          fc.nat({ max: 40 }).map(String),
          fc.constantFrom('', '007', '-1', '1.5', '1e3', '9'.repeat(20)),
        ),
      ),
      fc.tuple(
        fc.constantFrom('inference_id', 'provider_response_id', 'model', 'endpoint', 'timestamp'),
        fc.oneof(
          fc.constantFrom(
            'a',
            'inf-12',
            '12-ab',
            '-1',
            '007',
            '1.50',
            '',
            '"q"',
            'a b',
            'é',
            'a\tb',
            'a\u0000',
          ),
          fc.constant('x'.repeat(300)),
          fc.string({ maxLength: 4 }),
        ),
      ),
    );
    const meta = fc
      .tuple(fc.array(field, { maxLength: 8 }), fc.constantFrom('', ' ', '  ', '\n'))
      .map(([fields, end]) => fields.map(([name, value]) => `${name}=${value}`).join(' ') + end);
    fc.assert(
      fc.property(meta, (text) => {
        const told: string[] = [];
        const short = plainRequest(text);
        if (short === undefined) return;
        expect(short).toEqual(requestFields(metaFields(text), ({ code }) => told.push(code)));
        expect(told).toEqual([]);
        expect(jobOf(metaFields(text))).toBeUndefined();
      }),
      runs,
    );
  },
);

test('the metas that this program writes are plain', () => {
  const meta = serializeMeta({
    ...{ pt: 21, ct: 3, tt: 24, cct: 16, rt: 1, pt_c: 21, tt_s: 24, duration: 1.25 },
    ...{ endpoint: 'lab', model: 'gpt-5-mini-2026-08-01', provider_response_id: 'chatcmpl-1' },
    ...{
      timestamp: '2026-11-01T10:00:00.000Z',
      inference_id: '5f0c9c1e-1f62-4a7e-9a39-0d7c4a1f2b3c',
    },
  });
  expect(plainRequest(meta)).toEqual(requestFields(metaFields(meta)));
  expect(plainRequest(meta)).toMatchObject({ duration: 1.25, model: 'gpt-5-mini-2026-08-01' });
});

test('sets of events are sets', LONG, () => {
  const numbers = fc.array(fc.nat({ max: 200 }), { maxLength: 60 });
  const events = Array.from(
    { length: 201 },
    (_, number): TokenEvent => ({
      ...NO_EVENT,
      conflict: number % 50 === 7,
      tokens: {
        ...NO_EVENT.tokens,
        pt: number % 3 === 0 ? null : number,
        rt: number > 150 ? 1 : null,
      },
    }),
  );
  fc.assert(
    fc.property(numbers, numbers, numbers, (one, other, third) => {
      const sets = [one, other, third].map((some) => eventSet(some));
      const joined = union(union(sets[0], sets[1]), sets[2]);
      const expected = emptySum();
      for (const number of new Set([...one, ...other, ...third]))
        addEvent(expected, events[number] ?? NO_EVENT);
      expect(sumOf(joined, events)).toEqual(expected);
      // What holds the other is given back as it is.
      expect(union(joined, sets[1])).toBe(joined);
      expect([joined, sets[2]].includes(union(sets[2], joined))).toBe(true);
    }),
    runs,
  );
});

const NO_EVENT: TokenEvent = {
  inference_id: 'x',
  identity: ['inference_id', 'x'],
  deduplication: 'inference_id',
  tokens: { pt: 0, ct: null, tt: null, cct: null, cwt: null, rt: null },
  model: null,
  endpoint: null,
  timestamp: null,
  conflict: false,
  incomplete_evidence: false,
  evidence: [
    {
      origin: 'chat_meta',
      source: '/a',
      address: ['/a', 0],
      call_id: null,
      tool_name: null,
      request: { tokens: { pt: 0, ct: null, tt: null, cct: null, cwt: null, rt: null } },
    },
  ],
};

test('components come after what they lead to, and hold what leads to each other', LONG, () => {
  const graph = fc.array(fc.array(fc.nat({ max: 9 }), { maxLength: 4 }), {
    minLength: 10,
    maxLength: 10,
  });
  fc.assert(
    fc.property(graph, (next) => {
      const found = components(next);
      const groupOf = new Map(
        found.flatMap((nodes, group) => nodes.map((node) => [node, group] as const)),
      );
      expect(groupOf.size).toBe(10);
      const reach = (start: number): ReadonlySet<number> => {
        const seen = new Set([start]);
        for (const node of seen) for (const each of next[node] ?? []) seen.add(each);
        return seen;
      };
      for (let one = 0; one < 10; one++)
        for (const other of reach(one)) {
          expect(groupOf.get(other)).toBeLessThanOrEqual(groupOf.get(one) ?? -1);
          expect(groupOf.get(other) === groupOf.get(one)).toBe(reach(other).has(one));
        }
    }),
    { numRuns: Math.min(RUNS, 5000) },
  );
});

test('every output belongs to at most one call, of its id', LONG, () => {
  const entry = fc.oneof(
    fc
      .constantFrom('function_call', 'function_call_output', 'mcp_call')
      .chain((role) =>
        fc
          .constantFrom('a', 'b', 7)
          .map((id): Message => ({ role, content: JSON.stringify({ name: 'f', id }) })),
      ),
    fc.constant<Message>({ role: 'user', content: 'x' }),
  );
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 20 }), (messages) => {
      const calls = toolCalls(messages);
      const outputs = calls.flatMap(({ output_index }) => output_index ?? []);
      expect(new Set(outputs).size).toBe(outputs.length);
      expect(calls).toHaveLength(messages.filter(({ role }) => role.endsWith('call')).length);
      for (const { call_id, output_index } of calls)
        if (output_index !== null)
          expect(JSON.parse(messages[output_index]?.content ?? '').id).toBe(call_id);
      // As many outputs find a call as there can be pairs.
      for (const id of ['a', 'b', 7]) {
        const has = (role: RegExp) =>
          messages.filter((each) => role.test(each.role) && JSON.parse(each.content).id === id)
            .length;
        const pairs = calls.filter((each) => each.call_id === id && each.output_index !== null);
        expect(pairs).toHaveLength(Math.min(has(/call$/), has(/output$/)));
      }
    }),
    runs,
  );
});

test('projecting twice changes nothing, and keeps every request', LONG, () => {
  fc.assert(
    fc.property(
      chat,
      fc.constantFrom('/a/b', 'W/t/x', '/with space = and "quotes"'),
      (messages, job) => {
        const once = project(job, messages);
        expect(project(job, once)).toEqual(once);
        expect(chatFacts(once).jobs).toEqual([{ reference: job, index: 0 }]);
        const kept = chatFacts(once).requests.map(({ tokens, inference }) => ({
          tokens,
          inference,
        }));
        expect(kept).toEqual(
          chatFacts(messages).requests.map(({ tokens, inference }) => ({ tokens, inference })),
        );
      },
    ),
    runs,
  );
});
