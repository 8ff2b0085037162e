// What a file of an endpoint says, and what is said when it is wrong.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf, placeOf } from '../helpers/compiling.ts';
import { endpointWorld, resolved } from '../helpers/endpoint.ts';

const KEY = 'KEY-mock-123';
const FILE = 'home/etc/AI/x.yaml';
const url = 'url: http://host.example/v1\nmodel: m\n';

describe('endpoint files', () => {
  test('fields, settings and where they came from', async () => {
    const world = endpointWorld({
      [FILE]: `backend: openai
url: http://host.example/v1/
model: m
headers: {x-team: a}
price: {input: 1, output: 2.5}
temperature: 0.5
thinking: off
request_timeout: 30
stop: [a, b]
`,
    });
    const { origins, ...endpoint } = (await resolved({ flags: { endpoint: 'x' } }, world)).endpoint;
    expect(origins).toMatchObject({
      temperature: { file: join(world.folder, FILE), line: 6 },
      endpoint: 'command line',
    });
    expect(endpoint).toEqual({
      name: 'x',
      backend: 'openai',
      url: 'http://host.example/v1',
      model: 'm',
      headers: { 'x-team': 'a' },
      price: { input: 1, output: 2.5 },
      settings: { temperature: 0.5, thinking: 'off', request_timeout: 30, stop: ['a', 'b'] },
      source: join(world.folder, FILE),
    });
  });

  test('an unknown key is a warning with file, line and the nearest known one', async () => {
    const world = endpointWorld({ [FILE]: `${url}temprature: 1\n` });
    const { endpoint, warnings } = await resolved({ flags: { endpoint: 'x' } }, world);
    expect(endpoint.settings).toEqual({});
    expect(warnings).toEqual([
      {
        code: 'unknown-key',
        message: 'unknown key "temprature" has no effect; did you mean "temperature"?',
        origin: { file: join(world.folder, FILE), line: 3 },
      },
    ]);
  });

  const wrong: readonly {
    name: string;
    text: string | Uint8Array;
    line: number | undefined;
    message: RegExp;
  }[] = [
    {
      name: 'a number that is text',
      text: 'url: http://h/v1\ntemperature: warm\n',
      line: 2,
      message: /"temperature" takes a number from 0 on, not "warm"/,
    },
    {
      name: 'a number that is too small',
      text: 'max_tokens: 0\n',
      line: 1,
      message: /whole number from 1 on, not 0/,
    },
    {
      name: 'a list where text is meant',
      text: 'model: [a]\n',
      line: 1,
      message: /"model" takes text, not a list/,
    },
    {
      name: 'a word that is not one of those',
      text: 'thinking: much\n',
      line: 1,
      message: /one of off, low, medium, high, default/,
    },
    {
      name: 'an address without a scheme',
      text: '\nurl: host.example\n',
      line: 2,
      message: /http:\/\/ or https:\/\//,
    },
    {
      name: 'a price that is no number',
      text: 'price:\n  input: free\n',
      line: 1,
      message: /"price" takes a mapping/,
    },
    {
      name: 'bad YAML',
      text: 'backend: openai\nurl: "http://h\n',
      line: 2,
      message: /no valid YAML/,
    },
    {
      name: 'the same key twice',
      text: 'model: a\nmodel: b\n',
      line: 2,
      message: /no valid YAML: Map keys must be unique/,
    },
    { name: 'a list', text: '- a\n', line: 1, message: /is (?:a|no) mapping of keys to values/ },
    {
      name: 'an alias that leads back to what holds it',
      text: 'headers: &a {x: *a}\n',
      line: 1,
      message: /no valid YAML: it is nested more than 500 deep/,
    },
    {
      name: 'an alias that is not there',
      text: 'model: *nothing\n',
      line: 1,
      message: /no valid YAML: Unresolved alias/,
    },
    {
      name: 'bytes that are not UTF-8',
      text: Buffer.from([0xff]),
      line: undefined,
      message: /not UTF-8/,
    },
    {
      name: 'a file that says nothing',
      text: '',
      line: undefined,
      message: /neither backend nor url/,
    },
    {
      name: 'a backend that is not there',
      text: 'backend: gemini\n',
      line: undefined,
      message: /no backend "gemini"/,
    },
  ];
  for (const { name, text, line, message } of wrong)
    test(`${name} is exit 3 with the place`, async () => {
      const world = endpointWorld({ [FILE]: text });
      const failure = await failureOf(resolved({ flags: { endpoint: 'x' } }, world));
      expect(failure).toMatchObject({ exitCode: 3, message: expect.stringMatching(message) });
      const file = join(world.folder, FILE);
      expect(placeOf(failure)).toBe(line === undefined ? file : `${file}:${line}`);
    });

  test('a wrong value of a key is not shown', async () => {
    const world = endpointWorld({ [FILE]: `${url}key: [${KEY}]\n` });
    const failure = await failureOf(resolved({ flags: { endpoint: 'x' } }, world));
    expect(failure.message).not.toContain(KEY);
  });

  test('an unknown endpoint is exit 3 with the places tried and the nearest name', async () => {
    const world = endpointWorld({ 'home/etc/AI/work.yaml': url });
    const failure = await failureOf(
      resolved(
        { chat: { endpoint: 'wrok' }, origins: { endpoint: { file: 'a.chat', line: 2 } } },
        world,
      ),
    );
    expect(failure).toMatchObject({
      code: 'unknown-endpoint',
      exitCode: 3,
      next: 'did you mean "work"?',
    });
    expect(failure.detail[0]).toContain(join(world.folder, 'home/etc/AI/wrok.yaml'));
    expect(placeOf(failure)).toBe('a.chat:2');
  });

  test('a name cannot lead out of the folder', async () => {
    const world = endpointWorld({ 'home/etc/evil.yaml': url });
    expect(await failureOf(resolved({ chat: { endpoint: '../evil' } }, world))).toMatchObject({
      code: 'unknown-endpoint',
    });
  });

  test("the working directory's file comes before the user's", async () => {
    const world = endpointWorld({
      [FILE]: url,
      'etc/AI/x.yaml': 'url: http://near.example/v1\nmodel: n\n',
    });
    expect((await resolved({ flags: { endpoint: 'x' } }, world)).endpoint.model).toBe('n');
  });

  test('a file that adds to a built-in endpoint keeps its address and key', async () => {
    const world = endpointWorld(
      { 'home/etc/AI/openai.yaml': 'model: big\n' },
      { OPENAI_API_KEY: KEY },
    );
    const { endpoint } = await resolved({ flags: { endpoint: 'openai' } }, world);
    expect(endpoint).toMatchObject({
      name: 'openai',
      url: 'https://api.openai.com/v1',
      model: 'big',
    });
    expect(endpoint.key?.reveal()).toBe(KEY);
  });

  test('a file of a built-in name with another address gets no key of the service', async () => {
    const world = endpointWorld({ 'home/etc/AI/openai.yaml': url }, { OPENAI_API_KEY: KEY });
    const { endpoint } = await resolved({ flags: { endpoint: 'openai' } }, world);
    expect(endpoint.key).toBeUndefined();
  });

  const SERVICES: readonly [string, string][] = [
    ['openai', 'OPENAI_API_KEY'],
    ['responses', 'OPENAI_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['openrouter', 'OPENROUTER_API_KEY'],
  ];
  for (const [name, variable] of SERVICES) {
    test(`the key of ${name} goes to its own address alone`, async () => {
      const env = { [variable]: KEY };
      const flags = { endpoint: name, model: 'm' };
      const keyOf = async (more: Record<string, string>, files: Record<string, string> = {}) =>
        (await resolved({ flags: { ...flags, ...more } }, endpointWorld(files, env))).endpoint.key;
      expect((await keyOf({}))?.reveal()).toBe(KEY);
      expect(await keyOf({ url: 'https://elsewhere.example/v1' })).toBeUndefined();
      const file = `backend: ${name}\nurl: https://elsewhere.example/v1\n`;
      expect(await keyOf({}, { [`etc/AI/${name}.yaml`]: file })).toBeUndefined();
      expect((await keyOf({ url: 'https://elsewhere.example/v1', key: 'k-2' }))?.reveal()).toBe(
        'k-2',
      );
    });
  }

  test('a file with the address of a known service finds its key', async () => {
    const files = { [FILE]: 'url: https://openrouter.ai/api/v1\nmodel: m\n' };
    const world = endpointWorld(files, { OPENROUTER_API_KEY: KEY });
    expect((await resolved({ flags: { endpoint: 'x' } }, world)).endpoint.key?.reveal()).toBe(KEY);
  });

  const presets: readonly { name: string; text: string; backend: string; url: string }[] = [
    {
      name: 'the root of an Ollama',
      text: 'backend: ollama\nurl: http://box.lan:11434/\nmodel: m\n',
      backend: 'ollama',
      url: 'http://box.lan:11434',
    },
    {
      name: 'the address of an Ollama as it was before',
      text: 'backend: ollama\nurl: http://box.lan:11434/v1/\nmodel: m\n',
      backend: 'ollama',
      url: 'http://box.lan:11434',
    },
    {
      name: 'llama.cpp without an address',
      text: 'backend: llamacpp\nmodel: m\n',
      backend: 'openai',
      url: 'http://127.0.0.1:8080/v1',
    },
    {
      name: 'LM Studio at another address',
      text: 'backend: lmstudio\nurl: http://box.lan:1234/v1\nmodel: m\n',
      backend: 'openai',
      url: 'http://box.lan:1234/v1',
    },
    {
      name: 'vLLM without an address',
      text: 'backend: vllm\nmodel: m\n',
      backend: 'vllm',
      url: 'http://127.0.0.1:8000/v1',
    },
    {
      name: 'an address alone',
      text: 'url: http://box.lan/v1\nmodel: m\n',
      backend: 'openai',
      url: 'http://box.lan/v1',
    },
  ];
  for (const { name, text, ...expected } of presets)
    test(`preset: ${name}`, async () => {
      const { endpoint } = await resolved(
        { flags: { endpoint: 'x' } },
        endpointWorld({ [FILE]: text }),
      );
      expect(endpoint).toMatchObject(expected);
    });
});
