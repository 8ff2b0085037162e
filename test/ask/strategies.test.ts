// Context strategies on the way from a chat file to a request: the program's own, custom ones as code, and who may name them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { strategised } from '../../src/ask/strategies.ts';
import { print } from '../../src/chat/print.ts';
import type { Chat } from '../../src/types.ts';
import { conversation } from '../chat/strategies/recipe.ts';
import { callsReply, fakeHome, textReply } from '../helpers/agents.ts';
import { type FakeServer, startFakeServer } from '../helpers/fake-server.ts';
import { type Tree, temporaryFolder } from '../helpers/folder.ts';
import { runCli } from '../helpers/run.ts';

const QUESTION = 'user: what now?\n';
/** Keeps the first and the last message. */
const ENDS = 'export default (prompt: readonly unknown[]) => [prompt[0], prompt.at(-1)];\n';
const LONG = 'system: s\n\nuser: one\n\nassistant: two\n\nuser: three\n';

async function server(answers: Parameters<typeof startFakeServer>[0] = textReply('Yes.')) {
  const started = await startFakeServer(answers);
  onTestFinished(() => started.close());
  return started;
}

async function ask(
  files: Tree,
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly server?: FakeServer } = {},
) {
  const asked = options.server ?? (await server());
  const result = await runCli(['ask', ...args], {
    files: { ...fakeHome(asked.url), ...files },
    ...(options.env === undefined ? {} : { env: options.env }),
  });
  const prompts = asked.requests.map(({ json }) =>
    json.messages.map(({ content }: { content: string }) => content),
  );
  return { ...result, prompts };
}

