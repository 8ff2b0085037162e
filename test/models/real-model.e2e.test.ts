// The default model, really pulled and asked. The pull goes to a folder of the project that is kept, so that it happens once.
// OFFLINE=1 leaves these tests out.

import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { local } from '../../src/backends/local.ts';
import type { BackendContext, PromptRequest, ReplyEvent } from '../../src/backends/types.ts';
import { DEFAULT_MODEL } from '../../src/models/catalogue.ts';
import { digestOf } from '../../src/models/disk.ts';
import { loadLibrary } from '../../src/models/llama.ts';
import { modelFile } from '../../src/models/places.ts';
import type { ToolSpec } from '../../src/types.ts';
import { shell } from '../helpers/built.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { createWorld, runCli } from '../helpers/run.ts';

const home = join(import.meta.dirname, '..', '..', '.cache', 'scout-home');
const models = join(home, 'share', 'models');
const minutes = (count: number) => count * 60_000;

/** What pip, npm and the network need of the environment; no key of the developer. */
const network = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(?:PIP_|npm_config_|NODE_EXTRA_CA_CERTS$|SSL_CERT|REQUESTS_CA|\w*_proxy$|TMPDIR$|PYENV)/i.test(
      name,
    ),
  ),
);
const env = { ...network, SCOUT_HOME: home };

function request(text: string, fields: Partial<PromptRequest> = {}, settings = {}): PromptRequest {
  return {
    messages: [{ role: 'user', content: text }],
    tools: [],
    endpoint: { name: 'local', backend: 'local', headers: {}, settings, source: 'built-in' },
    attachments: new Map(),
    turnStart: 0,
    sessionId: 'test',
    ...fields,
  };
}

function context(fields: Partial<BackendContext> = {}): BackendContext {
  const { http, clock, files, signal } = createWorld(temporaryFolder());
  return {
    http,
    clock,
    files,
    env,
    signal,
    onRetry() {},
    warn() {},
    modelsFolder: models,
    ...fields,
  };
}

async function ask(asked: PromptRequest, used = context()) {
  const events: ReplyEvent[] = [];
  for await (const event of local.reply(asked, used)) events.push(event);
  const all = <Kind extends ReplyEvent['kind']>(kind: Kind) =>
    events.filter((event): event is Extract<ReplyEvent, { kind: Kind }> => event.kind === kind);
  return {
    events,
    text: all('text')
      .map(({ text }) => text)
      .join(''),
    tokens: all('usage')[0]?.tokens ?? {},
    calls: all('tool-call').map(({ call }) => call),
    finish: all('finish')[0]?.reason.reason,
    phases: [...new Set(all('progress').map(({ phase }) => phase))],
  };
}

const weather: ToolSpec = {
  name: 'get_weather',
  description: 'Current weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['C', 'F'] } },
    required: ['city'],
  },
};

