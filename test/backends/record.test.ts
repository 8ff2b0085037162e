// A recording answers again what was answered, without the server that answered it.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BACKEND_NAMES, loadBackend } from '../../src/backends/index.ts';
import { openai } from '../../src/backends/openai/backend.ts';
import { recording } from '../../src/backends/record.ts';
import { createReplay } from '../../src/backends/replay.ts';
import type { PromptRequest } from '../../src/backends/types.ts';
import { BACKENDS } from '../../src/config/builtin.ts';
import { secret } from '../../src/config/secret.ts';
import { createFiles } from '../../src/world/files.ts';
import { askBackend, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';
import type { Answers } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { chatChunks, chunk, openaiStream } from '../helpers/openai-replies.ts';
import { served } from '../helpers/served.ts';

async function record(answers: Answers, questions: readonly string[], file: string, key?: string) {
  const server = await served(answers);
  const files = createFiles();
  const backend = recording(openai, (line) => files.append(file, line));
  const endpoint = fakeEndpoint(`${server.url}/v1`, key === undefined ? {} : { key: secret(key) });
  const replies = [];
  for (const question of questions)
    replies.push(await askBackend(backend, fakeRequest(endpoint, question)));
  // A replay needs no server.
  await server.close();
  return replies;
}

const replayer = (file: string) => {
  const backend = createReplay();
  const { url: _, ...rest } = fakeEndpoint('');
  return (question: string, by: 'recording' | 'url' = 'recording') =>
    askBackend(
      backend,
      fakeRequest(
        by === 'url' ? { ...rest, url: file } : { ...rest, settings: { recording: file } },
        question,
      ),
    );
};

const place = () => join(temporaryFolder(), 'run.jsonl');

describe('a recorded run', () => {
  test('gives the same events in the same order, and needs no server', async () => {
    const file = place();
    const [reply] = await record(
      openaiStream(['Blue ', 'kite'], { thinking: 'sky' }),
      ['What flies?'],
      file,
    );
    for (const by of ['recording', 'url'] as const)
      expect((await replayer(file)('What flies?', by)).events).toEqual(reply?.events);
  });

  test('gives the next reply to a prompt that is asked again, then the last one for ever', async () => {
    const file = place();
    await record(
      ['one', 'two', 'other'].map((text) => openaiStream(text)),
      ['q', 'q', 'r'],
      file,
    );
    const ask = replayer(file);
    const texts = [];
    for (const question of ['q', 'r', 'q', 'q']) texts.push((await ask(question)).text);
    expect(texts).toEqual(['one', 'other', 'two', 'two']);
  });

  test('says which prompts it knows when it is asked another', async () => {
    const file = place();
    await record(openaiStream('x'), ['What\nflies?', 'Who swims?'], file);
    const { failure, events } = await replayer(file)('Who runs?');
    expect(failure).toMatchObject({
      code: 'not-recorded',
      exitCode: 4,
      message: `"${file}" has no reply to this prompt (user: Who runs?)`,
      detail: ['recorded: user: What flies?', 'recorded: user: Who swims?'],
    });
    expect(events).toEqual([]);
  });

  test('has one whole line a reply, and none for a reply that failed', async () => {
    const file = place();
    const [first, second] = await record(
      [{ body: [chunk({ content: 'x' })], ending: 'close' }, openaiStream('fine')],
      ['q', 'q'],
      file,
    );
    expect([first?.failure?.facts.kind, second?.text]).toEqual(['stream_dropped', 'fine']);
    const lines = readFileSync(file, 'utf8').split('\n');
    expect([lines.length, lines[1]]).toEqual([2, '']);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      version: 1,
      backend: 'openai',
      prompt: 'user: q',
    });
  });

  test('tells when each event came, in milliseconds', async () => {
    const file = place();
    const [head = '', ...rest] = chatChunks(['a', 'b']);
    await record({ body: [head, { wait: 30 }, ...rest] }, ['q'], file);
    const times = JSON.parse(readFileSync(file, 'utf8')).events.map(([time]: [number]) => time);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(times.at(-1)).toBeGreaterThanOrEqual(25);
  });

  test('is written before the reply is over for whoever asked', async () => {
    const file = place();
    const server = await served(openaiStream('x'));
    const backend = recording(openai, (line) => createFiles().append(file, line));
    const { askContext } = await import('../helpers/asking.ts');
    for await (const event of backend.reply(
      fakeRequest(fakeEndpoint(`${server.url}/v1`)),
      askContext(),
    ))
      if (event.kind === 'finish') expect(existsSync(file)).toBe(true);
  });

  test('holds no key, also when the server repeats it', async () => {
    const file = place();
    await record(
      ({ headers }) => openaiStream(`you sent ${headers.authorization}`),
      ['q'],
      file,
      'KEY-mock-123',
    );
    expect(readFileSync(file, 'utf8')).toContain('you sent Bearer ***');
  });

  test('does not mind which endpoint asks, but minds messages, tools, form, note and files', async () => {
    const { promptDigest } = await import('../../src/backends/digest.ts');
    const base = fakeRequest(fakeEndpoint('http://a.example'), 'q');
    const digest = promptDigest(base);
    expect(
      promptDigest({ ...base, sessionId: 'other', endpoint: fakeEndpoint('http://b.example') }),
    ).toBe(digest);
    const others = [
      { messages: [{ role: 'system', content: 'q' }] },
      { tools: [{ name: 'a', description: '', parameters: {} }] },
      { format: 'json' as const },
      { note: 'again' },
      { attachments: new Map([['a', { path: 'a', mediaType: 'image/png', base64: 'AA' }]]) },
    ].map((rest) => promptDigest({ ...base, ...rest }));
    expect(new Set([digest, ...others]).size).toBe(6);
  });

  test('of a project that was moved answers there, and a picture has no place', async () => {
    const file = place();
    const elsewhere = (folder: string, base64 = 'AA'): Partial<PromptRequest> => ({
      messages: [
        { role: 'user', content: `<file name="${folder}/notes/a.txt">\ntext\n</file>` },
        { role: 'image', content: `${folder}/a.png` },
        {
          role: 'function_call_output',
          content: JSON.stringify({
            id: '1',
            name: 'x',
            content: `a …[shortened from 9,000 characters, sha256 0a0a0a0a, whole in job ${folder}/var/jobs/W/t/n]… b`,
          }),
        },
        { role: 'user', content: 'q' },
      ],
      attachments: new Map([
        [`${folder}/a.png`, { path: `${folder}/a.png`, mediaType: 'image/png', base64 }],
      ]),
    });
    const server = await served(openaiStream('fine'));
    const files = createFiles();
    const endpoint = fakeEndpoint(`${server.url}/v1`);
    const backend = recording(openai, (line) => files.append(file, line));
    await askBackend(backend, { ...fakeRequest(endpoint, 'q'), ...elsewhere('/old/lab') });
    await server.close();
    const replayed = { ...endpoint, settings: { recording: file } };
    const ask = (rest: Partial<PromptRequest>) =>
      askBackend(createReplay(), { ...fakeRequest(replayed, 'q'), ...rest });
    expect((await ask(elsewhere('/new place/lab ž'))).text).toBe('fine');
    expect((await ask(elsewhere('/new', 'BB'))).failure?.detail[0]).toBe(
      'the same question was recorded, but these differ: images or documents',
    );
    const tools = [{ name: 'a', description: '', parameters: {} }];
    expect((await ask({ ...elsewhere('/new'), tools })).failure?.detail[0]).toBe(
      'the same question was recorded, but these differ: tools',
    );
  });

  test('that is older is still found by its own digest', async () => {
    const file = place();
    await record(openaiStream('fine'), ['q'], file);
    const { anywhere: _, parts: __, ...old } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, `${JSON.stringify(old)}\n`);
    expect((await replayer(file)('q')).text).toBe('fine');
    expect((await replayer(file)('r')).failure?.detail).toEqual(['recorded: user: q']);
  });

  test('with a torn or foreign line is read without it', async () => {
    const file = place();
    await record(openaiStream('fine'), ['q'], file);
    writeFileSync(file, `{"hello":1}\n${readFileSync(file, 'utf8')}{"version":1,"dig`);
    const { text, warnings } = await replayer(file)('q');
    expect(text).toBe('fine');
    expect(warnings).toEqual([
      `${file}:1: not a recorded reply; left out`,
      `${file}:3: not a recorded reply; left out`,
    ]);
  });

  test('that is not there, or not named, is a clear error', async () => {
    expect((await replayer('no such.jsonl')('q')).failure).toMatchObject({
      code: 'missing-file',
      exitCode: 2,
      at: expect.stringContaining('endpoint '),
      next: expect.stringContaining("--record 'no such.jsonl'"),
    });
    const { url: _, ...rest } = fakeEndpoint('');
    const { failure } = await askBackend(createReplay(), fakeRequest(rest, 'q'));
    expect(failure).toMatchObject({ code: 'no-recording', exitCode: 3 });
  });
});

describe('backends by name', () => {
  test('are loaded when they are asked for', async () => {
    for (const name of BACKEND_NAMES) expect((await loadBackend(name)).name).toBe(name);
  });

  test('are those that an endpoint may name', () => {
    expect([...BACKEND_NAMES].sort()).toEqual([...BACKENDS].sort());
  });

  test('that nobody knows are an error with the known ones and the nearest', async () => {
    await expect(loadBackend('opnai')).rejects.toMatchObject({
      exitCode: 3,
      detail: [`backends: ${BACKEND_NAMES.join(', ')}`],
      next: 'did you mean "openai"?',
    });
    await expect(loadBackend('constructor')).rejects.toMatchObject({
      next: 'choose one of those (-b)',
    });
  });
});
