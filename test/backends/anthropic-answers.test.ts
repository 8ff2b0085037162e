// What is made of a Messages answer: its calls, its texts, what is kept for the provider, how it ends, and what it counts.

import { describe, expect, test } from 'vitest';
import { createAnthropic } from '../../src/backends/anthropic/backend.ts';
import { ask, CLOCK, SIZE, THOUGHT } from '../helpers/anthropic-asks.ts';
import {
  anthropicStream,
  blockEvents,
  blockStart,
  blockStop,
  delta,
  ending,
  event,
  start,
} from '../helpers/anthropic-replies.ts';
import {
  blocksOf,
  callsOf,
  fakeEndpoint,
  fakeRequest,
  finishOf,
  tokensOf,
} from '../helpers/asking.ts';
import { served } from '../helpers/served.ts';

describe('calls', () => {
  const call = (pieces: readonly unknown[], input: unknown = {}) =>
    ask({
      body: [
        start(),
        blockStart(0, { type: 'tool_use', id: 't1', name: 'count', input }),
        ...pieces.map((partial_json) => delta(0, { type: 'input_json_delta', partial_json })),
        blockStop(0),
        ...ending({ stop: 'tool_use' }),
      ],
    });

  const rows: readonly [string, readonly unknown[], unknown, unknown?][] = [
    ['no piece', [], {}],
    ['an empty piece', [''], {}],
    ['blank pieces', [' ', ' '], {}],
    ['a null', ['null'], {}],
    ['no text but null', [null], {}],
    ['an empty object', ['{}'], {}],
    ['an object in place of text', [{ a: 1 }], { a: 1 }],
    ['an object in the start', [], { a: 1 }, { a: 1 }],
    ['text in the start', [], { a: 1 }, '{"a":1}'],
    ['null in the start', [], {}, null],
    ['pieces on top of a start', ['{"a":', '2}'], { a: 2 }, { a: 1 }],
    ['a place-holder first', ['{}', '{"path":"b.txt","dry":true}'], { path: 'b.txt', dry: true }],
    ['a number in two pieces', ['4', '2'], '42'],
    ['no JSON', ['{"a":', '1'], '{"a":1'],
  ];
  for (const [name, pieces, expected, input] of rows)
    test(`${name}: one call, with what it came with`, async () => {
      const { events } = await call(pieces, input);
      expect(callsOf(events)).toEqual([{ id: 't1', name: 'count', arguments: expected }]);
    });

  test('none is run before its arguments are complete', async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await served({
      body: [
        start(),
        blockStart(0, { type: 'tool_use', id: 't1', name: 'count', input: {} }),
        delta(0, { type: 'input_json_delta', partial_json: '{}' }),
        blockStart(1, { type: 'text', text: 'x' }),
        { until },
        delta(0, { type: 'input_json_delta', partial_json: '{"n":1}' }),
        ...ending({ stop: 'tool_use' }),
      ],
    });
    const seen: string[] = [];
    const request = fakeRequest(fakeEndpoint(server.url));
    const context = (await import('../helpers/asking.ts')).askContext();
    for await (const each of createAnthropic().reply(request, context)) {
      seen.push(each.kind);
      if (each.kind === 'text') release();
    }
    expect(seen.indexOf('tool-call')).toBeGreaterThan(seen.indexOf('text'));
    expect(seen.filter((kind) => kind === 'tool-call')).toHaveLength(1);
  });

  test('an answer cut in the middle of them: none is used, no block is kept', async () => {
    const { events, warnings } = await ask(
      anthropicStream([THOUGHT, 'Let me see.', SIZE], { stop: 'max_tokens' }),
    );
    expect([callsOf(events), blocksOf(events)]).toEqual([[], []]);
    expect(finishOf(events)).toEqual([{ reason: 'length' }]);
    expect(warnings).toEqual([
      'the answer ended in the middle of its tool calls; none of them is used',
    ]);
  });

  test('two with one id, one without an id, one without a name', async () => {
    const { id: _, ...noId } = CLOCK;
    const { events, warnings } = await ask(
      anthropicStream([SIZE, { ...CLOCK, id: SIZE.id }, noId, { ...CLOCK, name: '' }, THOUGHT]),
    );
    const ids = callsOf(events).map((each) => each.id);
    expect(ids).toEqual(['toolu_a', 'toolu_a_2', expect.stringMatching(/^toolu_./)]);
    expect(blocksOf(events).flatMap((each) => (each as { id?: string }).id ?? [])).toEqual(ids);
    expect(warnings).toEqual(['left out of the answer: 1 tool call(s) without a name']);
  });

  test('of tools whose names were repaired reach the real ones; the names differ only where they must', async () => {
    const names = ['notes.read', 'notes/read', 'notes read', 'läsa', 'plain'];
    const tools = names.map((name) => ({
      name,
      description: name,
      parameters: { type: 'object', properties: {} },
    }));
    const { events, server } = await ask(
      ({ json }) =>
        anthropicStream(
          json.tools.map(({ name }: { name: string }, index: number) => ({
            type: 'tool_use',
            id: `t${index}`,
            name,
            input: {},
          })),
        ),
      {},
      { tools },
    );
    expect(callsOf(events).map(({ name }) => name)).toEqual(names);
    const sent: string[] = server.requests[0]?.json.tools.map(({ name }: { name: string }) => name);
    for (const name of sent) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(new Set(sent).size).toBe(names.length);
    expect(sent.at(-1)).toBe('plain');
  });
});

