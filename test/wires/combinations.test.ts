// Whatever is set and whatever stands in the chat: no request breaks the rules of its wire, and the next one neither. `DEEP=20000` draws 200 for each.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toScenario } from '../fake/scenario.ts';
import { startFake } from '../fake/server.ts';
import type { WireName } from '../fake/types.ts';
import { RUNS } from '../helpers/nasty.ts';
import { askChat } from './asking.ts';
import { WIRE_NAMES } from './home.ts';

const settings = fc.record(
  {
    thinking: fc.constantFrom('off', 'low', 'medium', 'high', 'default'),
    max_tokens: fc.constantFrom(1, 100, 1500, 5000, 100_000),
    temperature: fc.constantFrom(0, 0.5),
    tool_choice: fc.constantFrom('auto', 'required', 'none', 'look'),
    cache: fc.constantFrom(false, true, '1h'),
    stream: fc.boolean(),
    reasoning_history: fc.constantFrom('drop', 'turn', 'all'),
    previous_response: fc.boolean(),
    reasoning_summary: fc.constantFrom('auto', 'detailed'),
  },
  { requiredKeys: [] },
);

const pair = (given: unknown, output: Record<string, unknown>) =>
  `function_call: ${JSON.stringify({ name: 'look', arguments: given, id: 'x.1' })}\n\nfunction_call_output: ${JSON.stringify({ name: 'look', id: 'x.1', ...output })}\n\n`;

const PIECES = [
  'system:\n\nBe brief.\n\n',
  'developer:\n\nBe exact.\n\n',
  'tool: Look\n\n',
  'user:\n\nA question?\n\n',
  'user:\n\nAnother one.\n\n',
  'assistant:\n\nAn answer.\n\n',
  'assistant:\n\n',
  pair({ key: 'a' }, { content: 'found a' }),
  pair('oops', { exception: 'no JSON' }),
];

const chats = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 7 })
  .map((pieces) => `${pieces.join('')}user:\n\nThe last question?\n`);

const formats = fc.constantFrom<readonly string[]>(
  [],
  ['--format', 'json'],
  ['--format', '{"type":"object","properties":{"a":{"type":"number"}}}'],
);

const FILES = {
  'workflows/Look.yaml':
    'tasks:\n  look:\n    inputs:\n      key: {type: string, required: false}\n    command: ["printf", "found %s", "{{key}}"]\n',
};

const SCENARIO = toScenario([
  {
    content: [
      { thinking: 'Look first. ' },
      { text: 'Let me see.' },
      { call: { name: 'look', arguments: { key: 'q' } } },
    ],
  },
  { thinking: 'There.', text: '{"a": 1}' },
]);

async function violationsOf(
  wire: WireName,
  chat: string,
  fields: Readonly<Record<string, unknown>>,
  args: readonly string[],
): Promise<readonly string[]> {
  const fake = await startFake(wire, SCENARIO);
  try {
    const one = await askChat(wire, fake.url, { chat, fields, args, files: FILES });
    const next = { chat: `${one.text}\nuser:\n\nAnd now?\n`, fields, args, files: FILES };
    const two = await askChat(wire, fake.url, next);
    const failed = [one, two].filter(({ code }) => code !== 0);
    return [...fake.violations, ...failed.map(({ stderr }) => stderr)];
  } finally {
    await fake.close();
  }
}

for (const wire of WIRE_NAMES)
  it(`${wire}: every request is one that the provider takes`, { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(chats, settings, formats, async (chat, fields, args) => {
        expect(await violationsOf(wire, chat, fields, args)).toEqual([]);
      }),
      { numRuns: Math.max(12, Math.ceil(RUNS / 100)) },
    );
  });
