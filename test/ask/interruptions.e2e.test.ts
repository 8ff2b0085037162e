import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { createLocks } from '../../src/world/lock.ts';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import type { Script } from '../helpers/fake-server.ts';
import { chatChunks } from '../helpers/openai-replies.ts';

let home: AskHome | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

const SSE = { 'content-type': 'text/event-stream' };
/** Long enough to go over many pages of the file. */
const LONG = Array.from({ length: 25 }, (_, index) => `${index}: ${'long answer '.repeat(300)}\n`);

/** Streams the pieces with a pause before each. */
function slowly(pieces: readonly string[], pause: number): Script {
  return {
    headers: SSE,
    body: chatChunks(pieces, {
      usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
    }),
    pause,
  };
}

const roles = (text: string): string[] => parse(text).map(({ role }) => role);

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a chat file that is asked', () => {
  it('loses no byte and gets no half message when the asking process is killed at 200 random moments', async () => {
    home = await askHome(slowly(LONG, 1));
    const file = home.file('killed.chat');
    writeFileSync(file, 'system:\n\nBe long.\n');
    const outcomes = { whole: 0, nothing: 0 };
    const answer = LONG.join('').trim();
    // The moments follow the machine's speed, so that some come before the write and some behind it.
    let latest = 250;
    for (let trial = 0; trial < 200; trial++) {
      const before = readFileSync(file, 'utf8');
      const { child, ended } = home.start([
        'ask',
        '--no-cache',
        '-q',
        'killed.chat',
        `question ${trial}`,
      ]);
      const timer = setTimeout(() => child.kill('SIGKILL'), latest * (0.4 + 0.6 * Math.random()));
      await ended;
      clearTimeout(timer);
      const left = readFileSync(file, 'utf8');
      expect(left.startsWith(before)).toBe(true);
      // The kernel may end a write of many pages between two of them: whoever comes next finishes it.
      await (await createLocks().hold(file)).release();
      const after = readFileSync(file, 'utf8');
      expect(after.startsWith(left)).toBe(true);
      const added = parse(after.slice(before.length)).map(({ role, content }) => [
        role,
        role === 'meta' ? '' : content,
      ]);
      latest *= added.length === 0 ? 1.04 : 0.96;
      if (added.length === 0) {
        outcomes.nothing++;
        continue;
      }
      outcomes.whole++;
      expect(added).toEqual([
        ['user', `question ${trial}`],
        ['meta', ''],
        ['assistant', answer],
      ]);
    }
    // Both kinds of moments were met, or this proves nothing.
    expect(outcomes.whole).toBeGreaterThan(20);
    expect(outcomes.nothing).toBeGreaterThan(20);
    const last = await home.start(['ask', '--no-cache', 'killed.chat', 'the last one']).ended;
    expect(last.code).toBe(0);
    expect(roles(readFileSync(file, 'utf8')).slice(-3)).toEqual(['user', 'meta', 'assistant']);
    expect(readdirSync(home.folder).filter((name) => name.startsWith('killed'))).toEqual([
      'killed.chat',
    ]);
  }, 600_000);

  it('gets eight whole turns, none mixed, from eight asks at once', async () => {
    home = await askHome((request) =>
      slowly([`answer to ${request.json.messages.at(-1).content}`, '\nand more'], 3),
    );
    writeFileSync(home.file('eight.chat'), 'system: be brief\n');
    const { start } = home;
    const runs = Array.from({ length: 8 }, (_, index) =>
      start(['ask', '--no-cache', 'eight.chat', `question ${index}`]),
    );
    expect((await Promise.all(runs.map(({ ended }) => ended))).map(({ code }) => code)).toEqual(
      Array(8).fill(0),
    );
    const messages = parse(readFileSync(home.file('eight.chat'), 'utf8')).slice(1);
    expect(messages).toHaveLength(24);
    const asked = new Set<string>();
    for (let turn = 0; turn < 24; turn += 3) {
      const [question, meta, answer] = messages.slice(turn, turn + 3);
      expect([question?.role, meta?.role, answer?.role]).toEqual(['user', 'meta', 'assistant']);
      expect(answer?.content).toBe(`answer to ${question?.content}\nand more`);
      asked.add(question?.content ?? '');
    }
    expect(asked.size).toBe(8);
    // Each saw the turns before its own.
    expect(
      home.server.requests.map(({ json }) => json.messages.length).sort((a, b) => a - b),
    ).toEqual([2, 4, 6, 8, 10, 12, 14, 16]);
  });

  const signals = [
    { signal: 'SIGINT', code: 130, reason: 'interrupted' },
    { signal: 'SIGTERM', code: 143, reason: 'terminated' },
  ] as const;
  for (const { signal, code, reason } of signals) {
    it(`keeps the question and the text so far on ${signal}, says so, and can be asked again`, async () => {
      home = await askHome({
        headers: SSE,
        body: chatChunks(['Once upon', ' a time']).slice(0, 3),
        ending: 'hang',
      });
      writeFileSync(home.file('stop.chat'), 'system: tell\n');
      const run = home.start(['ask', 'stop.chat', 'A story?']);
      await waitFor(() => run.stdout().includes('a time'));
      run.child.kill(signal);
      expect(await run.ended).toEqual({ code, signal: null });
      expect(run.stderr()).toContain('kept in stop.chat: the text that had arrived');
      const text = readFileSync(home.file('stop.chat'), 'utf8');
      expect(parse(text).map(({ role, content }) => [role, content])).toEqual([
        ['system', 'tell'],
        ['user', 'A story?'],
        ['skip', `[partial: ${reason}]\nOnce upon a time`],
      ]);
      home.server.answer(slowly(['The end.'], 0));
      expect((await home.start(['ask', 'stop.chat']).ended).code).toBe(0);
      expect(home.server.requests.at(-1)?.json.messages).toEqual([
        { role: 'system', content: 'tell' },
        { role: 'user', content: 'A story?' },
      ]);
    });
  }

  it('is as it was when the interruption comes before the first byte', async () => {
    home = await askHome({ headers: SSE, body: [], ending: 'hang' });
    writeFileSync(home.file('early.chat'), 'user: hi\n');
    const run = home.start(['ask', 'early.chat']);
    const { server } = home;
    await waitFor(() => server.requests.length === 1);
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    expect(readFileSync(home.file('early.chat'), 'utf8')).toBe('user: hi\n');
  });

  it('ends at once on an interruption during a wait between retries', async () => {
    home = await askHome({
      status: 429,
      headers: { 'retry-after': '30' },
      body: { error: { message: 'slow' } },
    });
    writeFileSync(home.file('wait.chat'), 'user: hi\n');
    const run = home.start(['ask', 'wait.chat']);
    await waitFor(() => run.stderr().includes('trying again'));
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
  });

  it('keeps its answer when the reader of standard output goes away (| head -1), with exit 0', async () => {
    home = await askHome(slowly(LONG, 1));
    writeFileSync(home.file('head.chat'), 'user: hi\n');
    const run = home.start(['ask', 'head.chat'], {
      before: ['bash', '-c', '"$@" | head -c 5; exit $PIPESTATUS', 'bash'],
    });
    expect((await run.ended).code).toBe(0);
    expect(run.stderr()).toBe('');
    expect(roles(readFileSync(home.file('head.chat'), 'utf8'))).toEqual([
      'user',
      'meta',
      'assistant',
    ]);
  });

  it('keeps its answer when standard output is full, and says so with exit 1', async () => {
    home = await askHome(slowly(['An answer.'], 0));
    writeFileSync(home.file('full.chat'), 'user: hi\n');
    const run = home.start(['ask', 'full.chat'], {
      before: ['bash', '-c', '"$@" > /dev/full', 'bash'],
    });
    expect((await run.ended).code).toBe(1);
    expect(run.stderr()).toContain('cannot write to standard output: the disk is full');
    expect(roles(readFileSync(home.file('full.chat'), 'utf8'))).toEqual([
      'user',
      'meta',
      'assistant',
    ]);
  });

  it('is cut back to what it was when the disk is full', async () => {
    home = await askHome(slowly(LONG, 0));
    const before = `user: hi\n\nskip:\n\n${'filler '.repeat(1000)}\n`;
    writeFileSync(home.file('disk.chat'), before);
    const kibibytes = String(Math.ceil(statSync(home.file('disk.chat')).size / 1024) + 1);
    const run = home.start(['ask', '--no-cache', '-q', 'disk.chat'], {
      before: ['bash', '-c', `trap "" XFSZ; ulimit -f ${kibibytes}; exec "$@"`, 'bash'],
    });
    expect((await run.ended).code).toBe(1);
    expect(run.stderr()).toMatch(
      /cannot append to ".*disk\.chat": the limit for the size of a file is reached/,
    );
    expect(readFileSync(home.file('disk.chat'), 'utf8')).toBe(before);
  });

  it('is answered at once when standard input is a pipe that nobody writes to', async () => {
    home = await askHome(slowly(['Yes.'], 0));
    writeFileSync(home.file('pipe.chat'), 'user: hi\n');
    const run = home.start(['ask', 'pipe.chat', 'really?'], { stdin: 'pipe' });
    expect((await run.ended).code).toBe(0);
    expect(run.stdout()).toBe('Yes.\n');
    run.child.stdin?.end();
  });

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    for (const args of [
      ['print', '-'],
      ['ask', '-'],
    ])
      it(`is no half of what a pipeline sends: chat ${args.join(' ')} whose pipeline gets ${signal} asks and prints nothing`, async () => {
        home = await askHome(slowly(['Yes.'], 0));
        for (let trial = 0; trial < 5; trial++) {
          const { child, ended, stdout } = home.start(args, { stdin: 'pipe' });
          // More than a pipe holds: when it is taken, somebody reads.
          await new Promise((resolve) =>
            child.stdin?.write('half of it\n'.repeat(20_000), resolve),
          );
          child.kill(signal);
          child.stdin?.end();
          expect([(await ended).code, stdout()]).toEqual([code, '']);
        }
        expect(home.server.requests).toEqual([]);
      });
});
