// Endpoints: which one, what its file says, what wins, and what is said when it cannot be used.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EndpointRequest } from '../../src/config/endpoints.ts';
import { listEndpoints } from '../../src/config/listing.ts';
import { secret } from '../../src/config/secret.ts';
import type { Environment } from '../../src/world/types.ts';
import { failureOf, placeOf } from '../helpers/compiling.ts';
import { endpointWorld, resolved } from '../helpers/endpoint.ts';
import { startFakeServer } from '../helpers/fake-server.ts';
import type { Tree } from '../helpers/folder.ts';

const KEY = 'KEY-mock-123';
const FILE = 'home/etc/AI/x.yaml';
const url = 'url: http://host.example/v1\nmodel: m\n';

describe('the default endpoint, first that applies', () => {
  const cases: readonly {
    name: string;
    request?: EndpointRequest;
    files?: Tree;
    env?: Environment;
    endpoint: string;
  }[] = [
    {
      name: 'the command line',
      request: { flags: { endpoint: 'x' }, chat: { endpoint: 'y' } },
      endpoint: 'x',
    },
    {
      name: 'the chat',
      request: { chat: { endpoint: 'y' }, agent: { endpoint: 'x' } },
      env: { ASK_ENDPOINT: 'x' },
      endpoint: 'y',
    },
    {
      name: 'the agent',
      request: { agent: { endpoint: 'y' } },
      env: { ASK_ENDPOINT: 'x' },
      endpoint: 'y',
    },
    { name: 'ASK_ENDPOINT', env: { ASK_ENDPOINT: 'x', LLM_ENDPOINT: 'y' }, endpoint: 'x' },
    {
      name: 'LLM_ENDPOINT',
      env: { LLM_ENDPOINT: 'y', OPENAI_API_KEY: KEY },
      files: { 'home/etc/AI/default.yaml': url },
      endpoint: 'y',
    },
    {
      name: 'etc/AI/default.yaml',
      env: { OPENAI_API_KEY: KEY },
      files: { 'home/etc/AI/default.yaml': url },
      endpoint: 'default',
    },
    { name: 'OPENAI_API_KEY', env: { OPENAI_API_KEY: KEY }, endpoint: 'responses' },
    {
      name: 'ANTHROPIC_API_KEY, before the other one',
      env: { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY },
      endpoint: 'anthropic',
    },
    {
      name: 'empty variables are not set',
      env: { ASK_ENDPOINT: '', OPENAI_API_KEY: ' ' },
      endpoint: 'local',
    },
    {
      name: 'a backend on the command line means the endpoint of its name',
      request: { flags: { backend: 'local' }, chat: { endpoint: 'x' } },
      endpoint: 'local',
    },
  ];
  for (const { name, request = {}, files, env, endpoint } of cases)
    test(name, async () => {
      const world = endpointWorld({ [FILE]: url, 'home/etc/AI/y.yaml': url, ...files }, env);
      expect((await resolved(request, world)).endpoint.name).toBe(endpoint);
    });

  const ollama = async (models: readonly string[]) => {
    const server = await startFakeServer({ body: { models: models.map((name) => ({ name })) } });
    onTestFinished(() => server.close());
    const http = {
      // The default port of this machine is not ours: the request is led to the test's server.
      send: async (request: Parameters<ReturnType<typeof endpointWorld>['http']['send']>[0]) => {
        const { createHttp } = await import('../../src/world/http.ts');
        return createHttp({}).send({
          ...request,
          url: request.url.replace('http://127.0.0.1:11434', server.url),
        });
      },
    };
    return { server, world: endpointWorld({}, {}, { http }) };
  };

  test('an Ollama that answers on its default port, with its first model', async () => {
    const { world, server } = await ollama(['qwen3:4b', 'other']);
    const { endpoint } = await resolved({}, world);
    expect(endpoint).toMatchObject({
      name: 'ollama',
      backend: 'ollama',
      model: 'qwen3:4b',
      url: 'http://127.0.0.1:11434',
    });
    expect(server.requests[0]?.path).toBe('/api/tags');
  });

  test('an Ollama without a model is passed over', async () => {
    const { world } = await ollama([]);
    expect((await resolved({}, world)).endpoint).toMatchObject({ name: 'local', backend: 'local' });
  });

  test('no server is looked for when something before that applies', async () => {
    const { world, server } = await ollama(['a']);
    await resolved({ flags: { endpoint: 'local' } }, world);
    expect(server.requests).toHaveLength(0);
  });
});

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
    expect((await resolved({ flags: { endpoint: 'x' } }, world)).endpoint).toEqual({
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
      name: 'an alias that is not there',
      text: 'model: *nothing\n',
      line: 1,
      message: /no valid YAML/,
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

describe('keys', () => {
  const KEYS: readonly {
    name: string;
    text: string;
    env?: Environment;
    flags?: Record<string, string>;
  }[] = [
    { name: 'in the file', text: `key: ${KEY}` },
    { name: 'a variable named in key', text: 'key: $MY_KEY', env: { MY_KEY: ` ${KEY}\n` } },
    { name: 'a variable named in key, with braces', text: `key: \${MY_KEY}`, env: { MY_KEY: KEY } },
    { name: 'a variable named in key_env', text: 'key_env: MY_KEY', env: { MY_KEY: KEY } },
    { name: 'the output of a command', text: `key_cmd: sh -c 'echo "${KEY}"'` },
    { name: 'an option on the command line', text: 'key_env: MY_KEY', flags: { key: KEY } },
  ];
  for (const { name, text, env, flags } of KEYS)
    test(name, async () => {
      const world = endpointWorld({ [FILE]: `${url}${text}\n` }, env);
      const { endpoint } = await resolved({ flags: { endpoint: 'x', ...flags } }, world);
      expect(endpoint.key?.reveal()).toBe(KEY);
      expect(
        inspect(endpoint, { depth: 9 }) + JSON.stringify(endpoint) + String(endpoint.key),
      ).not.toContain(KEY);
    });

  const MISSING: readonly { name: string; text: string; env?: Environment; message: RegExp }[] = [
    {
      name: 'a variable that is not set',
      text: 'key_env: MY_KEY',
      message: /^MY_KEY is not set: endpoint "x" needs its key there$/,
    },
    {
      name: 'a variable that is empty',
      text: 'key: $MY_KEY',
      env: { MY_KEY: '' },
      message: /^MY_KEY is not set/,
    },
    {
      name: 'a key with a line end in it',
      text: 'key_env: MY_KEY',
      env: { MY_KEY: `${KEY}\nx: y` },
      message: /the value of MY_KEY is no key/,
    },
    {
      name: 'a command that fails',
      text: `key_cmd: sh -c 'echo ${KEY}; exit 4'`,
      message: /failed with status 4/,
    },
    {
      name: 'a command that is not there',
      text: 'key_cmd: no-such-program-x',
      message: /cannot be run/,
    },
    { name: 'a command without output', text: 'key_cmd: "true"', message: /it is empty/ },
  ];
  for (const { name, text, env, message } of MISSING)
    test(`${name} is exit 3`, async () => {
      const world = endpointWorld({ [FILE]: `${url}${text}\n` }, env);
      const failure = await failureOf(resolved({ flags: { endpoint: 'x' } }, world));
      expect(failure).toMatchObject({ exitCode: 3, message: expect.stringMatching(message) });
    });

  test('nothing is looked up or run when no key is wanted', async () => {
    const world = endpointWorld({ [FILE]: `${url}key_cmd: no-such-program-x\n` });
    expect(
      (await resolved({ flags: { endpoint: 'x' }, withKey: false }, world)).endpoint.key,
    ).toBeUndefined();
  });

  test('a command of a file that the working directory brought along is run only when the user named it', async () => {
    const world = endpointWorld({ 'etc/AI/x.yaml': `${url}key_cmd: echo ${KEY}\n` });
    const failure = await failureOf(resolved({ chat: { endpoint: 'x' } }, world));
    expect(failure).toMatchObject({ code: 'key-held-back', exitCode: 3 });
    expect((await resolved({ flags: { endpoint: 'x' } }, world)).endpoint.key?.reveal()).toBe(KEY);
  });

  const TAKERS: readonly { name: string; file: string }[] = [
    { name: 'as a key', file: `${url}key_env: OPENAI_API_KEY\n` },
    { name: 'as a key in the file', file: `${url}key: $OPENAI_API_KEY\n` },
    { name: 'in a header', file: `${url}headers: {x-k: $OPENAI_API_KEY}\n` },
  ];
  for (const { name, file } of TAKERS)
    test(`a cloned folder cannot send a variable to its own address, ${name}`, async () => {
      const env = { OPENAI_API_KEY: KEY };
      for (const [request, place] of [
        [{}, 'etc/AI/default.yaml'],
        [{ chat: { endpoint: 'x' } }, 'etc/AI/x.yaml'],
        [{ flags: { endpoint: 'openai' } }, 'etc/AI/openai.yaml'],
      ] as const) {
        const world = endpointWorld({ [place]: file }, env);
        const failure = await failureOf(resolved(request, world));
        expect(failure).toMatchObject({ code: 'key-held-back', exitCode: 3 });
        expect(failure.message).toMatch(/^OPENAI_API_KEY is not sent/);
        expect(
          (await resolved({ ...request, withKey: false }, world)).endpoint.key,
        ).toBeUndefined();
      }
      const named = endpointWorld({ 'etc/AI/x.yaml': file }, env);
      for (const request of [
        { flags: { endpoint: 'x' } },
        { flags: { endpoint: 'x', key_env: 'OPENAI_API_KEY' } },
      ]) {
        const { key, headers } = (await resolved(request, named)).endpoint;
        expect([key?.reveal(), headers['x-k']]).toContain(KEY);
      }
    });

  test("a cloned folder cannot take the place of the user's own endpoint and have its key", async () => {
    const own = 'url: https://lab.example.invalid/v1\nmodel: m\nkey_env: LAB_KEY\n';
    for (const [theirs, said] of [
      [`${url}key_env: LAB_KEY\n`, /^LAB_KEY is not sent/],
      [`${url}headers: {x-k: $LAB_KEY}\n`, /^LAB_KEY is not sent/],
      [`${url}key_cmd: echo ${KEY}\n`, /is not run/],
    ] as const) {
      const files = { 'home/etc/AI/lab.yml': own, 'etc/AI/lab.yaml': theirs };
      for (const [request, env] of [
        [{ flags: { endpoint: 'lab' } }, {}],
        [{}, { ASK_ENDPOINT: 'lab' }],
      ] as const) {
        const world = endpointWorld(files, { LAB_KEY: KEY, ...env });
        const failure = await failureOf(resolved(request, world));
        expect(failure).toMatchObject({ code: 'key-held-back', exitCode: 3 });
        expect(failure.message).toMatch(said);
        expect(failure.next).toContain('there is one of that name in your own folder');
      }
    }
  });

  test('a folder gives a key to this machine, and to the service that the key is for', async () => {
    const near = 'url: http://127.0.0.1:9/v1\nmodel: m\nkey_env: MY_KEY\n';
    const service = 'url: https://api.openai.com/v1\nmodel: m\nkey_env: OPENAI_API_KEY\n';
    for (const file of [near, service]) {
      const env = { MY_KEY: KEY, OPENAI_API_KEY: KEY };
      const { endpoint } = await resolved({}, endpointWorld({ 'etc/AI/default.yaml': file }, env));
      expect(endpoint.key?.reveal()).toBe(KEY);
    }
  });

  test('headers of a file do not follow to another address, since they may hold a key', async () => {
    const headers = `headers: {authorization: "Bearer ${KEY}"}\n`;
    const world = endpointWorld({ [FILE]: `${url}${headers}` });
    const of = async (address: string) =>
      (await resolved({ flags: { endpoint: 'x', url: address } }, world)).endpoint.headers;
    expect(await of('http://elsewhere.example/v1')).toEqual({});
    expect(await of('http://host.example/v2')).toEqual({ authorization: `Bearer ${KEY}` });
  });

  test('a key in a file that others can read is a warning, one of mode 600 is not', async () => {
    const world = endpointWorld({ [FILE]: `${url}key: ${KEY}\n` });
    const file = join(world.folder, FILE);
    chmodSync(file, 0o644);
    expect((await resolved({ flags: { endpoint: 'x' } }, world)).warnings).toEqual([
      {
        code: 'key-readable',
        message: `others can read the key in this file: \`chmod 600 ${file}\``,
        origin: { file, line: 3 },
      },
    ]);
    chmodSync(file, 0o600);
    expect((await resolved({ flags: { endpoint: 'x' } }, world)).warnings).toEqual([]);
  });

  test('a header may be read from the environment', async () => {
    const world = endpointWorld(
      { [FILE]: `${url}headers: {x-token: $MY_TOKEN}\n` },
      { MY_TOKEN: 't' },
    );
    expect((await resolved({ flags: { endpoint: 'x' } }, world)).endpoint.headers).toEqual({
      'x-token': 't',
    });
  });

  test('a secret shows itself to nobody who does not ask', () => {
    const key = secret(KEY);
    expect(
      [`${key}`, JSON.stringify({ key }), inspect(key), inspect([key]), String(key)].join(),
    ).not.toContain(KEY);
    expect(key.reveal()).toBe(KEY);
  });
});

describe('who wins', () => {
  const world = () =>
    endpointWorld(
      { [FILE]: `${url}max_rounds: 4\ntemperature: 0.4\n` },
      { MAX_ROUNDS: '5', FULL_TOOL_OUTPUTS: '7' },
    );
  const base = { flags: { endpoint: 'x' } };
  const cases: readonly { name: string; request: EndpointRequest; settings: object }[] = [
    {
      name: 'the file over the environment',
      request: base,
      settings: { temperature: 0.4, max_rounds: 4, full_tool_outputs: 7 },
    },
    {
      name: 'the agent over the file',
      request: { ...base, agent: { temperature: '3' } },
      settings: { temperature: 3 },
    },
    {
      name: 'a config line over the agent',
      request: {
        ...base,
        agent: { temperature: '3' },
        configured: [{ key: 'temperature', value: '6', tokens: [] }],
      },
      settings: { temperature: 6 },
    },
    {
      name: 'a config line for something else not',
      request: { ...base, configured: [{ key: 'temperature', value: '6', tokens: ['Flow'] }] },
      settings: { temperature: 0.4 },
    },
    {
      name: 'the chat over the agent',
      request: { ...base, chat: { temperature: '2' }, agent: { temperature: '3' } },
      settings: { temperature: 2 },
    },
    {
      name: 'the command line over the chat',
      request: { flags: { endpoint: 'x', temperature: '1' }, chat: { temperature: '2' } },
      settings: { temperature: 1 },
    },
    {
      name: 'nil on the command line over all of them',
      request: { flags: { endpoint: 'x', temperature: 'nil' }, chat: { temperature: '2' } },
      settings: { temperature: 0.4 },
    },
  ];
  for (const { name, request, settings } of cases)
    test(name, async () => {
      expect((await resolved(request, world())).endpoint.settings).toMatchObject(settings);
    });

  test('a backend of a chat does not change an endpoint that the command line names', async () => {
    const { endpoint } = await resolved({ ...base, chat: { backend: 'local' } }, world());
    expect(endpoint).toMatchObject({ name: 'x', backend: 'openai' });
  });

  test('a config line may name the endpoint, below the options of the chat', async () => {
    const configured = [{ key: 'endpoint', value: 'x', tokens: [] }];
    const named = async (request: EndpointRequest) =>
      (await resolved({ ...request, configured }, world())).endpoint.name;
    expect(await named({})).toBe('x');
    expect(await named({ chat: { endpoint: 'local' } })).toBe('local');
  });

  test('the model: command line, chat, agent, file', async () => {
    const model = async (request: EndpointRequest) =>
      (await resolved(request, world())).endpoint.model;
    expect(await model({ flags: { endpoint: 'x', model: 'a' }, chat: { model: 'b' } })).toBe('a');
    expect(await model({ ...base, chat: { model: 'b' }, agent: { model: 'c' } })).toBe('b');
    expect(await model({ ...base, agent: { model: 'c' } })).toBe('c');
    expect(await model(base)).toBe('m');
  });

  test('a price counts for the model of its file alone', async () => {
    const priced = endpointWorld({ [FILE]: `${url}price: {input: 1, output: 2}\n` });
    expect((await resolved(base, priced)).endpoint.price).toEqual({ input: 1, output: 2 });
    expect(
      (await resolved({ flags: { endpoint: 'x', model: 'other' } }, priced)).endpoint.price,
    ).toBeUndefined();
  });
});

describe('options', () => {
  const wrong: readonly { name: string; request: EndpointRequest; at: string; message: RegExp }[] =
    [
      {
        name: 'a temperature that is no number',
        request: {
          chat: { temperature: 'abc' },
          origins: { temperature: { file: 'a.chat', line: 3 } },
        },
        at: 'a.chat:3',
        message: /"temperature" takes a number from 0 on, not "abc"/,
      },
      {
        name: 'the same on the command line',
        request: { flags: { temperature: 'abc' } },
        at: 'command line',
        message: /takes a number/,
      },
      {
        name: 'an address in a chat',
        request: {
          chat: { url: 'http://evil.example' },
          origins: { url: { file: 'a.chat', line: 1 } },
        },
        at: 'a.chat:1',
        message: /"url" cannot be set in a chat/,
      },
      {
        name: 'a key in a chat',
        request: { chat: { key: KEY }, origins: { key: { file: 'a.chat', line: 1 } } },
        at: 'a.chat:1',
        message: /"key" cannot be set in a chat/,
      },
      {
        name: 'an address that is none',
        request: { flags: { url: 'host' } },
        at: 'command line',
        message: /takes an address/,
      },
    ];
  for (const { name, request, at, message } of wrong)
    test(`${name} is exit 2 at its place`, async () => {
      const failure = await failureOf(resolved(request, endpointWorld()));
      expect(failure).toMatchObject({ exitCode: 2, message: expect.stringMatching(message) });
      expect(placeOf(failure)).toBe(at);
    });

  test('an unknown option is a warning at its place', async () => {
    const { endpoint, warnings } = await resolved(
      { chat: { temprature: '1' }, origins: { temprature: { file: 'a.chat', line: 3 } } },
      endpointWorld(),
    );
    expect(endpoint.settings).toEqual({});
    expect(warnings[0]).toMatchObject({
      code: 'unknown-option',
      origin: { file: 'a.chat', line: 3 },
    });
  });

  test('a wrong value in the environment is exit 3', async () => {
    const failure = await failureOf(resolved({}, endpointWorld({}, { MAX_TOOL_CHARS: 'many' })));
    expect(failure).toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('MAX_TOOL_CHARS'),
    });
  });

  test('an endpoint without a model is exit 3, a server of this machine is asked for one', async () => {
    const away = endpointWorld({ [FILE]: 'url: http://host.example/v1\n' });
    expect(await failureOf(resolved({ flags: { endpoint: 'x' } }, away))).toMatchObject({
      code: 'no-model',
      exitCode: 3,
    });
    const server = await startFakeServer({ body: { data: [{ id: 'served' }] } });
    onTestFinished(() => server.close());
    const { createHttp } = await import('../../src/world/http.ts');
    const here = endpointWorld(
      { [FILE]: `url: ${server.url}/v1\nkey: ${KEY}\n` },
      {},
      { http: createHttp({}) },
    );
    expect((await resolved({ flags: { endpoint: 'x' } }, here)).endpoint.model).toBe('served');
    expect(server.requests[0]).toMatchObject({
      path: '/v1/models',
      headers: { authorization: `Bearer ${KEY}` },
    });
  });
});

