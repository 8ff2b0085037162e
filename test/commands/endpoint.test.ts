// `chat endpoint list` and `chat endpoint test`.

import { describe, expect, onTestFinished, test } from 'vitest';
import { createHttp } from '../../src/world/http.ts';
import type { HttpRequest } from '../../src/world/types/network.ts';
import { type Answers, startFakeServer } from '../helpers/fake-server.ts';
import { ollamaStream } from '../helpers/ollama-replies.ts';
import { runCli } from '../helpers/run.ts';

const KEY = 'KEY-mock-123';

async function served(answers: Answers) {
  const server = await startFakeServer(answers);
  onTestFinished(() => server.close());
  return {
    server,
    files: {
      'home/.scout/etc/AI/x.yaml': `url: ${server.url}/v1\nmodel: m\nkey: $MY_KEY\nretry_max: 0\n`,
    },
  };
}

const reply = {
  model: 'm-1',
  choices: [{ message: { role: 'assistant', content: 'Ready.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
};

describe('list', () => {
  test('shows all, marks the one that would be used, says why, and hides keys', async () => {
    const { files } = await served({});
    const { code, stdout } = await runCli(['endpoint', 'list'], {
      files: { ...files, 'home/.scout/etc/AI/bad.yaml': 'temperature: hot\n' },
      env: { ASK_ENDPOINT: 'x', MY_KEY: KEY, ANTHROPIC_API_KEY: KEY },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^\* {2}x {2,}openai {2,}m {2,}set from MY_KEY {2,}home\/\.scout\/etc\/AI\/x\.yaml$/m,
    );
    expect(stdout).toMatch(
      /^ {3}bad .*bad\.yaml:1 \("temperature" takes a number from 0 on, not "hot"\)$/m,
    );
    expect(stdout).toMatch(/^ {3}openai .*missing OPENAI_API_KEY {2,}built-in$/m);
    expect(stdout).toMatch(/^x would be used: ASK_ENDPOINT names it$/m);
    expect(stdout).not.toContain(KEY);
  });

  test('shows with -v the rules that did not apply, and the one that did', async () => {
    const { stdout } = await runCli(['endpoint', 'list', '-v'], { env: { OPENAI_API_KEY: KEY } });
    expect(stdout).toContain('responses would be used: OPENAI_API_KEY is set\n');
    expect(stdout).toContain(
      '  ANTHROPIC_API_KEY → anthropic: not set\n  OPENAI_API_KEY → responses: used: responses\n',
    );
  });

  test('as JSON', async () => {
    const { stdout } = await runCli(['endpoint', 'list', '--json'], {
      env: { ASK_ENDPOINT: 'local' },
    });
    expect(JSON.parse(stdout)).toMatchObject({ chosen: 'local', why: 'ASK_ENDPOINT names it' });
  });
});

describe('test', () => {
  test('asks one word and says model, time and tokens', async () => {
    const { server, files } = await served({ body: reply });
    const { code, stdout, stderr } = await runCli(['endpoint', 'test', 'x'], {
      files,
      env: { MY_KEY: KEY },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^endpoint {2}x \(openai\)\nmodel {5}m-1\nanswer {4}Ready\.\ntime {6}\d+\.\d\d s\ntokens {4}9 prompt, 2 completion\n$/,
    );
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test('as JSON', async () => {
    const { files } = await served({ body: reply });
    const { stdout } = await runCli(['endpoint', 'test', 'x', '--json'], {
      files,
      env: { MY_KEY: KEY },
    });
    expect(JSON.parse(stdout)).toMatchObject({
      endpoint: 'x',
      model: 'm-1',
      answer: 'Ready.',
      tokens: { pt: 9, ct: 2, tt: 11 },
    });
  });

  test('of an Ollama: the model that it serves, in its own words', async () => {
    const server = await startFakeServer(({ path }) =>
      path === '/api/tags' ? { body: { models: [{ name: 'fake:1b' }] } } : ollamaStream('Ready.'),
    );
    onTestFinished(() => server.close());
    const { code, stdout, stderr } = await runCli(['endpoint', 'test', 'near'], {
      files: { 'home/.scout/etc/AI/near.yaml': `backend: ollama\nurl: ${server.url}/v1\n` },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^endpoint {2}near \(ollama\)\nmodel {5}fake:1b\nanswer {4}Ready\.\n/);
    expect(server.requests.map(({ path }) => path)).toEqual(['/api/tags', '/api/chat']);
  });

  test('models of an endpoint that names none can be listed', async () => {
    const server = await startFakeServer({ body: { data: [{ id: 'a/b', context_length: 8192 }] } });
    onTestFinished(() => server.close());
    const http = {
      // The service itself is not asked: the request is led to the test's server.
      send: async (request: HttpRequest) => {
        const url = request.url.replace('https://openrouter.ai/api', server.url);
        return createHttp({}).send({ ...request, url });
      },
    };
    const { code, stdout } = await runCli(['model', 'list', '-e', 'openrouter'], {
      env: { OPENROUTER_API_KEY: KEY },
      world: { http },
    });
    expect([code, stdout]).toEqual([0, 'a/b  8192 tokens\n']);
    expect(server.requests[0]).toMatchObject({
      path: '/v1/models',
      headers: { authorization: `Bearer ${KEY}` },
    });
  });

  const cases: readonly {
    name: string;
    answers: Answers;
    argv?: readonly string[];
    env?: Record<string, string>;
    code: number;
    stderr: RegExp;
  }[] = [
    {
      name: 'no key',
      answers: {},
      env: {},
      code: 3,
      stderr: /^error: MY_KEY is not set: endpoint "x" needs its key there/,
    },
    {
      name: 'an unknown endpoint',
      answers: {},
      argv: ['nope-at-all'],
      code: 3,
      stderr: /^error: no endpoint "nope-at-all" \(command line\)/,
    },
    {
      name: 'a refused key',
      answers: { status: 401, body: { error: { message: `bad key ${KEY}` } } },
      code: 4,
      stderr: /401/,
    },
    {
      name: 'no such model',
      answers: { status: 404, body: { error: { message: 'no model m' } } },
      code: 4,
      stderr: /no model m/,
    },
    {
      name: 'a log-in page',
      answers: { headers: { 'content-type': 'text/html' }, body: '<html>log in</html>' },
      code: 4,
      stderr: /^error: /,
    },
  ];
  for (const { name, answers, argv = ['x'], env = { MY_KEY: KEY }, code, stderr } of cases)
    test(`${name}: exit ${code}`, async () => {
      const { files } = await served(answers);
      const result = await runCli(['endpoint', 'test', ...argv], { files, env });
      expect(result.stderr).toMatch(stderr);
      expect(result.stderr + result.stdout).not.toContain(KEY);
      expect(result.stdout).toBe('');
      expect(result.code).toBe(code);
    });
});
