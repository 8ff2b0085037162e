// What a server refuses is asked for in another way once, and remembered: for the rounds to come, and for the next process.

import { describe, expect, it } from 'vitest';
import type { WireName } from '../fake/types.ts';
import { wireHome } from './home.ts';

interface Refused {
  readonly field: string;
  readonly is?: unknown;
  readonly above?: number;
  readonly error: unknown;
}

interface Case {
  readonly name: string;
  readonly wire: WireName;
  /** Fields of the endpoint file. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly args?: readonly string[];
  readonly refuse: readonly Refused[];
  /** Requests that are refused before one goes through. */
  readonly refused: number;
  /** What the refusal is about comes with the second round only. */
  readonly late?: true;
}

const DISPLAY = {
  field: 'thinking.display',
  error: 'thinking.adaptive.display: Extra inputs are not permitted',
};
const ADAPTIVE = {
  field: 'thinking.type',
  is: 'adaptive',
  error: 'adaptive thinking is not supported on this model',
};
const MARKS = {
  field: 'messages.*.content.*.cache_control',
  error: 'messages.0.content.0.cache_control: Extra inputs are not permitted',
};
const CAP = {
  field: 'max_tokens',
  above: 8192,
  error:
    'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-fake-1',
};
const HISTORY = {
  field: 'messages.*.reasoning_content',
  error: 'reasoning_content is not allowed here',
};
const EFFORT = {
  field: 'reasoning_effort',
  error: { message: "Unsupported parameter: 'reasoning_effort'", code: 'unsupported_parameter' },
};

const CASES: readonly Case[] = [
  { name: 'thinking.display', wire: 'anthropic', refuse: [DISPLAY], refused: 1 },
  { name: 'adaptive thinking', wire: 'anthropic', refuse: [ADAPTIVE], refused: 1 },
  { name: 'cache marks', wire: 'anthropic', refuse: [MARKS], refused: 1 },
  { name: 'an output limit', wire: 'anthropic', refuse: [CAP], refused: 1 },
  {
    name: 'all four, in this order',
    wire: 'anthropic',
    refuse: [DISPLAY, ADAPTIVE, MARKS, CAP],
    refused: 4,
  },
  {
    name: 'all four, in the other order',
    wire: 'anthropic',
    refuse: [CAP, MARKS, ADAPTIVE, DISPLAY],
    refused: 4,
  },
  {
    name: 'the old name of the limit',
    wire: 'openai',
    fields: { max_tokens: 50 },
    refuse: [
      {
        field: 'max_tokens',
        error:
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      },
    ],
    refused: 1,
  },
  {
    name: 'the new name of the limit',
    wire: 'openai',
    fields: { max_completion_tokens: 50 },
    refuse: [{ field: 'max_completion_tokens', error: 'Unknown field: max_completion_tokens' }],
    refused: 1,
  },
  {
    name: 'a sampling field',
    wire: 'openai',
    args: ['-o', 'top_k=5'],
    refuse: [{ field: 'top_k', error: 'Unrecognized request argument supplied: top_k' }],
    refused: 1,
  },
  { name: 'reasoning of before', wire: 'openai', refuse: [HISTORY], refused: 1, late: true },
  { name: 'a thinking level', wire: 'openai', refuse: [EFFORT], refused: 1 },
  {
    name: 'a thinking level',
    wire: 'responses',
    refuse: [
      {
        field: 'reasoning',
        error: "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
      },
    ],
    refused: 1,
  },
  {
    name: 'answers that it does not keep',
    wire: 'responses',
    refuse: [
      {
        field: 'previous_response_id',
        error: "Unsupported parameter: 'previous_response_id' is not supported.",
      },
    ],
    refused: 1,
    late: true,
  },
  {
    name: 'a sampling field',
    wire: 'responses',
    args: ['-o', 'temperature=0'],
    refuse: [
      {
        field: 'temperature',
        error: "Unsupported parameter: 'temperature' is not supported with this model.",
      },
    ],
    refused: 1,
  },
  {
    name: 'thinking as a level',
    wire: 'ollama',
    refuse: [{ field: 'think', is: 'low', error: 'invalid think value: "low"' }],
    refused: 1,
  },
  {
    name: 'thinking at all',
    wire: 'ollama',
    refuse: [{ field: 'think', error: '"fake:1b" does not support thinking' }],
    refused: 1,
  },
];

const REPLIES = [
  { thinking: 'Look.', calls: [{ name: 'look', arguments: { key: 'a' } }] },
  { thinking: 'Fine.', text: 'Done.' },
];

const FILES = {
  'workflows/Look.yaml':
    'tasks:\n  look:\n    inputs:\n      key: {type: string}\n    command: ["printf", "found %s", "{{key}}"]\n',
  'c.chat': 'system:\n\nBe brief.\n\ntool: Look\n',
};

describe('a refusal', () => {
  for (const { name, wire, fields = {}, args = [], refuse, refused, late } of CASES)
    it(`${wire}, ${name}: costs ${refused} once`, async () => {
      const scenario = { refuse, replies: [...REPLIES, ...REPLIES, ...REPLIES] };
      const home = await wireHome(scenario, {
        files: FILES,
        fields: { thinking: 'low', ...fields },
      });
      const fake = home.fakes[wire];
      const ask = (question: string) =>
        home.chat(['ask', '--no-cache', '-e', wire, ...args, '-c', 'c.chat', question]);
      const first = await ask('One?');
      expect([first.code, first.stdout, fake.violations]).toEqual([0, 'Done.\n', []]);
      const statuses = fake.turns.map(({ status }) => status);
      const refusals = Array(refused).fill(400);
      expect(statuses).toEqual(late ? [200, ...refusals, 200] : [...refusals, 200, 200]);
      expect(first.stderr).toMatch(/asked again|sent the whole conversation/);
      const second = await ask('Two?');
      expect([second.code, second.stdout, second.stderr]).toEqual([
        0,
        'Done.\n',
        expect.not.stringContaining('again'),
      ]);
      expect(fake.turns.slice(statuses.length).map(({ status }) => status)).toEqual([200, 200]);
    });
});

/** Words that suggest a change, by wire, said to every request; and how many requests there may be. */
const STUBBORN: readonly (readonly [WireName, readonly string[], number])[] = [
  ['anthropic', [DISPLAY.error, ADAPTIVE.error, MARKS.error, CAP.error], 5],
  ['openai', [HISTORY.error, 'reasoning is mandatory', 'max_tokens is not supported'], 4],
  ['responses', ['reasoning is not supported', "'include' is not supported", 'store'], 4],
  ['ollama', ['invalid think value', 'does not support thinking'], 3],
];

describe('a server that refuses whatever is sent', () => {
  for (const [wire, words, most] of STUBBORN)
    for (const error of [...words, words.join('; ')])
      it(`${wire} "${error.slice(0, 60)}": is asked at most ${most} times`, async () => {
        const refuse = [{ field: 'model', error }];
        const fields = { thinking: 'low', max_tokens: wire === 'anthropic' ? 64000 : 50 };
        const home = await wireHome({ refuse }, { fields });
        const fake = home.fakes[wire];
        const { code } = await home.here(['ask', '--no-cache', '-e', wire, 'Why?']);
        expect([code, fake.violations]).toEqual([4, []]);
        expect(fake.turns.length).toBeLessThanOrEqual(most);
        const bodies = fake.requests.map(({ body }) => body);
        expect(new Set(bodies).size).toBe(bodies.length);
      });
});
