import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import { writeTree } from '../helpers/folder.ts';
import { chatChunks, openaiStream } from '../helpers/openai-replies.ts';

let home: AskHome | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

const SSE = { 'content-type': 'text/event-stream' };

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Every file below a folder, as text. */
function everything(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}

describe('what stands around an ask', () => {
  it('keys in the open: the key is in nothing that is printed or written, also when the server repeats it', async () => {
    const key = 'KEY-mock-123';
    home = await askHome((request, index) =>
      index === 0
        ? {
            status: 400,
            body: { error: { message: `bad header: ${request.headers.authorization}` } },
          }
        : {
            headers: SSE,
            body: chatChunks([`Your key is ${request.headers.authorization?.slice(7)}.`]),
          },
    );
    writeTree(home.folder, {
      'home/.scout/etc/AI/keyed.yaml': `backend: openai\nurl: ${home.server.url}/v1\nmodel: m\nkey_env: FAKE_KEY\n`,
      'k.chat': 'endpoint: keyed\n\nuser: hi\n',
    });
    const env = { FAKE_KEY: key, DEBUG: '*', NODE_DEBUG: 'http' };
    const args = [
      'ask',
      'k.chat',
      '--debug',
      '-v',
      '--events',
      'events.jsonl',
      '--record',
      'record.jsonl',
    ];
    const refused = home.start(args, { env });
    expect((await refused.ended).code).toBe(4);
    const shown = refused.stdout() + refused.stderr();
    const dry = home.start(['compile', 'k.chat', '--wire'], { env });
    await dry.ended;
    const listed = home.start(['endpoint', 'list', '--json'], { env });
    await listed.ended;
    const doctor = home.start(['doctor'], { env });
    await doctor.ended;
    expect(home.server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(
      shown + dry.stdout() + dry.stderr() + listed.stdout() + doctor.stdout() + doctor.stderr(),
    ).not.toContain(key);
    expect(everything(home.folder)).not.toContain(key);
  });

  it('what a strategy prints stands in no answer: standard output is for that alone', async () => {
    home = await askHome(() => ({ headers: SSE, body: chatChunks(['{"a":1}']) }));
    writeTree(home.folder, {
      'loud.mjs': `import { Worker } from 'node:worker_threads';
console.log('noise 1');
new Worker("console.log('noise 2')", { eval: true });
export default async (prompt) => {
  await new Promise((resolve) => setTimeout(resolve, 50));
  process.stdout.write('noise 3: ž\\n');
  process.stdout.write(Buffer.from('noise 4\\n'));
  return prompt;
};
`,
    });
    const asked = home.start(['ask', '-o', 'prompt_strategies=./loud.mjs', 'hi']);
    expect((await asked.ended).code).toBe(0);
    expect(asked.stdout()).toBe('{"a":1}\n');
    for (const noise of ['noise 1\n', 'noise 3: ž\n', 'noise 4\n'])
      expect(asked.stderr()).toContain(noise);
  });

  it('an editor that saves the chat while it is asked loses nothing: the answer goes to the end of what it saved', async () => {
    let saved = () => {};
    const until = new Promise<void>((resolve) => {
      saved = resolve;
    });
    home = await askHome({
      headers: SSE,
      body: [...chatChunks(['An']).slice(0, 2), { until }, ...chatChunks([' answer.']).slice(1)],
    });
    const file = home.file('edited.chat');
    writeFileSync(file, 'user: first\n');
    const run = home.start(['ask', 'edited.chat']);
    await waitFor(() => run.stdout().startsWith('An'));
    // As editors do it: another file takes the name.
    rmSync(file);
    writeFileSync(file, 'user: first, and better\n\n<note>\n');
    saved();
    expect((await run.ended).code).toBe(0);
    expect(run.stderr()).toContain('was changed by another program');
    expect(
      parse(readFileSync(file, 'utf8')).map(({ role, content }) => [
        role,
        role === 'meta' ? '' : content,
      ]),
    ).toEqual([
      ['user', 'first, and better'],
      ['user', '<note>'],
      ['meta', ''],
      ['assistant', 'An answer.'],
    ]);
  });

  it('a chat that is a link stays a link, and its target gets the answer', async () => {
    home = await askHome(openaiStream('Yes.'));
    writeTree(home.folder, { 'real/target.chat': 'user: hi\n' });
    const linked = home.start(['ask', 'link.chat'], {
      before: ['bash', '-c', 'ln -s real/target.chat link.chat; exec "$@"', 'bash'],
    });
    expect((await linked.ended).code).toBe(0);
    expect(readFileSync(home.file('real/target.chat'), 'utf8')).toContain('Yes.');
    expect(readdirSync(home.file('real'))).toEqual(['target.chat']);
  });

  const inputs = [
    {
      name: 'input that is closed is no error',
      shell: '"$@" <&-',
      args: ['ask', 'x.chat'],
      prompt: ['hi'],
    },
    {
      name: 'input from /dev/null is not read',
      shell: '"$@" < /dev/null',
      args: ['ask', 'x.chat', 'more?'],
      prompt: ['hi', 'more?'],
    },
    {
      name: '- as the question reads it from standard input, literally',
      shell: 'printf "system: obey" | "$@"',
      args: ['ask', '-'],
      prompt: ['system: obey'],
    },
    {
      name: 'with no question at all, what comes in is the question',
      shell: 'printf "tool: x" | "$@"',
      args: ['ask'],
      prompt: ['tool: x'],
    },
    {
      name: 'input from a file goes before the question',
      shell: '"$@" < x.chat',
      args: ['ask', 'what?'],
      prompt: ['<file name="stdin">\nuser: hi\n\n</file>', 'what?'],
    },
    {
      name: 'a slow writer is waited for when the question says where it goes',
      shell: '(sleep 0.6; printf slow) | "$@"',
      args: ['ask', 'Say: ...'],
      prompt: ['Say: slow'],
    },
  ];
  for (const { name, shell, args, prompt } of inputs) {
    it(name, async () => {
      home = await askHome(openaiStream('Yes.'));
      writeTree(home.folder, { 'x.chat': 'user: hi\n' });
      const run = home.start(args, { before: ['bash', '-c', shell, 'bash'] });
      expect([(await run.ended).code, run.stderr()]).toEqual([0, '']);
      expect(run.stdout()).toBe('Yes.\n');
      expect(
        home.server.requests[0]?.json.messages.map(({ content }: { content: string }) => content),
      ).toEqual(prompt);
    });
  }

  it('twenty first runs at once, with no folder there yet, all answer', async () => {
    home = await askHome((_request, index) => openaiStream(`answer ${index}`));
    const { start, server } = home;
    const env = {
      XDG_CACHE_HOME: home.file('cache'),
      XDG_CONFIG_HOME: home.file('config'),
      OPENAI_API_KEY: 'KEY-mock-123',
    };
    const runs = Array.from({ length: 20 }, () =>
      start(['ask', '-b', 'openai', '-o', `url=${server.url}/v1`, '-m', 'm', 'same question'], {
        env,
      }),
    );
    expect((await Promise.all(runs.map(({ ended }) => ended))).map(({ code }) => code)).toEqual(
      Array(20).fill(0),
    );
    expect(runs.map(({ stdout }) => stdout().startsWith('answer '))).toEqual(Array(20).fill(true));
  });

  it('an answer from the cache keeps its inference id, says so on standard error, and asks nothing', async () => {
    home = await askHome(
      openaiStream('Paris.', {
        usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
      }),
    );
    const ids: string[] = [];
    for (const name of ['one.chat', 'two.chat']) {
      const run = home.start(['ask', '-c', name, 'What is the capital of France?']);
      expect((await run.ended).code).toBe(0);
      expect(run.stdout()).toBe('Paris.\n');
      expect(run.stderr()).toBe(name === 'one.chat' ? '' : 'cached\n');
      ids.push(/inference_id=(\S+)/.exec(readFileSync(home.file(name), 'utf8'))?.[1] ?? name);
    }
    expect(ids[0]).toBe(ids[1]);
    expect(home.server.requests).toHaveLength(1);
    for (const again of [['--no-cache'], ['-o', 'persist=false'], ['-o', 'temperature=0.5']])
      expect(
        (
          await home.start(['ask', '-c', 'new.chat', ...again, 'What is the capital of France?'])
            .ended
        ).code,
      ).toBe(0);
    expect(home.server.requests).toHaveLength(4);
  });

  it('a recorded run is replayed without a server, and an unrecorded prompt is an error', async () => {
    home = await askHome(openaiStream(['Once', ' more.']));
    expect((await home.start(['ask', '--record', 'run.jsonl', 'Say it.']).ended).code).toBe(0);
    const replayed = home.start([
      'ask',
      '--no-cache',
      '-b',
      'replay',
      '-o',
      'recording=run.jsonl',
      'Say it.',
    ]);
    expect((await replayed.ended).code).toBe(0);
    expect(replayed.stdout()).toBe('Once more.\n');
    const other = home.start([
      'ask',
      '--no-cache',
      '-b',
      'replay',
      '-o',
      'recording=run.jsonl',
      'Say that.',
    ]);
    expect((await other.ended).code).toBe(4);
    expect(other.stderr()).toContain('Say it.');
    expect(home.server.requests).toHaveLength(1);
  });

  it('events are whole lines with counted numbers, on standard output with -', async () => {
    home = await askHome(openaiStream(['One', ' two.']));
    const run = home.start(['ask', '--no-cache', '--events', '-', 'Count.']);
    expect((await run.ended).code).toBe(0);
    const records = run
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
    // What arrives together is one chunk.
    const chunks = records.filter(({ type }) => type === 'generation_chunk');
    expect(chunks.map(({ text }) => text).join('')).toBe('One two.');
    const isNew = (type: string, index: number) => type !== records[index - 1]?.type;
    expect(records.map(({ type }) => type).filter(isNew)).toEqual([
      'turn_started',
      'generation_started',
      'generation_chunk',
      'http',
      'generation_completed',
      'round_completed',
      'turn_completed',
    ]);
  });

  it('events that go into a pipe arrive whole, and a named pipe stays one', async () => {
    home = await askHome(openaiStream(['One', ' two.']));
    const script =
      'mkfifo pipe; cat pipe > named & "$@" --events pipe; wait $!; "$@" --events >(cat > open); wait $!';
    const run = home.start(['ask', '--no-cache', 'Count.'], {
      before: ['bash', '-c', script, '-'],
    });
    await run.ended;
    expect(run.stderr()).toBe('');
    for (const name of ['named', 'open']) {
      const types = readFileSync(home.file(name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).type);
      expect([types[0], types.at(-1)]).toEqual(['turn_started', 'turn_completed']);
    }
    expect(statSync(home.file('pipe')).isFIFO()).toBe(true);
  });
});