describe('a custom strategy', () => {
  const named: readonly {
    readonly name: string;
    readonly files: Tree;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  }[] = [
    {
      name: 'by its path on the command line',
      files: { 'mine/ends.ts': ENDS },
      args: ['-o', 'prompt_strategies=./mine/ends.ts'],
    },
    {
      name: 'by its name on the command line, from the working directory',
      files: { 'strategies/ends.ts': ENDS },
      args: ['-o', 'prompt_strategies=shorten_tools,ends'],
    },
    {
      name: 'in the environment',
      files: { 'ends.mts': ENDS },
      env: { PROMPT_STRATEGIES: 'ends.mts,inbox' },
    },
    {
      name: 'in an endpoint file of the user, relative to it',
      files: {
        'home/.scout/etc/AI/short.yaml':
          'backend: openai\nurl: SERVER\nmodel: m\nprompt_strategies: [./ends.ts]\n',
        'home/.scout/etc/AI/ends.ts': ENDS,
      },
      args: ['-e', 'short'],
    },
    {
      name: 'in an endpoint file of this folder that the command line names',
      files: {
        'etc/AI/short.yaml':
          'backend: openai\nurl: SERVER\nmodel: m\nprompt_strategies: [./ends.ts]\n',
        'etc/AI/ends.ts': ENDS,
      },
      args: ['-e', 'short'],
    },
    {
      name: 'in the start chat of an agent, relative to it',
      files: {
        'home/.scout/Agent/Short/start_chat': 'option: prompt_strategies ./ends.ts\n',
        'home/.scout/Agent/Short/ends.ts': ENDS,
        'x.chat': `agent: Short\n\n${LONG}`,
      },
    },
    {
      name: 'in a chat, from the folder of the user',
      files: {
        'home/.scout/strategies/ends.js': ENDS.replace(': readonly unknown[]', ''),
        'x.chat': `sticky_option: prompt_strategies ends\n\n${LONG}`,
      },
    },
  ];

  test.each(named)('works when it is named $name', async ({ files, args = [], env = {} }) => {
    const asked = await server();
    const filled = Object.fromEntries(
      Object.entries({ 'x.chat': LONG, ...files }).map(([place, text]) => [
        place,
        String(text).replaceAll('SERVER', `${asked.url}/v1`),
      ]),
    );
    const { code, stderr, prompts } = await ask(filled, ['--no-cache', 'x.chat', ...args], {
      env,
      server: asked,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(prompts).toEqual([['s', 'three']]);
  });

  const refused: readonly {
    readonly name: string;
    readonly files: Tree;
    readonly args?: readonly string[];
    readonly told: string;
  }[] = [
    {
      name: 'a path in a chat',
      files: { 'x.chat': `option: prompt_strategies ./evil.ts\n\n${QUESTION}` },
      told: 'error: the strategy "./evil.ts" is code, and a chat may not name code that lies elsewhere than in your own folders (x.chat:1)',
    },
    {
      name: 'an absolute path in a chat',
      files: { 'x.chat': `option: prompt_strategies /tmp/evil.ts\n\n${QUESTION}` },
      told: 'error: the strategy "/tmp/evil.ts" is code',
    },
    {
      name: 'a way out of the folder of the user',
      files: {
        'x.chat': `option: prompt_strategies ../../../evil\n\n${QUESTION}`,
      },
      told: 'error: the strategy "../../../evil" is code',
    },
    {
      name: 'a name in a chat that is in a folder beside it',
      files: {
        'x.chat': `sticky_option: prompt_strategies evil\n\n${QUESTION}`,
        'strategies/evil.ts': '',
      },
      told: 'error: the strategy "evil" is code',
    },
    {
      name: 'a chat that is imported',
      files: {
        'x.chat': `import: other.chat\n\n${QUESTION}`,
        'other.chat': 'option: prompt_strategies ./evil.ts\n',
      },
      told: 'error: the strategy "./evil.ts" is code, and a chat may not name code that lies elsewhere than in your own folders (other.chat:1)',
    },
    {
      name: 'a config line of a chat',
      files: { 'x.chat': `config: prompt_strategies ./evil.ts\n\n${QUESTION}` },
      told: 'error: the strategy "./evil.ts" is code',
    },
    {
      name: 'an endpoint file of this folder that a chat names',
      files: {
        'x.chat': `endpoint: short\n\n${QUESTION}`,
        'etc/AI/short.yaml':
          'backend: openai\nurl: http://127.0.0.1:9/v1\nmodel: m\nprompt_strategies: [../../evil.ts]\n',
      },
      told: 'error: the strategy "../../evil.ts" is code, and an endpoint file of this folder that nobody named may not',
    },
    {
      name: "an endpoint file of this folder that stands in the place of the user's own",
      files: {
        'x.chat': QUESTION,
        'etc/AI/short.yaml':
          'backend: openai\nurl: http://127.0.0.1:9/v1\nmodel: m\nprompt_strategies: [../../evil.ts]\n',
        'home/.scout/etc/AI/short.yaml': 'backend: openai\nurl: http://127.0.0.1:9/v1\nmodel: m\n',
      },
      args: ['-e', 'short'],
      told: 'error: the strategy "../../evil.ts" is code, and an endpoint file of this folder that nobody named may not',
    },
  ];

  test.each(refused)('is not run from $name', async ({ files, args = [], told }) => {
    const evil = `import { writeFileSync } from 'node:fs';\nwriteFileSync('${join(temporaryFolder(), 'ran')}', '');\nthrow new Error('it ran');\n`;
    const all = Object.fromEntries(
      Object.entries({ 'evil.ts': evil, ...files }).map(([place, text]) => [
        place,
        place.endsWith('evil.ts') ? evil : text,
      ]),
    );
    const { code, stderr, prompts } = await ask(all, ['x.chat', ...args]);
    expect(stderr).toContain(told);
    expect(stderr).not.toContain('it ran');
    expect(stderr).toContain('next: give it with `-o prompt_strategies=');
    expect({ code, prompts }).toEqual({ code: 2, prompts: [] });
  });

  const broken = [
    {
      name: 'that is not there',
      code: '',
      file: 'other.ts',
      told: 'error: there is no strategy at "./mine.ts" (command line)',
    },
    {
      name: 'with an error in its text',
      code: 'export default (',
      told: 'error: cannot load the strategy "./mine.ts": ',
    },
    {
      name: 'that fails while it is loaded',
      code: 'const a = 1;\nthrow new Error("no luck");\nexport default () => a;',
      told: 'error: cannot load the strategy "./mine.ts": fails while it is loaded: Error: no luck (mine.ts:',
    },
    {
      name: 'without a function',
      code: 'export default { apply: 1 };',
      told: 'error: the strategy "./mine.ts" exports no function as default (mine.ts:1)',
    },
    {
      name: 'that fails when it is run',
      code: 'export default async () => {\n  throw new TypeError("odd");\n};',
      told: 'error: the strategy "./mine.ts" failed: TypeError: odd (mine.ts:',
    },
    {
      name: 'that gives nothing',
      code: 'export default () => undefined;',
      told: 'error: the strategy "./mine.ts" gave no prompt',
    },
    {
      name: 'that gives messages of a role that no model knows',
      code: 'export default (prompt) => [...prompt, { role: "note", content: "x" }];',
      told: 'error: the strategy "./mine.ts" gave no prompt',
    },
    {
      name: 'that changes what it got',
      code: 'export default (prompt) => { prompt[0].content = "other"; return prompt; };',
      told: 'error: the strategy "./mine.ts" failed: TypeError: ',
    },
  ];

  test.each(broken)('$name fails before any request', async ({ code, file = 'mine.ts', told }) => {
    const { stderr, prompts, ...result } = await ask({ [file]: code, 'x.chat': QUESTION }, [
      '-o',
      'prompt_strategies=./mine.ts',
      'x.chat',
    ]);
    expect(stderr).toContain(told);
    expect({ code: result.code, prompts }).toEqual({ code: 3, prompts: [] });
    expect(result.read('x.chat')).toBe(QUESTION);
  });

  test('cannot change the settings of the request that goes out', async () => {
    const asked = await server();
    const code =
      'export default (prompt, context) => { context.settings.temperature = 2; return prompt; };';
    const args = ['-o', 'prompt_strategies=./mine.ts', '-o', 'temperature=0', 'Well?'];
    expect((await ask({ 'mine.ts': code }, args, { server: asked })).code).toBe(0);
    expect(asked.requests[0]?.json).toMatchObject({ temperature: 0 });
  });

  test('a name that is nearly one is told', async () => {
    const { code, stderr } = await ask({}, ['-o', 'prompt_strategies=shorten_tool', 'Well?']);
    expect(code).toBe(3);
    expect(stderr).toContain('error: there is no strategy "shorten_tool" (command line)');
    expect(stderr).toContain('did you mean "shorten_tools"');
  });

  test('gets the settings of the run, may take its time, and may be in several files', async () => {
    const { prompts, code } = await ask(
      {
        'mine.ts': `import { tail } from './tail.ts';
import type { Strategy } from 'scout-chat';
const strategy: Strategy = async (prompt, { settings, backend, model }) => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return [...prompt, tail(\`\${backend} \${model} \${settings.epoch_size}\`)];
};
export default strategy;
`,
        'tail.ts': 'export const tail = (content: string) => ({ role: "user", content });\n',
      },
      ['--no-cache', '-o', 'prompt_strategies=./mine.ts', '-o', 'epoch_size=7', 'Well?'],
    );
    expect(code).toBe(0);
    expect(prompts).toEqual([['Well?', 'openai fake-mini 7']]);
  });

  test('that leaves half a pair loses the other half, with a warning', async () => {
    const { prompts, stderr } = await ask(
      {
        'mine.ts':
          'export default (prompt) => prompt.filter(({ content }) => !content.includes("lost"));\n',
        'x.chat': print([
          { role: 'user', content: 'one' },
          { role: 'function_call', content: '{"name":"a","arguments":{},"id":"1"}' },
          { role: 'function_call_output', content: '{"id":"1","content":"lost"}' },
          { role: 'function_call', content: '{"name":"a","arguments":{},"id":"2"}' },
          { role: 'function_call_output', content: '{"id":"2","content":"kept"}' },
          { role: 'user', content: 'two' },
        ]),
      },
      ['--no-cache', '-o', 'prompt_strategies=./mine.ts', 'x.chat'],
    );
    expect(prompts).toEqual([['one', null, 'kept', 'two']]);
    expect(stderr).toContain('warning: the strategy "./mine.ts" left calls without their outputs');
  });
});

describe('what a model sees of a long chat', () => {
  const chat = print([
    ...conversation(60, 'big').slice(0, -1),
    { role: 'user', content: 'And now?' },
  ]);

  test('is shortened by default, and the file keeps every byte', async () => {
    const asked = await server();
    const { code, read, prompts } = await ask({ 'x.chat': chat }, ['--no-cache', 'x.chat'], {
      server: asked,
    });
    expect(code).toBe(0);
    expect(read('x.chat')?.startsWith(chat)).toBe(true);
    const texts = prompts[0]?.filter((text: unknown) => typeof text === 'string') ?? [];
    expect(texts.filter((text: string) => text.includes('shortened from'))).toHaveLength(31);
    expect(texts.filter((text: string) => text.startsWith('[Not from the user'))).toEqual([
      expect.stringMatching(
        / 44 earlier tool messages are shortened in this prompt and 0 are left out/,
      ),
    ]);
    const { messages } = asked.requests[0]?.json ?? {};
    // The note stands where a message may stand: behind the first call and its output.
    expect(messages.slice(0, 5).map(({ role }: { role: string }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'user',
    ]);
  });

  const measures = [
    { name: 'an option', args: ['-o', 'epoch_threshold=200'], env: {} },
    { name: 'the environment', args: [], env: { EPOCH_THRESHOLD: '200' } },
    { name: 'the strategy `none`', args: ['-o', 'prompt_strategies=none'], env: {} },
  ];
  test.each(measures)('is whole by $name', async ({ args, env }) => {
    const { prompts } = await ask({ 'x.chat': chat }, ['--no-cache', 'x.chat', ...args], { env });
    expect(JSON.stringify(prompts)).not.toContain('shortened from');
  });

  test('is what `compile --wire` and `compile --prompt` show', async () => {
    const asked = await server();
    const folder = temporaryFolder({
      ...fakeHome(asked.url),
      'x.chat': chat,
      'x.chat.files/inbox/a': 'x',
    });
    const wire = await runCli(['compile', '--wire', 'x.chat'], { folder });
    const shown = await runCli(['compile', '--prompt', '--json', 'x.chat'], { folder });
    await runCli(['compile', '--prompt', 'x.chat', '-o', 'prompt_strategies=none'], { folder });
    expect(asked.requests).toEqual([]);
    await runCli(
      ['ask', '--no-cache', '-o', 'prompt_strategies=shorten_tools_epoch_increment', 'x.chat'],
      { folder },
    );
    expect(JSON.parse(wire.stdout).messages).toEqual(asked.requests[0]?.json.messages);
    const notes = JSON.parse(shown.stdout).filter(({ content }: { content: string }) =>
      content.startsWith('[Not from'),
    );
    expect(notes).toHaveLength(1);
    expect(shown.read('x.chat.files/inbox/a')).toBe('x');
  });

  test('makes another answer for the cache only where it differs', async () => {
    const asked = await server((_, index) => textReply(`Answer ${index}.`));
    const folder = temporaryFolder(fakeHome(asked.url));
    const answer = async (text: string, ...args: string[]) => {
      writeFileSync(join(folder, 'x.chat'), text);
      return (await runCli(['ask', '-q', 'x.chat', ...args], { folder })).stdout.trim();
    };
    const none = ['-o', 'prompt_strategies=none'];
    expect(await answer(chat)).toBe('Answer 0.');
    expect(await answer(chat)).toBe('Answer 0.');
    expect(await answer(chat, ...none)).toBe('Answer 1.');
    expect(await answer(chat, '-o', 'epoch_threshold=200')).toBe('Answer 1.');
    expect(await answer(chat, '-o', 'epoch_full=5')).toBe('Answer 2.');
    expect(await answer(QUESTION)).toBe('Answer 3.');
    expect(await answer(QUESTION, ...none)).toBe('Answer 3.');
  });
});

test('the turn in progress begins at its question, wherever the strategies put that', async () => {
  const prompt = [...conversation(60, 'plain'), { role: 'user', content: 'last' }];
  const note = { role: 'user', content: 'a note' };
  const cases: readonly (readonly [name: string, made: (chat: Chat) => Chat, at: number])[] = [
    ['nothing changes', (chat) => chat, prompt.length - 1],
    ['a note stands before it', (chat) => [note, ...chat], prompt.length],
    ['a note stands behind it', (chat) => [...chat, note], prompt.length - 1],
    ['all before it is gone', (chat) => chat.slice(-1), 0],
    ['it is another object', (chat) => chat.slice(-5).map((each) => ({ ...each })), 4],
  ];
  for (const [name, made, at] of cases) {
    const strategies = {
      names: [],
      code: [],
      inbox: false,
      apply: async (chat: Chat) => made(chat),
    };
    const result = await strategised({ prompt, strategies });
    expect([name, result.turnStart]).toEqual([name, at]);
  }
});

test('tools and messages keep their order: each request begins with the one before, in one run and in the next process', async () => {
  const call = (index: number) =>
    callsReply(
      [
        { name: 'greet', args: { name: `Ada ${index}` }, id: `c${index}` },
        { name: 'part', args: { text: 'x'.repeat(20), n: index }, id: `d${index}` },
        { name: 'shout', args: {}, id: `e${index}` },
      ],
      index % 2 === 0 ? '' : `\n\nRound ${index}. \r\nGo on.\n`,
    );
  const asked = await server((_, index) =>
    index % 4 === 3 ? textReply(`Answer ${index}.`) : call(index),
  );
  const folder = temporaryFolder({
    ...fakeHome(asked.url),
    'workflows/Say.yaml':
      'tasks:\n  greet:\n    inputs: {name: {type: string, required: true}}\n    command: ["printf", "Hello {{name}}"]\n  shout:\n    command: "true"\n',
    'workflows/Other.yaml':
      'tasks:\n  part:\n    inputs: {n: {type: integer}, text: {type: string}}\n    command: ["printf", "%0300d", "{{n}}"]\n',
    'x.chat': 'system: s\n\ntool: Say\n\ntool: Other\n\nuser: begin\n',
  });
  for (const question of [[], ['go on'], ['and more']])
    expect(
      (await runCli(['ask', '--no-cache', '-q', 'x.chat', ...question], { folder })).code,
    ).toBe(0);
  expect(asked.requests).toHaveLength(12);
  for (const [index, { json }] of asked.requests.entries()) {
    const before = asked.requests[index - 1]?.json;
    if (before === undefined) continue;
    expect(json.tools).toEqual(before.tools);
    expect(JSON.stringify(json.messages.slice(0, before.messages.length))).toBe(
      JSON.stringify(before.messages),
    );
    expect(json.messages.length).toBeGreaterThan(before.messages.length);
  }
  expect(
    asked.requests[0]?.json.tools.map((tool: { function: { name: string } }) => tool.function.name),
  ).toEqual(['greet', 'shout', 'part']);
});

test('-v tells for each request how much of the prompt was read from the cache and written to it', async () => {
  const usage = (prompt: number, cached: number, written: number) => ({
    prompt_tokens: prompt,
    completion_tokens: 3,
    total_tokens: prompt + 3,
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
  });
  const asked = await server((_, index) =>
    index === 0
      ? callsReply([{ name: 'greet', args: {} }], '', usage(1200, 0, 1100))
      : textReply('Done.', usage(1300, 1100, 150)),
  );
  const { stderr } = await ask(
    {
      'workflows/Say.yaml': 'tasks:\n  greet:\n    command: ["printf", "Hello"]\n',
      'x.chat': 'tool: Say\n\nuser: greet\n',
    },
    ['--no-cache', '-v', 'x.chat'],
    { server: asked },
  );
  const lines = stderr.split('\n').filter((line) => line.startsWith('tokens: '));
  expect(lines.map((line) => line.replace(/, in .*/, ''))).toEqual([
    'tokens: 1,200 prompt (0 cached, 1,100 written), 3 completion',
    'tokens: 1,300 prompt (1,100 cached, 150 written), 3 completion',
  ]);
});
