// Agents in workflows: a task that answers a conversation, what its job keeps, and what happens when a model fails in it.

import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parseMeta } from '../../src/chat/meta.ts';
import { parse } from '../../src/chat/parse.ts';
import { askedIn, callsReply, fakeHome, outputsOf, textReply } from '../helpers/agents.ts';
import { type Answers, type FakeServer, startFakeServer } from '../helpers/fake-server.ts';
import { type RunResult, runCli } from '../helpers/run.ts';

let server: FakeServer;
afterEach(() => server?.close());

const flow = (
  run: string,
  rest = '',
) => `import { chatTask, defineWorkflow, input } from 'scout-chat';
export default defineWorkflow({
  tasks: {
    ask: chatTask({ ${rest} run: async (job) => { ${run} } }),
    notes: { result: 'text', run: () => 'the notes' },
    show: chatTask({ inputs: { word: input.text().default('x') }, run: ({ inputs, chat, options }) => JSON.stringify([inputs.word, chat.length, options]) }),
  },
});
`;

async function ask(
  run: string,
  answers: Answers,
  args: readonly string[] = ['-c', 'x.chat', 'Go.'],
  rest = '',
): Promise<RunResult> {
  server = await startFakeServer(answers);
  return runCli(['agent', 'ask', 'Flow', ...args], {
    files: {
      ...fakeHome(server.url),
      'var/jobs/': '',
      'Agent/Flow/start_chat': 'system: flow\n\ntool: Flow notes\n',
      'Agent/Flow/workflow.ts': flow(run, rest),
      'Agent/Worker/start_chat': 'system: worker\n',
    },
  });
}

const echo: Answers = (request) => textReply(`re ${askedIn(request).question}`);
const chatOf = (result: RunResult, file = 'x.chat') => parse(result.read(file) ?? '');
const jobOf = (result: RunResult) =>
  String(
    chatOf(result)
      .map(({ content }) => parseMeta(content).job)
      .find((job) => job !== undefined),
  );

describe('the task `ask` of an agent', () => {
  test('that asks its agent the same again and again is told, and does not wait for itself for ever', async () => {
    server = await startFakeServer(echo);
    const result = await runCli(['agent', 'ask', 'Flow', '-c', 'x.chat', 'Go.'], {
      files: {
        ...fakeHome(server.url),
        'Agent/Flow/start_chat': 'system: flow\n',
        'Agent/Flow/workflow.ts': flow("return job.agent('Flow').user('again');"),
      },
    });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('Flow/ask asks for its own result');
    expect(server.requests).toEqual([]);
  });

  test('answers with the new messages of its agent, behind one mark of the job', async () => {
    const result = await ask('return job.agent();', echo);
    expect([result.code, result.stdout]).toEqual([0, 're Go.\n']);
    const chat = chatOf(result);
    expect(chat.map(({ role }) => role)).toEqual(['user', 'meta', 'meta', 'assistant']);
    const job = jobOf(result);
    expect(job).toContain('/var/jobs/Flow/ask/Default_');
    const inJob = path.relative(result.folder, job);
    expect(parse(result.read(inJob) ?? '')).toMatchObject(
      chat.slice(1).map(({ role, content }) => ({ role, content })),
    );
    expect(parse(result.read(`${inJob}.files/agent.chat`) ?? '').map(({ role }) => role)).toEqual([
      'system',
      'tool',
      'user',
      'meta',
      'assistant',
    ]);
    expect(askedIn(server.requests[0] ?? (undefined as never))).toMatchObject({
      system: 'flow',
      tools: ['notes'],
    });
  });

  for (const [name, run, expected] of [
    [
      'another agent has',
      `const worker = job.agent('Worker'); worker.user('Go.'); return worker;`,
      ['pairs'],
    ],
    [
      'an agent without tooling does not have',
      `const worker = job.agent('Worker', { tooling: false }); worker.user('Go.'); return worker;`,
      [],
    ],
    ['nor one that goes on with the chat', `return job.agent(undefined, { tooling: false });`, []],
  ] as const)
    test(`declares a table, which ${name}`, async () => {
      server = await startFakeServer(echo);
      const result = await runCli(['agent', 'ask', 'Flow', '-c', 'x.chat', 'Go.'], {
        files: {
          ...fakeHome(server.url),
          'var/jobs/': '',
          'pairs.tsv': '#A\tB\nx\ty\n',
          'Agent/Flow/start_chat': 'association: pairs pairs.tsv\n',
          'Agent/Flow/workflow.ts': flow(run),
          'Agent/Worker/start_chat': 'system: worker\n',
        },
      });
      expect([result.code, result.stdout]).toEqual([0, 're Go.\n']);
      expect(askedIn(server.requests[0] ?? (undefined as never)).tools).toEqual(expected);
    });

  test('is a pipeline of agents, each kept among the artifacts of the job', async () => {
    const result = await ask(
      "const draft = await job.agent('Worker').user('draft').chat(); const critic = job.agent('Worker'); critic.user('better: ' + draft); return critic;",
      echo,
    );
    expect(result.stdout).toBe('re better: re draft\n');
    const files = `${jobOf(result)}.files`;
    expect(readdirSync(files).filter((name) => name.endsWith('.chat'))).toEqual([
      'Worker-2.chat',
      'Worker.chat',
    ]);
    expect(server.requests.map((request) => askedIn(request).tools)).toEqual([
      ['notes'],
      ['notes'],
    ]);
  });

  test('the same question is the same job, with the same cost, counted once', async () => {
    const first = await ask('return job.agent();', echo, ['Go.']);
    const again = await runCli(['agent', 'ask', 'Flow', 'Go.', '--json'], { folder: first.folder });
    expect([first.stdout, JSON.parse(again.stdout).answer, server.requests.length]).toEqual([
      're Go.\n',
      're Go.',
      1,
    ]);
  });

  test('messages and text are results too', async () => {
    const text = await ask("return 'plain: user: x';", echo);
    expect(chatOf(text).slice(1)).toMatchObject([
      { role: 'meta' },
      { role: 'assistant', content: 'plain: user: x' },
    ]);
    await server.close();
    const list = await ask("return [{ role: 'assistant', content: 'tool: x' }];", echo);
    expect([list.stdout, server.requests.length]).toEqual(['tool: x\n', 0]);
    await server.close();
    const wrong = await ask('return 7 as never;', echo);
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringContaining('a chat task returns an agent, messages or text'),
    ]);
  });

  test('options of the chat and of the command line reach its agents, a key does not reach the job', async () => {
    const result = await ask(
      "return job.agent('Worker').user(JSON.stringify(job.options));",
      echo,
      ['-c', 'x.chat', 'Go.', '-m', 'big', '-o', 'seed=3', '-o', 'key=sesame'],
    );
    expect(server.requests[0]?.json.model).toBe('big');
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sesame');
    expect(result.stdout).toContain('"seed":"3"');
    const inJob = path.relative(result.folder, jobOf(result));
    expect(`${result.read(`${inJob}.info`)}${result.read(inJob)}`).not.toContain('sesame');
  });

  test('dependencies and the folder are told to an agent that asks for it', async () => {
    const result = await ask(
      "return job.agent('Worker', { files: true }).user(await job.dep<string>('notes'));",
      echo,
      undefined,
      "deps: ['notes'],",
    );
    expect(result.stdout).toBe('re the notes\n');
    expect(server.requests[0]?.json.messages[1].content).toMatch(
      /go into .*\.files\n[\s\S]*- notes: .*\/notes\/Default/,
    );
  });

  test('is no tool of its model, and another agent gets its answer with the job as receipt', async () => {
    server = await startFakeServer((request) => {
      const { system, outputs, question } = askedIn(request);
      if (system !== 'boss') return textReply(`re ${question}`);
      return outputs.length > 0
        ? textReply('done')
        : callsReply([{ name: 'ask', args: { agent: 'Flow', prompt: 'sub', conversation: 'a' } }]);
    });
    const result = await runCli(['agent', 'ask', 'Boss', '-c', 'x.chat', 'Go.'], {
      files: {
        ...fakeHome(server.url),
        'var/jobs/': '',
        'Agent/Boss/start_chat': 'system: boss\n\nsocialize: true\n',
        'Agent/Flow/start_chat': 'system: flow\n',
        'Agent/Flow/workflow.ts': flow('return job.agent();'),
      },
    });
    expect(result.stdout).toBe('done\n');
    const [output] = outputsOf(chatOf(result));
    expect(output?.content).toBe('re sub');
    expect(output?.meta).toMatchObject([
      { job: expect.stringContaining('/Flow/ask/') },
      { pt: 5, ct: 1 },
    ]);
    const prov = await runCli(['prov', 'x.chat', '--json'], { folder: result.folder });
    expect(JSON.parse(prov.stdout).events).toHaveLength(3);
  });
});