describe.skipIf(process.env.OFFLINE === '1')('the default model', { timeout: minutes(4) }, () => {
  beforeAll(async () => {
    const pulled = await runCli(['model', 'pull'], { env });
    expect(pulled).toMatchObject({ code: 0 });
    expect(pulled.stdout).toBe(`${modelFile(models, DEFAULT_MODEL)}\n`);
  }, minutes(10));

  it('is whole and listed, and a second pull fetches nothing', async () => {
    const again = await runCli(['model', 'pull', '--json'], { env });
    expect(JSON.parse(again.stdout)).toEqual({
      name: DEFAULT_MODEL,
      path: modelFile(models, DEFAULT_MODEL),
      size: 98_362_432,
    });
    expect(again.stderr).toBe(`${DEFAULT_MODEL} is there and whole\n`);
    expect(await digestOf(modelFile(models, DEFAULT_MODEL))).toMatch(/^b179c952/);
    const listed = await runCli(['model', 'list', '--json'], { env });
    expect(JSON.parse(listed.stdout)).toMatchObject({
      models: [{ name: DEFAULT_MODEL, state: 'pulled', default: true }],
      runtime: { kind: 'installed' },
    });
  });

  it('knows the capital of France on the command line, and the answer is nothing but the answer', async () => {
    const asked = await runCli(
      ['ask', '-e', 'local', '--no-cache', 'What is the capital of France?'],
      { env },
    );
    expect(asked).toMatchObject({
      code: 0,
      stdout: 'The capital of France is Paris.\n',
      stderr: '',
    });
  });

  it('is named in the answer for programs, although nobody named it', async () => {
    const asked = await runCli(['ask', '-e', 'local', '--json', 'What is the capital of France?'], {
      env,
    });
    expect(JSON.parse(asked.stdout)).toMatchObject({ endpoint: 'local', model: DEFAULT_MODEL });
  });

  it('leaves nothing on standard error in a process of its own, which ends by itself; asked again it costs nothing', async () => {
    const folder = temporaryFolder({ 'a.chat': 'What is the capital of France?\n' });
    const command = 'cp a.chat b.chat; chat ask -e local a.chat && chat ask -e local b.chat';
    const { SCOUT_HOME, ...rest } = env;
    // The models of the kept folder, and a cache that is empty.
    const settings = { ...rest, SCOUT_HOME: join(folder, 'home') };
    mkdirSync(join(folder, 'home'));
    symlinkSync(join(SCOUT_HOME, 'share'), join(folder, 'home', 'share'));
    const outcome = await shell(command, { cwd: folder, env: settings as Record<string, string> });
    const answer = 'The capital of France is Paris.\n';
    expect(outcome).toEqual({ code: 0, stdout: answer + answer, stderr: 'cached\n' });
    const meta = ['a.chat', 'b.chat'].map((name) => {
      const [line = ''] = /^meta: .*$/m.exec(readFileSync(join(folder, name), 'utf8')) ?? [];
      return /inference_id=(\S+)/.exec(line)?.[1];
    });
    expect(meta[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(meta[1]).toBe(meta[0]);
  });

  it('counts the tokens that the model sees and makes', async () => {
    const answer = await ask(request('What is the capital of France?'));
    const { library } = await loadLibrary(models);
    const llama = await library.getLlama({
      gpu: false,
      build: 'never',
      logLevel: library.LlamaLogLevel.disabled,
    });
    const { tokenizer } = await llama.loadModel({
      modelPath: modelFile(models, DEFAULT_MODEL),
      loadSignal: new AbortController().signal,
      onLoadProgress() {},
    });
    // The template of the model, written out by hand.
    const prompt =
      '<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n';
    const tokenize = tokenizer as (text: string, special: boolean) => readonly number[];
    const pt = tokenize(prompt, true).length;
    const ct = tokenize(`${answer.text}<|im_end|>`, true).length;
    expect(answer.tokens).toEqual({ pt, ct, tt: pt + ct });
    expect(answer.finish).toBe('stop');
  });

  it('tells how loading, reading and generating go', async () => {
    const { runtime } = {
      runtime: await ask(request('Say hello.', {}, { gpu: false, max_tokens: 3 })),
    };
    expect(runtime.phases).toEqual(['load', 'prompt', 'generate']);
    expect(runtime.finish).toBe('length');
    expect(runtime.tokens.ct).toBe(3);
  });

  it('answers the same at temperature 0 and with the same seed, also when a part of the prompt is reused', async () => {
    const story = `${'The fox ran over the hill and saw a small red house. '.repeat(20)}What did the fox see?`;
    const hot = { temperature: 1.5, seed: 7, max_tokens: 30 };
    await ask(request('Something else.', {}, { max_tokens: 1 }));
    const fresh = await ask(request(story, {}, hot));
    expect(fresh.tokens.cct).toBeUndefined();
    const again = await ask(request(story, {}, hot));
    expect(again.tokens.cct).toBeGreaterThan(200);
    expect(again.text).toBe(fresh.text);
    expect(again.tokens.pt).toBe(fresh.tokens.pt);
    const other = await ask(request(story, {}, { ...hot, seed: 8 }));
    expect(other.text).not.toBe(fresh.text);
  });

  it('does not say one sentence again and again when nothing is said about that', async () => {
    const free = request('What is a chat file?', {}, { max_tokens: 400 });
    const { finish } = await ask(free);
    expect(finish).toBe('stop');
    const wires = await Promise.all(
      [
        free,
        request('x', {}, { repeat_penalty: 1 }),
        request('x', { format: 'json' }),
        request('x', { tools: [weather] }),
      ].map((asked) => local.wire(asked, context())),
    );
    expect(wires.map((wire) => JSON.stringify(wire).includes('"repeatPenalty":false'))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  it('writes JSON that fits a schema', async () => {
    const format = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        country: { enum: ['France', 'Italy'] },
        tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
      },
      required: ['city', 'country', 'tags'],
    };
    const { text } = await ask(request('Describe the capital of France.', { format }));
    expect(JSON.parse(text)).toEqual({
      city: expect.any(String),
      country: expect.stringMatching(/^(?:France|Italy)$/),
      tags: expect.arrayContaining([expect.any(String)]),
    });
  });

  it('warns about what a grammar cannot hold the answer to', async () => {
    const warnings: string[] = [];
    const format = { type: 'object', properties: { year: { type: 'integer', minimum: 1900 } } };
    const { text } = await ask(
      request('When did the war end?', { format }),
      context({ warn: (message) => warnings.push(message) }),
    );
    expect(JSON.parse(text)).toEqual({ year: expect.any(Number) });
    expect(warnings).toEqual([
      'the embedded model cannot be held to minimum in the schema of the format',
    ]);
  });

  it('calls a tool when it must, with arguments that fit, and goes on from the result', async () => {
    const question = 'What is the weather in Paris?';
    const first = await ask(request(question, { tools: [weather] }, { tool_choice: 'required' }));
    expect(first.calls).toEqual([
      {
        id: expect.stringMatching(/^call_/),
        name: 'get_weather',
        arguments: expect.objectContaining({ city: 'Paris' }),
      },
    ]);
    expect(first.finish).toBe('tool_calls');
    const [call] = first.calls;
    const messages = [
      { role: 'user', content: question },
      { role: 'function_call', content: JSON.stringify(call) },
      {
        role: 'function_call_output',
        content: JSON.stringify({ ...call, content: 'sunny, 21 degrees' }),
      },
    ];
    const second = await ask(
      request('', { messages, tools: [weather] }, { tool_choice: 'required' }),
    );
    expect(second.calls).toEqual([]);
    expect(second.text).toContain('sunny');
  });

  it('refuses a prompt that does not fit, with both sizes', async () => {
    await expect(ask(request('word '.repeat(9000)))).rejects.toMatchObject({
      code: 'context-overflow',
      exitCode: 4,
      message: expect.stringMatching(/9,0\d\d tokens, and 8,192 fit/),
      facts: { context_overflow: true, context_window: 8192 },
    });
    await expect(ask(request('word '.repeat(300), {}, { num_ctx: 256 }))).rejects.toMatchObject({
      facts: { context_window: 256 },
    });
  });

  it('ends an answer at the end of its context', async () => {
    const { finish, tokens } = await ask(
      request('Count from 1 to 500, one number a line.', {}, { num_ctx: 64 }),
    );
    expect(finish).toBe('length');
    expect(tokens.tt).toBeLessThanOrEqual(64);
  });

  const moments: readonly {
    name: string;
    after: ReplyEvent['kind'] | 'start';
    text: string;
    settings?: Record<string, unknown>;
  }[] = [
    { name: 'before it begins', after: 'start', text: 'Hello' },
    // A setting of the runtime makes it load again.
    { name: 'while it loads', after: 'progress', text: 'Hello', settings: { gpu: false } },
    { name: 'while it reads the prompt', after: 'progress', text: 'word '.repeat(6000) },
    { name: 'while it generates', after: 'text', text: 'Tell me a long story about a fox.' },
  ];
  for (const { name, after, text, settings } of moments)
    it(`stops at once ${name}, and answers the next question`, async () => {
      const stop = new AbortController();
      const reason = new Error('enough');
      const seen: ReplyEvent[] = [];
      const going = (async () => {
        for await (const event of local.reply(
          request(text, {}, settings),
          context({ signal: stop.signal }),
        )) {
          seen.push(event);
          if (event.kind === after) stop.abort(reason);
        }
      })();
      if (after === 'start') stop.abort(reason);
      await expect(going).rejects.toBe(reason);
      if (after !== 'start') expect(seen.at(-1)?.kind).toBe(after);
      expect((await ask(request('What is the capital of France?'))).text).toContain('Paris');
    });

  it('stops when nobody reads on', async () => {
    for await (const event of local.reply(request('Tell me a long story.'), context()))
      if (event.kind === 'text') break;
    expect((await ask(request('What is the capital of France?'))).text).toContain('Paris');
  });

  it('is found by a path, and a file that is no model is told', async () => {
    const path = modelFile(models, DEFAULT_MODEL);
    const endpoint = { ...request('').endpoint, model: path };
    const { text, events } = await ask(request('What is the capital of France?', { endpoint }));
    expect(text).toContain('Paris');
    expect(events).toContainEqual({ kind: 'served', model: `${DEFAULT_MODEL}.gguf` });

    const whole = readFileSync(path);
    const folder = temporaryFolder({ 'cut.gguf': whole.subarray(0, 50_000_000) });
    const cut = { ...endpoint, model: join(folder, 'cut.gguf') };
    await expect(ask(request('Hello', { endpoint: cut }))).rejects.toMatchObject({
      code: 'model-unreadable',
      exitCode: 3,
      message: expect.stringContaining('cut.gguf'),
    });
  });

  it('lists the pulled models', async () => {
    expect(await local.models(request('').endpoint, context())).toEqual([{ id: DEFAULT_MODEL }]);
  });
});