describe('what is kept for the provider', () => {
  test('nothing when text and calls say it all', async () => {
    for (const content of [['Hello.'], ['Hello.', SIZE, CLOCK], ['One. ', 'Two.']])
      expect(blocksOf((await ask(anthropicStream(content))).events)).toEqual([]);
  });

  test('hidden thinking, in its place', async () => {
    const hidden = { type: 'redacted_thinking', data: 'blob' };
    const { events, thinking } = await ask(anthropicStream([hidden, 'Hello.', SIZE]));
    expect(blocksOf(events)).toEqual([hidden, { type: 'text', text: 'Hello.' }, SIZE]);
    expect(thinking).toBe('');
  });

  test('thinking to the byte, with an empty signature when none came; blank texts are left out', async () => {
    const step = { type: 'thinking', thinking: 'step one ' };
    const { events, text } = await ask(anthropicStream([step, ' \n', 'Hello.']));
    expect(blocksOf(events)).toEqual([
      { ...step, signature: '' },
      { type: 'text', text: 'Hello.' },
    ]);
    expect(text).toBe('Hello.');
  });

  test('sources of a text', async () => {
    const body = [
      start(),
      blockStart(0, { type: 'text', text: '', citations: [] }),
      delta(0, { type: 'citations_delta', citation: { url: 'u' } }),
      delta(0, { type: 'text_delta', text: 'Known.' }),
      ...ending(),
    ];
    expect(blocksOf((await ask({ body })).events)).toEqual([
      { type: 'text', text: 'Known.', citations: [{ url: 'u' }] },
    ]);
  });

  test('an input that is no object is kept as an empty one', async () => {
    const body = [
      ...[start(), ...blockEvents(THOUGHT, 0)],
      blockStart(1, { ...CLOCK }),
      delta(1, { type: 'input_json_delta', partial_json: '[1' }),
      ...ending({ stop: 'tool_use' }),
    ];
    expect(blocksOf((await ask({ body })).events)[1]).toEqual(CLOCK);
  });
});

describe('the text that is seen', () => {
  const rows: readonly [string, readonly string[] | readonly object[], string][] = [
    ['line ends before it are left out', ['\n\nHello.'], 'Hello.'],
    ['blocks side by side are one text', ['Hel', 'lo.'], 'Hello.'],
    ['blocks with something between are two', ['One.', THOUGHT, 'Two.'] as never, 'One.\n\nTwo.'],
    ['blank blocks are nothing', ['One.', ' \n ', 'Two.'], 'One.Two.'],
    ['spaces inside stay', ['  a', ' \n b '], '  a \n b '],
  ];
  for (const [name, content, expected] of rows)
    test(name, async () => {
      expect((await ask(anthropicStream(content as never))).text).toBe(expected);
    });
});