describe('the list', () => {
  test('shows all, the wrong ones too, where they come from, and why one would be used', async () => {
    const world = endpointWorld(
      {
        [FILE]: `${url}key: ${KEY}\n`,
        'home/etc/AI/broken.yaml': 'url: "\n',
        'home/etc/AI/claude.yaml': 'backend: anthropic\nkey_env: NO_KEY\n',
        'home/etc/AI/gone.yaml': 'backend: gemini\n',
      },
      { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY },
    );
    const list = await listEndpoints(world, () => {});
    const byName = new Map(list.endpoints.map((each) => [each.name, each]));
    expect([...byName.keys()].join(' ')).toBe(
      'anthropic broken claude gone llamacpp lmstudio local ollama openai openrouter openwebui responses vllm x',
    );
    expect(byName.get('x')).toMatchObject({
      key: 'set in the file',
      source: join(world.folder, FILE),
    });
    expect(byName.get('openai')).toMatchObject({
      key: 'set from OPENAI_API_KEY',
      source: 'built-in',
    });
    expect(byName.get('claude')).toMatchObject({
      backend: 'anthropic',
      key: 'missing NO_KEY',
    });
    expect(byName.get('gone')?.problem).toBe('there is no backend "gemini"');
    expect(byName.get('openrouter')).toMatchObject({
      backend: 'openai',
      url: 'https://openrouter.ai/api/v1',
      key: 'missing OPENROUTER_API_KEY',
    });
    expect(byName.get('broken')?.problem).toMatch(/no valid YAML/);
    expect(list).toMatchObject({ chosen: 'anthropic', why: 'ANTHROPIC_API_KEY is set' });
    expect(JSON.stringify(list)).not.toContain(KEY);
  });
});
