// The worked example of fixtures/agents with a scripted model: three levels deep, killed, begun again, and accounted for to the last token.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import {
  type Asked,
  askedIn,
  callsReply,
  outputsOf,
  type ToolUse,
  usageOf,
} from '../helpers/agents.ts';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import { packageFolder } from '../helpers/built.ts';
import type { RecordedRequest, Script } from '../helpers/fake-server.ts';
import { openaiStream } from '../helpers/openai-replies.ts';

let home: AskHome | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

/** What the server gave out: tokens of each whole reply. */
let served: number[] = [];

const ask = (args: Record<string, unknown>): ToolUse => ({ name: 'ask', args });

const FIRST: readonly ToolUse[] = [
  ask({
    agent: 'Researcher',
    prompt: 'Why do some proteins need help to fold?',
    conversation: 'folding',
  }),
  ask({ agent: 'Critic', prompt: 'Is this a good plan?', conversation: 'style' }),
  ask({ agent: 'Critic', prompt: 'Is one source enough?' }),
  ask({ agent: 'Critic', prompt: 'FAIL', conversation: 'broken' }),
];

const who = ({ system }: Asked): string =>
  /You plan|You look things up|Critic/.exec(system)?.[0] ?? '';

function decide(asked: Asked): { calls?: readonly ToolUse[]; text?: string } {
  const { outputs, question } = asked;
  switch (who(asked)) {
    case 'You plan':
      if (outputs.length > 0) return { text: `Answer to ${question}` };
      if (question.startsWith('Why')) return { calls: FIRST };
      return {
        calls: [
          ask({
            agent: 'Researcher',
            prompt: 'And since when is that known?',
            conversation: 'folding',
          }),
        ],
      };
    case 'You look things up':
      if (question.startsWith('And')) return { text: 'Since the 1980s.' };
      if (outputs.length === 0)
        return {
          calls: [{ name: 'search', args: { query: 'chaperones unfolded chains sticking' } }],
        };
      if (outputs.length === 1)
        return {
          calls: [{ name: 'hand_off_to_Critic', args: { message: 'A draft on chaperones.' } }],
        };
      return { text: 'Chaperones keep chains from sticking together (chaperones.txt).' };
    default:
      return { text: `Critique of: ${question}` };
  }
}

/** Each whole reply has its own count of tokens. */
function reply(request: RecordedRequest): Script {
  const asked = askedIn(request);
  if (asked.question === 'FAIL') return { status: 400, body: { error: { message: 'not today' } } };
  const usage = usageOf(100 + served.length, 10 + served.length);
  served.push(usage.total_tokens);
  const { calls, text = '' } = decide(asked);
  return calls === undefined
    ? openaiStream(text, { usage: { ...usage } })
    : callsReply(calls, '', usage);
}

async function example(
  answer: (request: RecordedRequest, index: number) => Script = reply,
): Promise<AskHome> {
  served = [];
  home = await askHome(answer);
  cpSync(path.join(packageFolder, 'fixtures/agents'), home.folder, { recursive: true });
  return home;
}

const chatAt = (file: string) => parse(readFileSync(file, 'utf8'));
const total = () => served.reduce((sum, each) => sum + each, 0);

async function run(args: readonly string[]) {
  const started = home?.start(args);
  const ended = await started?.ended;
  return { code: ended?.code, stdout: started?.stdout() ?? '', stderr: started?.stderr() ?? '' };
}

async function prov() {
  const { stdout, stderr } = await run(['prov', 'plan.chat', '--json']);
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`${stdout}\n${stderr}`);
  }
}

test('the example runs three levels deep, goes on, and its provenance has each request once, with and without its logs', async () => {
  const { folder, file } = await example();
  const first = await run([
    'agent',
    'ask',
    'Manager',
    '-c',
    'plan.chat',
    'Why do some proteins need help to fold?',
  ]);
  expect([first.code, first.stdout]).toEqual([
    0,
    'Answer to Why do some proteins need help to fold?\n',
  ]);
  const society = file('plan.chat.files/Manager.society');
  expect(readdirSync(society).sort()).toEqual(['Critic', 'Researcher']);
  expect(readdirSync(path.join(society, 'Critic')).sort()).toEqual([
    expect.stringMatching(/^once-/),
    'style',
  ]);
  const researcher = path.join(society, 'Researcher/folding');
  expect(existsSync(path.join(researcher, 'society/Critic/hand-off-1/agent.chat'))).toBe(true);
  const [search] = outputsOf(chatAt(path.join(researcher, 'agent.chat')));
  expect(JSON.parse(search?.content ?? '')[0]).toMatchObject({
    file: 'chaperones.txt',
    passage: 1,
  });
  const outputs = outputsOf(chatAt(file('plan.chat')));
  expect(outputs.map(({ exception }) => exception !== undefined)).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect(outputs[3]?.exception).toContain('not today');

  const second = await run(['agent', 'ask', 'Manager', '-c', 'plan.chat', 'Since when?']);
  expect(second.code).toBe(0);
  const folding = chatAt(path.join(researcher, 'agent.chat'));
  expect(folding.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
    'Why do some proteins need help to fold?',
    'And since when is that known?',
  ]);

  // What was there before is gone on with, so nothing had to be kept aside.
  expect(readdirSync(file('plan.chat.files')).sort()).toEqual(['Manager.chat', 'Manager.society']);

  const whole = await prov();
  expect(whole.events).toHaveLength(served.length);
  expect(whole.totals.deduplicated_total.tt).toBe(total());
  expect(whole.totals.chat_evidence.tt).toBe(total());
  expect(whole.totals.receipt_only.tt ?? 0).toBe(0);
  expect(whole.warnings).toEqual([]);

  rmSync(path.join(folder, 'plan.chat.files'), { recursive: true });
  const bare = await prov();
  const own = chatAt(file('plan.chat')).filter(({ role }) => role === 'meta').length;
  expect(bare.events).toHaveLength(served.length);
  expect(bare.totals.deduplicated_total.tt).toBe(total());
  expect(bare.totals.receipt_only.tt).toBe(bare.totals.receipt_evidence.tt);
  expect(bare.totals.receipt_only.tt).toBe(total() - bare.totals.chat_evidence.tt);
  const fromReceipts = bare.events.filter(({ evidence }: { evidence: { origin: string }[] }) =>
    evidence.every(({ origin }) => origin === 'agent_meta'),
  );
  expect(fromReceipts).toHaveLength(served.length - own);
});

