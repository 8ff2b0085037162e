// One conversation with thinking and tools, saved after each turn and gone on with by a new process: on one wire its history never
// changes, and any wire goes on with what another began.

import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import type { WireName } from '../fake/types.ts';
import { WIRE_NAMES, type WireHome, wireHome } from './home.ts';

/** Texts that a careless reader or writer would change: white space at the ends, quotes, signs beyond the basic plane. */
const TURN = (number: number) => [
  {
    content: [
      { thinking: [`Two lookups for ${number}: `, '"a" and\n\n"b" ', '🐌 '] },
      ...(number === 2 ? [{ redacted: `b3BhcXVlLT${number}==` }] : []),
      { text: 'Let me look.' },
      { call: { name: 'look', arguments: { key: `a${number}`, note: 'Žluť "x"\n' } } },
      { call: { name: 'look', arguments: { key: 'b' } } },
    ],
  },
  { content: [{ thinking: 'Both there. ' }, { text: [`Turn ${number} `, 'is done.'] }] },
];

const SCENARIO = { replies: [1, 2, 3].flatMap(TURN) };

const FILES = {
  'workflows/Look.yaml': `tasks:
  look:
    inputs:
      key: {type: string, required: true}
      note: {type: string, required: false}
    command: ["printf", "found %s  ", "{{key}}"]
`,
  'c.chat': 'system:\n\nBe brief.\n\ntool: Look\n',
};

async function turn(chat: WireHome['chat'], wire: WireName, number: number) {
  const question = `Question ${number}?`;
  const args = ['ask', '--no-cache', '-e', wire, '-c', 'c.chat', question];
  const { code, stdout, stderr } = await chat(args);
  return { code, answer: stdout.trim(), stderr };
}

const text = ({ folder }: WireHome) => readFileSync(path.join(folder, 'c.chat'), 'utf8');

/** Ways to ask that change what goes out. */
const WAYS: readonly { readonly wire: WireName; readonly fields: Record<string, unknown> }[] = [
  ...WIRE_NAMES.map((wire) => ({ wire, fields: {} })),
  ...WIRE_NAMES.map((wire) => ({ wire, fields: { thinking: 'medium' } })),
  { wire: 'responses', fields: { previous_response: false } },
  { wire: 'responses', fields: { store: false, thinking: 'low' } },
  { wire: 'openai', fields: { reasoning_history: 'all' } },
  { wire: 'anthropic', fields: { cache: '1h' } },
];

describe('a conversation in three processes', () => {
  for (const { wire, fields } of WAYS)
    it(`${wire} ${JSON.stringify(fields)}: what was sent is sent again as it was`, async () => {
      const home = await wireHome({ ...SCENARIO, append_only: true }, { files: FILES, fields });
      const fake = home.fakes[wire];
      for (const number of [1, 2, 3]) {
        const before = text(home);
        const { code, answer, stderr } = await turn(home.chat, wire, number);
        expect([code, fake.violations, stderr]).toEqual([
          0,
          [],
          expect.not.stringMatching(/warning/),
        ]);
        expect(answer).toBe(`Turn ${number} is done.`);
        expect(text(home).startsWith(before)).toBe(true);
      }
      expect(fake.turns.map(({ status }) => status)).toEqual(Array(6).fill(200));
      // Each request held more than the one before it, and something of it was in the cache.
      const lengths = fake.turns.map(({ kept }) => kept?.before ?? 0);
      expect([...lengths].sort((one, other) => one - other)).toEqual(lengths);
      expect(fake.turns.slice(1).every(({ tokens }) => (tokens?.cached ?? 0) > 0)).toBe(true);
    });
});

describe('a conversation that goes on elsewhere', () => {
  const pairs = WIRE_NAMES.flatMap((one) =>
    WIRE_NAMES.filter((other) => other !== one).map((other) => [one, other] as const),
  );
  for (const [one, other] of pairs)
    it(`${one}, then ${other}, then ${one} again`, async () => {
      const home = await wireHome(SCENARIO, { files: FILES, fields: { thinking: 'low' } });
      for (const [number, wire] of [one, other, one].entries()) {
        const { code, stderr } = await turn(home.here, wire, number);
        expect([code, home.fakes[wire].violations, stderr]).toEqual([0, [], expect.anything()]);
      }
      const outputs = parse(text(home)).filter(({ role }) => role === 'function_call_output');
      expect(outputs.length).toBe(6);
      // Nothing that only one provider can read reached the other.
      const sent = home.fakes[other].requests.map(({ body }) => body).join('\n');
      for (const { content } of parse(text(home)).filter(({ role }) => role === 'provider_content'))
        for (const secret of secretsOf(content, one)) expect(sent).not.toContain(secret);
      expect(sent).toContain('found a1');
    });
});

describe('a run that stopped between two rounds', () => {
  const ways = [
    { thinking: 'medium' },
    // Models that know a budget of thinking only, and want a turn to have begun with thinking.
    { thinking: 'medium', old: true },
    {},
  ];
  for (const { old, ...fields } of ways)
    for (const one of WIRE_NAMES)
      for (const other of WIRE_NAMES)
        it(`on ${one}, goes on over ${other} ${JSON.stringify({ ...fields, old })}`, async () => {
          const refuse = [
            { field: 'thinking.type', is: 'adaptive', error: 'adaptive thinking is not supported' },
          ];
          const scenario = { ...SCENARIO, refuse: old ? refuse : [] };
          const home = await wireHome(scenario, { files: FILES, fields });
          const stopped = await home.here([
            ...['ask', '--no-cache', '-e', one, '-o', 'max_rounds=1', '-c', 'c.chat', 'Go?'],
          ]);
          expect([stopped.code, home.fakes[one].violations]).toEqual([5, []]);
          const { code, stdout } = await home.here(['ask', '--no-cache', '-e', other, 'c.chat']);
          expect([code, home.fakes[other].violations]).toEqual([0, []]);
          expect(stdout).toMatch(/Turn \d is done\.\n$/);
        });
});

/** Signatures and ids in what the backend of that name kept. */
function secretsOf(content: string, backend: string): string[] {
  const kept = JSON.parse(content);
  if (kept.backend !== backend) return [];
  const found: string[] = [];
  JSON.stringify(kept, (key, value) => {
    if (['signature', 'encrypted_content', 'data'].includes(key) && typeof value === 'string')
      found.push(value);
    return value;
  });
  return found;
}
