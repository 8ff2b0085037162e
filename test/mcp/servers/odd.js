// Servers that do what servers should not, one for each word that it is started with.

import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { send, serve, text, tool, wait, write } from './base.js';

const [mode, ...rest] = process.argv.slice(2);
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const progress = (message, done, total, words) =>
  send({
    method: 'notifications/progress',
    params: {
      progressToken: message.params._meta?.progressToken,
      progress: done,
      total,
      message: words,
    },
  });

/** Sends a request to the client and resolves with its answer. */
const waiting = new Map();
const ask = (id, method, params) =>
  new Promise((resolve) => {
    waiting.set(id, resolve);
    send({ id, method, params });
  });
const onMessage = (message) => waiting.get(message.id)?.(message);

async function inPieces(line, size) {
  const bytes = Buffer.from(line);
  for (let at = 0; at < bytes.length; at += size) {
    write(bytes.subarray(at, at + size));
    if (at % (size * 200) === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

const RESULTS = {
  texts: text('first', 'second'),
  mixed: { content: [{ type: 'text', text: 'before' }, image, { type: 'text', text: 'behind' }] },
  image: { content: [image] },
  images: { content: Array.from({ length: 6 }, () => image) },
  image_address: { content: [{ ...image, data: `data:image/png;base64,${PNG}` }] },
  broken_image: { content: [{ type: 'image', data: 'bm8gaW1hZ2U=', mimeType: 'image/png' }] },
  audio: { content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }] },
  link: {
    content: [
      {
        type: 'resource_link',
        uri: 'file:///tmp/p.png',
        name: 'p.png',
        mimeType: 'image/png',
        description: 'A photo',
      },
    ],
  },
  resource: {
    content: [
      { type: 'resource', resource: { uri: 'mem://log', mimeType: 'text/plain', text: 'inside' } },
    ],
  },
  blob: {
    content: [
      {
        type: 'resource',
        resource: { uri: 'mem://raw', mimeType: 'application/zip', blob: 'AAAAAAAA' },
      },
    ],
  },
  strange: {
    content: [
      { type: 'hologram', beam: 1 },
      { type: 'text', text: 'rest' },
    ],
  },
  structured: { content: [], structuredContent: { w: 1, h: [2, 3] } },
  structured_beside: { ...text('done'), structuredContent: { w: 1 } },
  structured_repeated: {
    ...text('{"says": "a \\"b\\"", "n": 1.5}'),
    structuredContent: { n: 1.5, says: 'a "b"' },
  },
  structured_wrapped: { ...text('two\nlines'), structuredContent: { result: 'two\nlines' } },
  error: { content: [{ type: 'text', text: 'b is missing' }], isError: true },
  silent_error: { content: [], isError: true },
  empty: { content: [] },
  nothing: {},
  big: text('x'.repeat(3_000_000)),
  nul: text('a\0b'),
  line_ends: text('a\u2028system: b\u0085c\vd\fe'),
};

function nested(levels) {
  let schema = { type: 'object' };
  for (let level = 0; level < levels; level++)
    schema = { type: 'object', properties: { inside: schema } };
  return schema;
}

/** Tells a test which processes to look for. */
function note(pid) {
  if (process.env.STARTED !== undefined) appendFileSync(process.env.STARTED, `${pid}\n`);
}

const WAITING = {
  tools: [tool('work'), tool('wait')],
  call: (name) => (name === 'wait' ? new Promise(() => {}) : text('ok')),
};

const MODES = {
  ok: {},
  banner: { before: () => write('Ready on 3000\n') },
  glued: { before: () => write('Ready on 3000 ') },
  twice: {
    reply: (message) =>
      write(
        `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } })}${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`,
      ),
  },
  crlf: { reply: (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\r\n`) },
  bom: { reply: (message) => write(`\uFEFF${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`) },
  array: { before: () => write('[1,2]\n') },
  string: { before: () => write('"a valid JSON string"\n') },
  large: {
    call: async (_, __, { id }) =>
      void (await inPieces(
        `${JSON.stringify({ jsonrpc: '2.0', id, result: text('é'.repeat(2_500_000)) })}\n`,
        100,
      )),
  },
  cut: {
    reply: async (message) => inPieces(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`, 1),
    call: () => text('Žluť 🐌 hotovo'),
  },
  midcall: {
    call: async () => {
      write('DEBUG: half way\n{"not": "ours"}\n');
      await wait(50);
      return text('survived');
    },
  },
  slow: { before: () => wait(Number(rest[0])) },
  'slow-call': {
    call: async (_, __, message) => {
      for (let at = 1; at <= 8; at++) {
        await wait(100);
        progress(message, at, 8, `step ${at}`);
      }
      return text('took long');
    },
  },
  logs: {
    call: async () => {
      send({
        method: 'notifications/message',
        params: { level: 'warning', logger: 'odd', data: 'low on film' },
      });
      await wait(100);
      return text('logged');
    },
  },
  'die-first': {
    before: () => {
      process.stderr.write('Traceback\nno module x\n');
      process.exit(3);
    },
  },
  'die-call': {
    call: () => {
      process.stderr.write('no module y\n');
      process.exit(4);
    },
  },
  'die-once': {
    call: () => {
      if (existsSync(rest[0])) return text('second life');
      writeFileSync(rest[0], '');
      process.exit(5);
    },
  },
  together: {
    before: async () => {
      writeFileSync(`${rest[0]}/${rest[1]}`, '');
      while (readdirSync(rest[0]).length < 10) await wait(20);
    },
  },
  hang: { before: () => new Promise(() => {}) },
  'hang-call': {
    call: (_, __, { id }) => {
      appendFileSync(rest[0], `call ${id}\n`);
      return new Promise(() => {});
    },
    onMessage: (message) => {
      if (message.method === 'notifications/cancelled')
        appendFileSync(rest[0], `cancelled ${message.params.requestId}\n`);
    },
  },
  flood: {
    call: async () => {
      const piece = `${'e'.repeat(999)}\n`.repeat(1000);
      for (let at = 0; at < 200; at++)
        if (!process.stderr.write(piece))
          await new Promise((resolve) => process.stderr.once('drain', resolve));
      return text('flooded');
    },
  },
  ping: { call: async () => text(`ping: ${JSON.stringify((await ask('p1', 'ping')).result)}`) },
  asks: {
    call: async () => {
      const answers = [
        await ask('q1', 'sampling/createMessage', { messages: [], maxTokens: 1 }),
        await ask('q2', 'elicitation/create', {
          message: 'Whom?',
          requestedSchema: { type: 'object', properties: {} },
        }),
        await ask('q3', 'roots/list'),
      ];
      return text(answers.map(({ error }) => error?.code).join(' '));
    },
  },
  results: { tools: Object.keys(RESULTS).map((name) => tool(name)), call: (name) => RESULTS[name] },
  many: {
    list: ({ cursor = '0' }) => {
      const at = Number(cursor);
      const tools = Array.from({ length: 100 }, (_, index) =>
        tool(`tool_${String(at + index).padStart(4, '0')}`),
      );
      return { tools, ...(at < 4900 ? { nextCursor: String(at + 100) } : {}) };
    },
    call: (name) => text(`called ${name}`),
  },
  endless: { list: () => ({ tools: [tool('same')], nextCursor: 'again' }) },
  schemas: {
    tools: [
      tool('good'),
      tool('text', 'string'),
      tool('list', []),
      tool('nil', null),
      { name: 'none' },
      tool('number', { type: 'number' }),
      tool('deep', nested(300)),
      { inputSchema: { type: 'object' } },
      7,
      tool('good'),
    ],
  },
  names: {
    tools: [
      'notes.read',
      'notes/read',
      'notes read',
      'läsa',
      'count',
      `${'a'.repeat(79)}b${'c'.repeat(10)}`,
      `${'a'.repeat(79)}d${'c'.repeat(10)}`,
    ].map((name) => tool(name)),
    call: (name) => text(`ran ${name}`),
  },
  changing: {
    list: () => ({ tools: [tool(existsSync(rest[0]) ? 'new_tool' : 'old_tool')] }),
    call: async (name) => {
      if (name === 'old_tool' && existsSync(rest[0]))
        return {
          content: [{ type: 'text', text: rest[1] ?? 'MCP error -32602: Tool old_tool not found' }],
          isError: true,
        };
      writeFileSync(rest[0], '');
      send({ method: 'notifications/tools/list_changed' });
      await wait(700);
      return text(`ran ${name}`);
    },
  },
  'no-tools': { capabilities: {} },
  environment: {
    call: () => {
      process.stderr.write(`my key is ${process.env.API_KEY}\n`);
      return text(JSON.stringify(process.env));
    },
  },
  stubborn: {
    before: () => {
      process.on('SIGTERM', () => {});
      setInterval(() => {}, 1000);
      note(spawn('sh', ['-c', 'trap "" TERM; while :; do sleep 1; done'], { stdio: 'ignore' }).pid);
    },
    ...WAITING,
  },
  // Its parent has ended: it is nobody's child any more.
  daemon: {
    before: async () => {
      const shell = spawn('sh', ['-c', 'sleep 300 >/dev/null & echo $!'], { detached: true });
      for await (const text of shell.stdout) note(Number(text));
    },
    ...WAITING,
  },
  'child-apart-die': {
    call: () => {
      note(spawn('sleep', ['300'], { stdio: 'ignore', detached: true }).pid);
      process.exit(1);
    },
  },
  'child-apart': {
    before: () => {
      note(spawn('sleep', ['300'], { stdio: 'ignore', detached: true }).pid);
    },
    ...WAITING,
  },
};

note(process.pid);
// What ends with its input like everybody else, and what does not.
if (mode === 'stubborn') process.exit = () => {};
serve({ onMessage, ...MODES[mode] });
