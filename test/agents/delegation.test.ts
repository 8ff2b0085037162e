// One agent asks others: what reaches them, what comes back, what is kept, and what stops it.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import {
  type Asked,
  askedIn,
  callsReply,
  fakeHome,
  outputsOf,
  type ToolUse,
  textReply,
} from '../helpers/agents.ts';
import { type FakeServer, type Script, startFakeServer } from '../helpers/fake-server.ts';
import { type RunResult, runCli } from '../helpers/run.ts';

let server: FakeServer;
afterEach(() => server?.close());

const BOSS = 'system: boss\n\nsocialize: true\n';

/** Asks the boss in x.chat; its first reply makes the calls, its next is `done`. */
async function delegating(
  calls: readonly ToolUse[],
  worker: (asked: Asked) => Script,
  rest: {
    files?: Record<string, string>;
    args?: readonly string[];
    done?: string;
    env?: Record<string, string>;
    folder?: string;
  } = {},
): Promise<RunResult> {
  server = await startFakeServer((request) => {
    const asked = askedIn(request);
    if (asked.system !== 'boss') return worker(asked);
    // A request for JSON has a note at its end.
    const isBack = asked.messages.slice(-2).some(({ role }) => role === 'tool');
    return isBack ? textReply(rest.done ?? 'done') : callsReply(calls);
  });
  return runCli(['agent', 'ask', 'Boss', '-c', 'x.chat', 'Go.', ...(rest.args ?? [])], {
    files: {
      ...fakeHome(server.url),
      'Agent/Boss/start_chat': BOSS,
      'Agent/Worker/start_chat': 'system: worker\n',
      'Agent/Critic/start_chat': 'system: critic\n',
      ...rest.files,
    },
    ...(rest.env === undefined ? {} : { env: rest.env }),
    ...(rest.folder === undefined ? {} : { folder: rest.folder }),
  });
}

const ask = (args: Record<string, unknown>): ToolUse => ({ name: 'ask', args });
const chatOf = (result: RunResult, file: string) => parse(result.read(file) ?? '');
const outputs = (result: RunResult) => outputsOf(chatOf(result, 'x.chat'));
const requestsOf = (system: string) =>
  server.requests.map(askedIn).filter((asked) => asked.system === system);