describe('a run that is killed leaves the last complete round of every agent, and goes on from there:', () => {
  // Requests of a first run: Manager, then Researcher and Critics side by side, …, Manager's answer.
  const stops: readonly [string, (asked: Asked) => boolean][] = [
    ['before anything came', (asked) => who(asked) === 'You plan' && asked.outputs.length === 0],
    [
      'while the researcher searches',
      (asked) => who(asked) === 'You look things up' && asked.outputs.length === 1,
    ],
    ['in the third level', (asked) => asked.question === 'A draft on chaperones.'],
    [
      'while the researcher answers',
      (asked) => who(asked) === 'You look things up' && asked.outputs.length === 2,
    ],
    ['before the last answer', (asked) => who(asked) === 'You plan' && asked.outputs.length > 0],
  ];
  for (const [name, isStop] of stops)
    test(name, async () => {
      let arrived = () => {};
      const stopped = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      let killed = false;
      const { server, file } = await example((request) => {
        if (killed || !isStop(askedIn(request))) return reply(request);
        arrived();
        return { body: [{ until: new Promise(() => {}) }] };
      });
      const question = 'Why do some proteins need help to fold?';
      const started = home?.start(['agent', 'ask', 'Manager', '-c', 'plan.chat', question]);
      await stopped;
      // What runs side by side with it comes to its end.
      const style = file('plan.chat.files/Manager.society/Critic/style/agent.chat');
      while (name !== 'before anything came' && !existsSync(style))
        await new Promise((resolve) => setTimeout(resolve, 20));
      started?.child.kill('SIGKILL');
      await started?.ended;
      killed = true;
      const kept = existsSync(file('plan.chat')) ? chatAt(file('plan.chat')) : [];
      expect(kept.map(({ role }) => role)).toEqual(
        name === 'before the last answer'
          ? ['user', 'meta', ...FIRST.flatMap(() => ['function_call', 'function_call_output'])]
          : [],
      );
      const researcher = file('plan.chat.files/Manager.society/Researcher/folding/agent.chat');
      const rounds = existsSync(researcher)
        ? chatAt(researcher).filter(({ role }) => role === 'meta').length
        : 0;
      expect(rounds).toBe(
        {
          'before anything came': 0,
          'while the researcher searches': 1,
          'in the third level': 1,
          'while the researcher answers': 2,
        }[name] ?? 3,
      );
      if (name !== 'before anything came')
        expect(
          chatAt(file('plan.chat.files/Manager.society/Critic/style/agent.chat')).at(-1)?.role,
        ).toBe('assistant');
      const again = await run([
        'agent',
        'ask',
        'Manager',
        '-c',
        'plan.chat',
        ...(kept.length > 0 ? [] : [question]),
      ]);
      expect([again.code, again.stdout]).toEqual([0, `Answer to ${question}\n`]);
      expect(server.requests.length).toBeGreaterThan(served.length);
      const { totals, events } = await prov();
      // The reply that was never given cost nothing; one whose round never became complete left no trace.
      expect(totals.deduplicated_total.tt).toBeLessThanOrEqual(total());
      expect(events.length).toBeLessThanOrEqual(served.length);
    });
});

test('a program of somebody else asks an agent through the library', async () => {
  const { folder } = await example();
  const { writeFileSync } = await import('node:fs');
  writeFileSync(
    path.join(folder, 'program.mjs'),
    `import { Agent, chat, loadAgent } from ${JSON.stringify(path.join(packageFolder, 'dist/index.js'))};
const agent = await loadAgent('Critic', { saveFile: 'c.chat' });
console.log(await agent.user('system: x').chat());
console.log(agent instanceof Agent, await chat('Hello?'), (await agent.save()).length);
`,
  );
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: path.join(folder, 'home') },
  });
  expect(stdout).toBe('Critique of: system: x\ntrue Critique of: Hello? 1\n');
});
