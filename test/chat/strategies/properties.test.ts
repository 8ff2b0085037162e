// What holds for every prompt: pairs stay whole, blocks go with their calls, what was sent stays as it is until an epoch ends.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pairCalls } from '../../../src/chat/pairs.ts';
import { STRATEGIES } from '../../../src/chat/strategies/index.ts';
import { evenRegions, growingRegions } from '../../../src/chat/strategies/regions.ts';
import { thresholds } from '../../../src/chat/strategies/thresholds.ts';
import { signatureOf, toolPairs } from '../../../src/chat/strategies/traffic.ts';
import type { Chat, Message } from '../../../src/types.ts';

const runs = { numRuns: Number(process.env.DEEP ?? 200) };

/** Small, so that short conversations have several epochs. */
const SETTINGS = {
  full_tool_outputs: 2,
  max_tool_chars: 2_000,
  max_tool_calls: 5,
  max_tool_outputs: 5,
  epoch_threshold: 4,
  epoch_full: 2,
  epoch_compacted: 5,
  epoch_size: 3,
  epoch_growth: 2,
  epoch_size_max: 9,
  epoch_compacted_max: 12,
};

const NAMES = ['shorten_tools', 'shorten_tools_epoch', 'shorten_tools_epoch_increment'] as const;

const apply = (name: (typeof NAMES)[number], chat: Chat): Chat =>
  STRATEGIES[name]?.(chat, { settings: SETTINGS, backend: 'openai' }) as Chat;

interface Call {
  readonly file: number;
  readonly text: string;
  readonly output: string;
  readonly job: boolean;
}

interface Round {
  readonly calls: readonly Call[];
  readonly blocks: boolean;
  readonly text: boolean;
  readonly question: boolean;
}

/** Short, long, and with characters of two units where they are cut. */
const texts = fc
  .tuple(fc.constantFrom('word ', 'x', '🌍', 'a🌍'), fc.nat(400))
  .map(([part, times]) => part.repeat(times % 3 === 0 ? times : times % 20));

const calls: fc.Arbitrary<Call> = fc.record({
  file: fc.nat(6),
  text: texts,
  output: texts,
  job: fc.boolean(),
});

const rounds: fc.Arbitrary<readonly Round[]> = fc.array(
  fc.record({
    calls: fc.array(calls, { minLength: 1, maxLength: 6 }),
    blocks: fc.boolean(),
    text: fc.boolean(),
    question: fc.boolean(),
  }),
  { maxLength: 20 },
);

/** Messages of each round, as they reach a strategy. Ids come again in every round, as with some providers. */
function messagesOf(all: readonly Round[]): readonly Chat[] {
  const head = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Begin.' },
  ];
  return [
    head,
    ...all.map(({ calls, blocks, text, question }, round): Chat => {
      const ids = calls.map((_, index) => `call_${index}`);
      return [
        ...(blocks
          ? [{ role: 'provider_content', content: JSON.stringify({ backend: 'x', blocks: ids }) }]
          : []),
        ...(text ? [{ role: 'assistant', content: `Round ${round}.` }] : []),
        ...calls.map(({ file, text }, index) => ({
          role: 'function_call',
          content: JSON.stringify({ name: 'read', arguments: { file, text }, id: ids[index] }),
        })),
        ...calls.map(({ output, job }, index) => ({
          role: 'function_call_output',
          content: JSON.stringify({
            name: 'read',
            id: ids[index],
            content: output || '(empty)',
            ...(job ? { step: `/jobs/Files/read/Default_${round}` } : {}),
          }),
        })),
        ...(question ? [{ role: 'user', content: `Question ${round}?` }] : []),
      ];
    }),
  ];
}

const isTool = ({ role }: Message): boolean => role.startsWith('function_call');
const added = (before: Chat, after: Chat): Chat =>
  after.filter((message) => !before.includes(message));