describe('asking another agent', () => {
  test('the prompt is one user message behind its start chat, the answer and receipts come back', async () => {
    const result = await delegating(
      [ask({ agent: 'Worker', prompt: 'Count to three.', conversation: 'a' })],
      () => textReply('1 2 3'),
    );
    expect([result.code, result.stdout]).toEqual([0, 'done\n']);
    expect(requestsOf('worker')[0]?.messages).toEqual([
      { role: 'system', content: 'worker' },
      { role: 'user', content: 'Count to three.' },
    ]);
    const [output] = outputs(result);
    expect(output).toMatchObject({ name: 'ask', content: '1 2 3' });
    expect(output?.meta).toMatchObject([{ pt: 5, ct: 1, tt: 6, endpoint: 'default' }]);
    const kept = chatOf(result, 'x.chat.files/Boss.society/Worker/a/agent.chat');
    expect(kept.map(({ role }) => role)).toEqual(['system', 'user', 'meta', 'assistant']);
    expect(kept[2]?.content).toContain(`inference_id=${output?.meta?.[0]?.inference_id}`);
  });

  test('--json tells what the others used beside what the chat itself did: together all that was asked', async () => {
    const result = await delegating(
      [
        ask({ agent: 'Worker', prompt: 'one', conversation: 'a' }),
        ask({ agent: 'Critic', prompt: 'two' }),
      ],
      () => textReply('fine'),
      { args: ['--json'] },
    );
    const { tokens, delegated } = JSON.parse(result.stdout);
    expect(delegated).toEqual({ pt: 10, ct: 2, tt: 12 });
    expect(tokens).toEqual({ pt: 12, ct: 3, tt: 15 });
    expect(server.requests).toHaveLength(4);
  });

  test('a conversation is continued, also by a later process; a one-shot is not', async () => {
    const first = await delegating(
      [
        ask({ agent: 'Worker', prompt: 'one', conversation: 'a' }),
        ask({ agent: 'Worker', prompt: 'two', conversation: 'a' }),
        ask({ agent: 'Worker', prompt: 'three' }),
        ask({ agent: 'Critic', prompt: 'four', conversation: 'a' }),
      ],
      ({ question }) => textReply(`re ${question}`),
    );
    expect(outputs(first).map(({ content }) => content)).toEqual(
      ['one', 'two', 'three', 'four'].map((each) => `re ${each}`),
    );
    const said = (asked: Asked | undefined) => asked?.messages.map(({ content }) => content);
    const byQuestion = (question: string) =>
      server.requests.map(askedIn).find((asked) => asked.question === question);
    expect(said(byQuestion('two'))).toEqual(['worker', 'one', 're one', 'two']);
    expect(said(byQuestion('three'))).toEqual(['worker', 'three']);
    expect(said(byQuestion('four'))).toEqual(['critic', 'four']);
    const society = path.join(first.folder, 'x.chat.files/Boss.society');
    expect(readdirSync(path.join(society, 'Worker'))).toEqual([
      'a',
      expect.stringMatching(/^once-[\w-]+$/),
    ]);
    await server.close();
    await delegating(
      [ask({ agent: 'Worker', prompt: 'five', conversation: 'a' })],
      () => textReply('re five'),
      {
        folder: first.folder,
      },
    );
    expect(said(requestsOf('worker')[0])).toEqual([
      'worker',
      'one',
      're one',
      'two',
      're two',
      'five',
    ]);
  });

  test('without a file nothing is kept', async () => {
    server = await startFakeServer((request) => {
      const { system, outputs: seen } = askedIn(request);
      if (system === 'worker') return textReply('hi');
      return seen.length > 0
        ? textReply('done')
        : callsReply([ask({ agent: 'Worker', prompt: 'x' })]);
    });
    const result = await runCli(['agent', 'ask', 'Boss', 'Go.'], {
      files: {
        ...fakeHome(server.url),
        'Agent/Boss/start_chat': BOSS,
        'Agent/Worker/start_chat': 'system: worker\n',
      },
    });
    expect([result.code, readdirSync(result.folder).sort()]).toEqual([0, ['Agent', 'home']]);
  });

  test('a plain chat can socialize, and its society stands beside it', async () => {
    server = await startFakeServer((request) => {
      const { system, outputs: seen } = askedIn(request);
      if (system === 'worker') return textReply('hi');
      return seen.length > 0
        ? textReply('done')
        : callsReply([ask({ agent: 'Worker', prompt: 'x', conversation: 'a' })]);
    });
    const result = await runCli(['ask', 'x.chat'], {
      files: {
        ...fakeHome(server.url),
        'x.chat': 'socialize: true\n\nuser: Go.\n',
        'Agent/Worker/start_chat': 'system: worker\n',
      },
    });
    expect([result.code, result.stderr]).toEqual([0, expect.not.stringContaining('warning')]);
    expect(readdirSync(path.join(result.folder, 'x.chat.files'))).toEqual(['agent.society']);
  });
});