describe('how an answer ends', () => {
  const rows: readonly [string, unknown, object][] = [
    ['end_turn', undefined, { reason: 'stop' }],
    ['stop_sequence', undefined, { reason: 'stop' }],
    ['max_tokens', undefined, { reason: 'length' }],
    ['model_context_window_exceeded', undefined, { reason: 'length', detail: 'context' }],
    ['pause_turn', undefined, { reason: 'other', detail: 'pause_turn' }],
    ['something_new', undefined, { reason: 'other', detail: 'something_new' }],
    ['refusal', undefined, { reason: 'refusal' }],
    ['refusal', null, { reason: 'refusal' }],
    [
      'refusal',
      { type: 'refusal', category: 'cyber', explanation: 'It asks for\nmalware.' },
      { reason: 'refusal', detail: 'cyber: It asks for malware.' },
    ],
  ];
  for (const [stop, details, expected] of rows)
    test(`${stop} ${JSON.stringify(details)}`, async () => {
      const { events } = await ask(anthropicStream('Text.', { stop, details }));
      expect(finishOf(events)).toEqual([expected]);
    });

  test('a refused answer leaves no blocks behind', async () => {
    const { events } = await ask(anthropicStream([THOUGHT, 'No.'], { stop: 'refusal' }));
    expect(blocksOf(events)).toEqual([]);
  });

  test('calls make an ordinary end one for calls', async () => {
    const { events } = await ask(anthropicStream([SIZE], { stop: 'end_turn' }));
    expect(finishOf(events)).toEqual([{ reason: 'tool_calls' }]);
  });
});

describe('running totals are added up twice, or told wrong', () => {
  const rows: readonly [string, object | undefined, readonly object[], object | undefined][] = [
    [
      'totals are replaced, never added',
      { input_tokens: 100, cache_read_input_tokens: 40, output_tokens: 1 },
      [
        { input_tokens: 100, cache_read_input_tokens: 40, output_tokens: 5 },
        { input_tokens: 100, cache_read_input_tokens: 40, output_tokens: 9 },
      ],
      { pt: 140, ct: 9, tt: 149, cct: 40 },
    ],
    [
      'the cache counts as part of the prompt',
      {
        input_tokens: 60,
        cache_read_input_tokens: 40,
        cache_creation_input_tokens: 5,
        output_tokens: 1,
      },
      [{ output_tokens: 10 }],
      { pt: 105, ct: 10, tt: 115, cct: 40, cwt: 5 },
    ],
    [
      'nulls replace nothing',
      { input_tokens: 7, cache_read_input_tokens: null, output_tokens: 1 },
      [{ input_tokens: null, output_tokens: 3 }],
      { pt: 7, ct: 3, tt: 10 },
    ],
    [
      'zeros at the start are no counts',
      { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0 },
      [{ input_tokens: 30, output_tokens: 4 }],
      { pt: 30, ct: 4, tt: 34 },
    ],
    [
      'zeros throughout are no usage',
      { input_tokens: 0, output_tokens: 0 },
      [{ output_tokens: 0 }],
      undefined,
    ],
    [
      'numbers as text are read',
      { input_tokens: '10', output_tokens: 1 },
      [{ output_tokens: '2' }],
      { pt: 10, ct: 2, tt: 12 },
    ],
  ];
  for (const [name, first, later, expected] of rows)
    test(name, async () => {
      const body = [
        start({ usage: first as never }),
        ...blockEvents('x', 0),
        ...later.map((usage) =>
          event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }),
        ),
        event({ type: 'message_stop' }),
      ];
      expect(tokensOf((await ask({ body })).events)).toEqual(
        expected === undefined ? [] : [expected],
      );
    });

  test('values that are no counts are told and not counted', async () => {
    const { events, warnings } = await ask(
      anthropicStream('x', { usage: { input_tokens: -7, output_tokens: 1 } }),
    );
    expect(tokensOf(events)).toEqual([{ ct: 6 }]);
    expect(warnings).toEqual([
      'odd token counts of the provider are not counted: input_tokens: -7',
    ]);
  });
});
