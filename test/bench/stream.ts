// A stream of 200,000 events, read as a round reads it, against reading its bytes alone from the same server; and how memory grows with it.

import { spawn } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bundled } from '../helpers/bundled.js';
import { cleanEnvironment, median } from './measure.ts';
import { chunk } from './server.ts';
import type { Bench, Row } from './types.ts';

const EVENTS = 200_000;
const RUNS = 5;
const MEGABYTE = 1_000_000;

interface Figures {
  readonly length: number;
  readonly milliseconds: number;
  readonly cpu: number;
  readonly peak: number;
}

interface StreamWire {
  readonly backend: string;
  /** Below the server's address. */
  readonly base: string;
  readonly path: string;
  readonly start: readonly string[];
  event(text: string): string;
  readonly end: readonly string[];
}

const event = (value: { readonly type: string }): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

const STREAMS: readonly StreamWire[] = [
  {
    ...{ backend: 'openai', base: '/v1', path: '/v1/chat/completions' },
    start: [chunk({ role: 'assistant', content: '' })],
    event: (text) => chunk({ content: text }),
    end: [chunk({}, 'stop'), 'data: [DONE]\n\n'],
  },
  {
    ...{ backend: 'anthropic', base: '', path: '/v1/messages' },
    start: [
      event({
        type: 'message_start',
        ...{ message: { id: 'msg_1', model: 'bench', content: [], usage: { input_tokens: 1 } } },
      }),
      event({
        type: 'content_block_start',
        ...{ index: 0, content_block: { type: 'text', text: '' } },
      }),
    ],
    event: (text) =>
      event({ type: 'content_block_delta', ...{ index: 0, delta: { type: 'text_delta', text } } }),
    end: [
      event({ type: 'content_block_stop', ...{ index: 0 } }),
      event({
        type: 'message_delta',
        ...{ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
      }),
      event({ type: 'message_stop' }),
    ],
  },
  {
    ...{ backend: 'responses', base: '/v1', path: '/v1/responses' },
    start: [
      event({
        type: 'response.created',
        ...{ response: { id: 'resp_1', model: 'bench', output: [] } },
      }),
      event({
        type: 'response.output_item.added',
        ...{ output_index: 0, item: { id: 'msg_1', type: 'message', content: [] } },
      }),
    ],
    event: (text) =>
      event({
        type: 'response.output_text.delta',
        ...{ item_id: 'msg_1', output_index: 0, content_index: 0, delta: text },
      }),
    end: [
      event({
        type: 'response.completed',
        ...{ response: { id: 'resp_1', model: 'bench', status: 'completed', output: [] } },
      }),
    ],
  },
  {
    ...{ backend: 'ollama', base: '', path: '/api/chat' },
    start: [],
    event: (text) =>
      `${JSON.stringify({ model: 'bench', message: { role: 'assistant', content: text }, done: false })}\n`,
    end: [`${JSON.stringify({ model: 'bench', done: true, done_reason: 'stop' })}\n`],
  },
];

export const streamBench: Bench = {
  name: 'stream',
  async run(root) {
    const { file, remove } = await bundled(root, 'test/bench/stream-child.ts');
    try {
      const rows: Row[] = [];
      for (const wire of STREAMS) rows.push(...(await rowsOf(wire, file)));
      return rows;
    } finally {
      remove();
    }
  },
};

async function rowsOf(wire: StreamWire, file: string): Promise<readonly Row[]> {
  const long = await streamServer(wire, EVENTS);
  const half = await streamServer(wire, EVENTS / 2);
  const child = (what: string, { url }: { url: string }) =>
    measured(file, [what, wire.backend, `${url}${wire.base}`, wire.path]);
  const raw: Figures[] = [];
  const round: Figures[] = [];
  const before: Figures[] = [];
  try {
    // By turns, so that a slower minute of the machine meets all of them.
    for (let run = 0; run < RUNS; run++) {
      raw.push(await child('raw', long));
      round.push(await child('round', long));
      before.push(await child('round', half));
    }
  } finally {
    long.close();
    half.close();
  }
  const of = (figures: readonly Figures[], what: keyof Figures) =>
    median(figures.map((each) => each[what]));
  const lengths = new Set(round.map(({ length }) => length));
  if (
    lengths.size !== 1 ||
    !lengths.has(textOf(EVENTS).reduce((sum, { length }) => sum + length, 0))
  )
    throw new Error(`not every event was read: ${[...lengths].join(', ')}`);
  const growth = of(round, 'peak') - of(before, 'peak');
  const time = (figures: readonly Figures[]) =>
    `${of(figures, 'milliseconds').toFixed(0)} ms (CPU ${of(figures, 'cpu').toFixed(0)} ms)`;
  return [
    {
      name: 'stream',
      measured: `${wire.backend}, ${EVENTS} events: ${time(round)}`,
      against: `the bytes alone: ${time(raw)}`,
      ratio: of(round, 'milliseconds') / of(raw, 'milliseconds'),
      bound: 3,
    },
    {
      name: 'stream',
      measured: `${wire.backend}, memory at its highest: ${(of(round, 'peak') / MEGABYTE).toFixed(0)} MB`,
      against: `half of the events: ${(of(before, 'peak') / MEGABYTE).toFixed(0)} MB`,
      ratio: growth / MEGABYTE,
      bound: 16,
      unit: ' MB',
    },
  ];
}

const textOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index % 1000} `);

/** Each event is a write of its own, as a model makes them; as fast as they are taken. */
async function streamServer(wire: StreamWire, count: number) {
  const pieces = [...wire.start, ...textOf(count).map(wire.event), ...wire.end];
  const server = createServer((request, response) => {
    request.resume().on('end', () => void send(response, pieces));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function send(response: ServerResponse, pieces: readonly string[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of pieces)
    if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
  response.end();
}

function measured(file: string, args: readonly string[]): Promise<Figures> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args], {
      env: cleanEnvironment({ FAKE_KEY: 'none' }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(output)) : reject(new Error(`${args.join(' ')}: ${errors}`)),
    );
  });
}