describe('inherit', () => {
  const files = {
    'workflows/Words.yaml': 'tasks:\n  count:\n    command: ["printf", "3"]\n',
    'Agent/Boss/start_chat': `${BOSS}\ntool: Words\n`,
    'x.chat': 'user: before\n\nassistant: said\n\nendpoint: default\n',
  };
  for (const [inherit, tools, messages] of [
    ['none', [], ['worker', 'do']],
    [undefined, ['count'], ['worker', 'do']],
    ['tools', ['count'], ['worker', 'do']],
    ['conversation', ['count'], ['worker', 'before', 'said', 'Go.', 'do']],
  ] as const)
    test(`${inherit ?? 'nothing said'}: gives ${tools.length} tools and ${messages.length} messages`, async () => {
      const result = await delegating(
        [ask({ agent: 'Worker', prompt: 'do', inherit })],
        () => textReply('ok'),
        { files },
      );
      expect(result.stderr).not.toContain('warning');
      const [asked] = requestsOf('worker');
      expect(asked?.tools).toEqual(tools);
      expect(asked?.messages.map(({ content }) => content)).toEqual(messages);
    });

  test('what only the caller was told does not travel', async () => {
    await delegating([ask({ agent: 'Worker', prompt: 'do' })], () => textReply('ok'), {
      done: '{}',
      args: ['--format', 'json', '-o', 'temperature=0.3', '-o', 'seed=4'],
      files: { 'Agent/Boss/start_chat': `${BOSS}\noption: top_p 0.5\n` },
    });
    const bodies = server.requests.map(({ json }) => [
      json.messages[0].content,
      json.response_format?.type,
      json.top_p,
      json.seed,
    ]);
    expect(bodies).toEqual([
      ['boss', 'json_object', 0.5, 4],
      ['worker', undefined, undefined, 4],
      ['boss', 'json_object', 0.5, 4],
    ]);
  });

  test('an agent that chooses a model keeps it, another one takes that of the command line', async () => {
    await delegating(
      [ask({ agent: 'Worker', prompt: 'do' }), ask({ agent: 'Critic', prompt: 'do' })],
      () => textReply('ok'),
      {
        args: ['-m', 'big'],
        files: { 'Agent/Critic/start_chat': 'system: critic\n\nmodel: small\n' },
      },
    );
    const models = server.requests.map(({ json }) => `${json.messages[0].content} ${json.model}`);
    expect([...new Set(models)].sort()).toEqual(['boss big', 'critic small', 'worker big']);
  });
});

describe('handing over', () => {
  const files = {
    'Agent/Boss/start_chat': 'system: boss\n\ndelegate: Worker Counts things\n',
    'Agent/Boss/workflow.yaml': 'delegate: {Critic: Reads drafts}\ntasks: {}\n',
  };
  test('is a tool for each agent that is named, and remembers until it begins anew', async () => {
    const to = (message: string, rest = {}): ToolUse => ({
      name: 'hand_off_to_Worker',
      args: { message, ...rest },
    });
    const result = await delegating(
      [to('one'), to('two'), to('three', { new_conversation: true })],
      ({ question }) => textReply(`re ${question}`),
      { files },
    );
    expect(result.stderr).not.toContain('warning');
    expect(requestsOf('boss')[0]?.tools).toEqual(['hand_off_to_Critic', 'hand_off_to_Worker']);
    expect(requestsOf('worker').map(({ messages }) => messages.length)).toEqual([2, 4, 2]);
    expect(readdirSync(path.join(result.folder, 'x.chat.files/Boss.society/Worker'))).toEqual([
      'hand-off-1',
      'hand-off-2',
    ]);
  });

  test('to an agent that is not there is told at its line, before anything is asked', async () => {
    const result = await delegating([], () => textReply('x'), {
      files: { 'Agent/Boss/start_chat': 'system: boss\n\ndelegate: Wroker Counts\n' },
    });
    expect([result.code, server.requests.length]).toEqual([3, 0]);
    expect(result.stderr).toMatch(
      /no agent "Wroker" \(Agent\/Boss\/start_chat:3\)\n.*did you mean "Worker"/,
    );
  });
});