describe('a failure', () => {
  test('of a model is said in the chat of the agent; the job can be asked again, and what it had cost is known', async () => {
    const answers = [
      callsReply([{ name: 'nothing', args: {} }]),
      { status: 400, body: { error: { message: 'nonsense' } } },
      textReply('at last'),
    ];
    const result = await ask('return job.agent();', answers);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('nonsense');
    const chat = chatOf(result);
    expect(chat.map(({ role }) => role)).toEqual(['user', 'meta', 'skip']);
    const inJob = path.relative(result.folder, jobOf(result));
    expect(
      JSON.parse(
        JSON.stringify(parse(result.read(`${inJob}.files/agent.chat`) ?? '').at(-1)?.content),
      ),
    ).toContain('exception');
    expect(result.read(`${inJob}.info`)).toContain('recoverable');
    const again = await runCli(['agent', 'ask', 'Flow', '-c', 'x.chat'], { folder: result.folder });
    expect([again.code, again.stdout]).toEqual([0, 'at last\n']);
    const prov = await runCli(['prov', 'x.chat', '--json'], { folder: result.folder });
    expect(JSON.parse(prov.stdout).totals.deduplicated_total.tt).toBeGreaterThan(0);
  });

  test('of the task itself stays the answer of the job', async () => {
    const result = await ask("throw new Error('my fault');", echo);
    const again = await runCli(['agent', 'ask', 'Flow', '-c', 'x.chat'], { folder: result.folder });
    expect([result.code, again.code]).toEqual([1, 1]);
    expect(again.stderr).toContain('my fault');
  });

  test('an agent that asks itself in its own task is stopped', async () => {
    const result = await ask(
      "return job.agent('Flow').user('again ' + job.chat.length + job.path.length + Math.random());",
      echo,
      ['Go.'],
    );
    expect([result.code, server.requests.length]).toEqual([1, 0]);
    expect(result.stderr).toContain('more than 8 deep');
  });
});

test('other tasks answer chats from the command line too', async () => {
  const result = await ask("return 'x';", echo, ['-d', 'Go.']);
  const shown = await runCli(
    ['task', 'run', 'Agent/Flow', 'show', '--chat', 'model: m\n\nuser: hi', '--word', 'w'],
    { folder: result.folder },
  );
  expect(shown.stdout).toContain('["w",2,{"model":"m"}]');
});