describe.each(NAMES)('%s', (name) => {
  test('keeps pairs whole, in place, and nothing between a call and its output', () => {
    fc.assert(
      fc.property(rounds, (all) => {
        const chat = messagesOf(all).flat();
        const result = apply(name, chat);
        const warnings: unknown[] = [];
        // What repairs a prompt finds nothing to repair: nothing alone, nothing out of order.
        expect(pairCalls(result, (warning) => warnings.push(warning))).toEqual(result);
        expect(warnings).toEqual([]);
        expect(toolPairs(result).length * 2).toBe(result.filter(isTool).length);
      }),
      runs,
    );
  });

  test('hands on what it does not change as the same objects, and drops nothing but tool traffic', () => {
    fc.assert(
      fc.property(rounds, (all) => {
        const chat = messagesOf(all).flat();
        const before = JSON.stringify(chat);
        const result = apply(name, chat);
        expect(JSON.stringify(chat)).toBe(before);
        const isTalk = ({ role }: Message) => ['system', 'user', 'assistant'].includes(role);
        const notes = added(chat, result).filter((message) => !isTool(message));
        expect(notes.length).toBeLessThanOrEqual(1);
        expect(result.filter(isTalk).filter((message) => !notes.includes(message))).toEqual(
          chat.filter(isTalk),
        );
        const places = result.map((message) => chat.indexOf(message)).filter((place) => place >= 0);
        expect(places).toEqual([...places].sort((one, other) => one - other));
      }),
      runs,
    );
  });

  test('makes texts shorter, and says how long they were and which job has the whole', () => {
    fc.assert(
      fc.property(rounds, (all) => {
        const chat = messagesOf(all).flat();
        for (const { content } of added(chat, apply(name, chat)).filter(isTool)) {
          const { content: text, arguments: args, step, ...rest } = JSON.parse(content);
          expect(rest.name).toBe('read');
          const told = text ?? args.text;
          expect(told).toMatch(/ …\[shortened from \d[\d,]* characters, sha256 [0-9a-f]{8}/);
          expect(told.isWellFormed?.() ?? true).toBe(true);
          if (step !== undefined) expect(told).toContain(`, whole in job ${step}]… `);
        }
      }),
      runs,
    );
  });

  test('leaves whole what the model has not seen yet, however much it is', () => {
    fc.assert(
      fc.property(rounds, fc.array(calls, { minLength: 1, maxLength: 12 }), (all, last) => {
        const round = { calls: last, blocks: true, text: true, question: false };
        const parts = messagesOf([...all, round]);
        const end = parts.at(-1) ?? [];
        const result = new Set(apply(name, parts.flat()));
        expect(end.filter((message) => !result.has(message))).toEqual([]);
      }),
      runs,
    );
  });

  test('leaves the blocks of a provider only with all their calls as they were made', () => {
    fc.assert(
      fc.property(rounds, (all) => {
        const [head = [], ...parts] = messagesOf(all);
        const result = new Set(apply(name, [...head, ...parts.flat()]));
        const isWhole = (part: Chat) =>
          part.every((each) => each.role !== 'function_call' || result.has(each));
        for (const [index, part] of parts.entries()) {
          const blocks = part.find(({ role }) => role === 'provider_content');
          if (blocks === undefined) continue;
          // Calls that follow with nothing in between could be of the same answer.
          const next = parts
            .slice(index + 1)
            .findIndex((each) => each[0]?.role !== 'function_call');
          const run = parts.slice(index + 1, next < 0 ? undefined : index + 1 + next);
          const same = part.at(-1)?.role === 'user' ? [] : run;
          if (result.has(blocks)) expect(isWhole(part)).toBe(true);
          else expect([part, ...same].every(isWhole)).toBe(false);
        }
      }),
      runs,
    );
  });
});

describe.each(NAMES.slice(1))('%s', (name) => {
  const limits = thresholds(SETTINGS);

  /** What stands at the boundary's place: it moves only when this changes. */
  function pinned(chat: Chat): number | undefined {
    const pairs = toolPairs(chat);
    if (name === 'shorten_tools_epoch') return evenRegions(pairs.length, limits)?.pinnedTotal;
    const signatures = pairs.map(({ call }) =>
      signatureOf(chat[call] ?? { role: '', content: '' }),
    );
    const isRepeat = (call: number) => {
      const signature = signatures[call - 1];
      return signature !== undefined && signatures.indexOf(signature) < call - 1;
    };
    return growingRegions(pairs.length, isRepeat, limits)?.pinnedTotal;
  }

  test('keeps what was sent as the beginning of what is sent, until the epoch ends', () => {
    let moves = 0;
    let stays = 0;
    fc.assert(
      fc.property(rounds, (all) => {
        let chat: Chat = [];
        let last: Chat = [];
        let place: number | undefined;
        for (const part of messagesOf(all)) {
          chat = [...chat, ...part];
          const next = apply(name, chat);
          const now = pinned(chat);
          if (now === place) {
            expect(next.slice(0, last.length)).toEqual(last);
            stays += 1;
          } else moves += 1;
          last = next;
          place = now;
        }
      }),
      runs,
    );
    expect(moves).toBeGreaterThan(100);
    expect(stays).toBeGreaterThan(100);
  });

  test('keeps the latest of repeated calls whole, however old', () => {
    const parts = messagesOf(
      Array.from({ length: 30 }, (_, round) => ({
        calls: [
          {
            file: round === 3 || round === 5 ? 1000 : round,
            text: round === 3 || round === 5 ? 'x'.repeat(500) : `${round} `.repeat(200),
            output: `${round} `.repeat(400),
            job: false,
          },
        ],
        blocks: true,
        text: false,
        question: false,
      })),
    );
    const result = apply(name, parts.flat());
    const [, , , , , , latest = []] = parts;
    expect(latest.every((message) => result.includes(message))).toBe(true);
    const [, , , , , before = []] = parts;
    expect(before.some((message) => result.includes(message))).toBe(false);
  });
});

test('the order of the keys makes no other call', () => {
  const call = (args: string) => ({
    role: 'function_call',
    content: `{"name":"read","arguments":${args},"id":"1"}`,
  });
  const one = signatureOf(call('{"a":1,"b":{"c":[1,2],"d":"x"}}'));
  expect(signatureOf(call('{ "b": {"d":"x","c":[1,2]}, "a": 1 }'))).toBe(one);
  expect(signatureOf(call(JSON.stringify('{"b":{"d":"x","c":[1,2]},"a":1}')))).toBe(one);
  expect(signatureOf(call('{"a":1,"b":{"c":[2,1],"d":"x"}}'))).not.toBe(one);
});