describe('what goes wrong is told to the model, and the run goes on:', () => {
  const rows: readonly [string, Record<string, unknown>, RegExp][] = [
    [
      'an unknown agent',
      { agent: 'Wrker', prompt: 'x' },
      /no agent "Wrker"; did you mean "Worker"/,
    ],
    [
      'a name that leads elsewhere',
      { agent: '../Worker', prompt: 'x' },
      /"\.\.\/Worker" is no name of an agent/,
    ],
    [
      'a conversation with a slash',
      { agent: 'Worker', prompt: 'x', conversation: 'a/../../b' },
      /is no name of a conversation/,
    ],
    [
      'a name of what is handed over',
      { agent: 'Worker', prompt: 'x', conversation: 'hand-off-1' },
      /kept for what is handed over/,
    ],
    ['no prompt', { agent: 'Worker' }, /"prompt" must be a text/],
    [
      'another kind of inheritance',
      { agent: 'Worker', prompt: 'x', inherit: 'all' },
      /inherit is one of none, tools, conversation/,
    ],
    [
      'an agent whose start chat is broken',
      { agent: 'Broken', prompt: 'x' },
      /start chat cannot be used: unknown role "sytem"/,
    ],
    [
      'an agent whose provider refuses',
      { agent: 'Critic', prompt: 'x', conversation: 'c' },
      /400|refused|nonsense/,
    ],
  ];
  for (const [name, args, expected] of rows)
    test(name, async () => {
      const result = await delegating(
        [ask(args), ask({ agent: 'Worker', prompt: 'y' })],
        ({ system }) =>
          system === 'critic'
            ? { status: 400, body: { error: { message: 'nonsense' } } }
            : textReply('fine'),
        { files: { 'Agent/Broken/start_chat': 'sytem: x\n' } },
      );
      expect([result.code, result.stdout]).toEqual([0, 'done\n']);
      const [first, second] = outputs(result);
      expect(first?.exception).toMatch(expected);
      expect(second?.content).toBe('fine');
      expect(existsSync(path.join(result.folder, 'x.chat.files/Boss.society/Critic'))).toBe(false);
    });

  test('what a failed agent had done is kept and its cost is told', async () => {
    const result = await delegating(
      [ask({ agent: 'Worker', prompt: 'x', conversation: 'a' })],
      ({ outputs: seen }) =>
        seen.length === 0 ? callsReply([{ name: 'nothing', args: {} }]) : { status: 500 },
    );
    const [output] = outputs(result);
    expect(output?.exception).toBeDefined();
    expect(output?.meta).toMatchObject([{ pt: 7, ct: 2 }]);
    expect(
      chatOf(result, 'x.chat.files/Boss.society/Worker/a/agent.chat').map(({ role }) => role),
    ).toEqual(['system', 'user', 'meta', 'function_call', 'function_call_output']);
  });

  test('an agent that takes too long is stopped, and its cost is told', async () => {
    const result = await delegating(
      [ask({ agent: 'Worker', prompt: 'x', conversation: 'a' })],
      ({ outputs: seen }) =>
        seen.length === 0
          ? callsReply([{ name: 'nothing', args: {} }])
          : { body: [{ until: new Promise(() => {}) }] },
      { args: ['-o', 'tool_timeout=0.3'] },
    );
    expect(result.code).toBe(0);
    expect(outputs(result)[0]?.exception).toContain('tool_timeout');
    expect(outputs(result)[0]?.meta).toMatchObject([{ pt: 7, ct: 2 }]);
  });

  test('what an agent used is told also when it answered nothing, twice, and nothing of it is kept', async () => {
    const result = await delegating(
      [ask({ agent: 'Worker', prompt: 'x', conversation: 'a' })],
      () => textReply(''),
    );
    const [output] = outputs(result);
    expect(output?.exception).toContain('empty answer');
    expect(output?.meta).toMatchObject([
      { pt: 5, ct: 1, orphan: 'true' },
      { pt: 5, ct: 1, orphan: 'true' },
    ]);
    expect(new Set(output?.meta?.map(({ inference_id: id }) => id)).size).toBe(2);
    expect(result.read('x.chat.files/Boss.society/Worker/a/agent.chat')).toBeUndefined();
  });

  test('what an agent used is told also when it is stopped in the middle of its calls', async () => {
    const result = await delegating(
      [ask({ agent: 'Worker', prompt: 'x', conversation: 'a' })],
      ({ system }) =>
        system === 'worker'
          ? callsReply([ask({ agent: 'Critic', prompt: 'x' })])
          : { body: [{ until: new Promise(() => {}) }] },
      {
        args: ['-o', 'tool_timeout=0.3'],
        files: { 'Agent/Worker/start_chat': 'system: worker\n\nsocialize: true\n' },
      },
    );
    expect(outputs(result)[0]?.exception).toContain('tool_timeout');
    expect(outputs(result)[0]?.meta).toMatchObject([{ pt: 7, ct: 2 }]);
  });

  test('agents that ask each other stop at max_depth', async () => {
    const result = await delegating(
      [ask({ agent: 'Boss', prompt: 'again' })],
      () => textReply('x'),
      { args: ['-o', 'max_depth=2'] },
    );
    expect(result.code).toBe(0);
    expect(requestsOf('boss').length).toBe(6);
    const seen = requestsOf('boss').flatMap((asked) => asked.outputs);
    expect(seen.filter((text) => text.includes('at most 2 deep'))).toHaveLength(1);
  });

  test('a budget counts what others used', async () => {
    const result = await delegating(
      [ask({ agent: 'Worker', prompt: 'x' })],
      () => textReply('ok', { prompt_tokens: 900, completion_tokens: 90, total_tokens: 990 }),
      { args: ['--max-tokens', '900'] },
    );
    expect(result.code).toBe(5);
    expect(result.stderr).toContain('budget of 900 tokens is used up: 999 spent');
    expect(outputs(result)[0]?.content).toBe('ok');
  });

  test('a budget that a child uses up ends the child, and then the run', async () => {
    const result = await delegating(
      [ask({ agent: 'Worker', prompt: 'x', conversation: 'a' })],
      () =>
        callsReply([{ name: 'nothing', args: {} }], '', {
          prompt_tokens: 500,
          completion_tokens: 0,
          total_tokens: 500,
        }),
      { args: ['--max-tokens', '800'] },
    );
    expect(result.code).toBe(5);
    expect(outputs(result)[0]?.exception).toContain('budget of 800 tokens is used up');
    expect(outputs(result)[0]?.meta).toHaveLength(2);
  });
});

