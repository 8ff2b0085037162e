// Which endpoint is asked, which settings win, and what the list of endpoints says.

import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EndpointRequest } from '../../src/config/endpoints.ts';
import { listEndpoints } from '../../src/config/listing.ts';
import type { Environment } from '../../src/world/types/world.ts';
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