test('at most three run at a time, ASK_AGENTS says otherwise', async () => {
  for (const [env, expected] of [
    [{}, 3],
    [{ ASK_AGENTS: '1' }, 1],
  ] as const) {
    let running = 0;
    let most = 0;
    const calls = [1, 2, 3, 4].map((each) => ask({ agent: 'Worker', prompt: `n ${each}` }));
    await delegating(
      calls,
      ({ question }) => {
        running++;
        most = Math.max(most, running);
        // All that may run are there, however slow the machine; then one more has a moment to come, which must not.
        const done = vi
          .waitUntil(() => most >= expected, { timeout: 10_000 })
          .then(async () => {
            await new Promise((resolve) => setTimeout(resolve, 30));
            running--;
          });
        return { body: [{ until: done }, ...(textReply(question).body as string[])] };
      },
      { env },
    );
    expect(most).toBe(expected);
    await server.close();
  }
});

test('200 delegations write each chat once, and the answer of each stands in the file', async () => {
  const calls = Array.from({ length: 200 }, (_, index) =>
    ask({ agent: 'Worker', prompt: `n ${index}` }),
  );
  const result = await delegating(calls, ({ question }) => textReply(`re ${question}`));
  expect(result.code).toBe(0);
  expect(outputs(result).map(({ content }) => content)).toEqual(
    calls.map((_, index) => `re n ${index}`),
  );
  const folder = path.join(result.folder, 'x.chat.files/Boss.society/Worker');
  const texts = readdirSync(folder).map((name) =>
    readFileSync(path.join(folder, name, 'agent.chat'), 'utf8'),
  );
  expect(texts).toHaveLength(200);
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(1000);
});
