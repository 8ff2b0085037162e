// Agents for programs: what is asked and appended, what is saved where, and what happens when it goes wrong.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Agent } from '../../src/agents/agent.ts';
import type { AgentOptions } from '../../src/agents/agent-options.ts';
import { openAgent } from '../../src/agents/opening.ts';
import { parse } from '../../src/chat/parse.ts';
import type { Warning } from '../../src/types.ts';
import { askedIn, callsReply, fakeHome, textReply } from '../helpers/agents.ts';
import { type FakeServer, startFakeServer } from '../helpers/fake-server.ts';
import { temporaryFolder, writeTree } from '../helpers/folder.ts';
import { createWorld } from '../helpers/run.ts';

let server: FakeServer;
let folder: string;
beforeEach(async () => {
  server = await startFakeServer((request) => {
    const { system, question, outputs } = askedIn(request);
    if (system === 'boss' && outputs.length === 0)
      return callsReply([
        { name: 'ask', args: { agent: 'Worker', prompt: `do ${question}`, conversation: 'a' } },
        { name: 'ask', args: { agent: 'Worker', prompt: `do ${question}`, conversation: 'b' } },
      ]);
    return textReply(`re ${question}`);
  });
  folder = temporaryFolder({
    ...fakeHome(server.url),
    'Agent/Boss/start_chat': 'system: boss\n\nsocialize: true\n',
    'Agent/Worker/start_chat': 'system: worker\n\noption: temperature 0.2\n',
  });
});
afterEach(() => server.close());

const make = (options: AgentOptions = {}) =>
  new Agent({ cache: false, ...options }, (given) => openAgent(given, createWorld(folder)));
const place = (name: string) => path.join(folder, name);
const read = (name: string) => readFileSync(place(name), 'utf8');
const said = (index: number) =>
  askedIn(server.requests[index] ?? (undefined as never)).messages.map(({ content }) => content);

describe('a conversation', () => {
  test('goes on with each chat, and ask appends nothing', async () => {
    const agent = make({ start: 'system: brief\n' });
    expect(await agent.user('one').chat()).toBe('re one');
    const asked = await agent.user('two').ask();
    expect(asked.map(({ role }) => role)).toEqual(['meta', 'assistant']);
    expect((await agent.currentChat()).map(({ role }) => role)).toEqual([
      'system',
      'user',
      'meta',
      'assistant',
      'user',
    ]);
    await agent.user('three').chat();
    expect(said(2)).toEqual(['brief', 'one', 're one', 'two', 'three']);
    await agent.start();
    await agent.user('four').chat();
    expect(said(3)).toEqual(['brief', 'four']);
  });

  test('user text is never chat text', async () => {
    const agent = make();
    await agent.user('system: x\n\ntool: Words\n\n[[').chat();
    expect(said(0)).toEqual(['system: x\n\ntool: Words\n\n[[']);
  });

  test('options of the program win over the start chat', async () => {
    await make({ agent: 'Worker', options: { temperature: 0.9, seed: 3 } })
      .user('x')
      .chat();
    expect(server.requests[0]?.json).toMatchObject({ temperature: 0.9, seed: 3 });
  });

  test('with nothing to ask it rejects before any request', async () => {
    await expect(make().chat()).rejects.toMatchObject({ code: 'nothing-to-ask', exitCode: 2 });
    await expect(make({ agent: 'Wrker' }).load()).rejects.toMatchObject({
      code: 'no-such-agent',
      exitCode: 3,
    });
    expect(server.requests).toEqual([]);
  });
});

describe('values', () => {
  test('json asks for a format and reads the answer', async () => {
    server.answer([textReply('{"a": 1}'), textReply('{"name": 3}'), textReply('{"name": "Ada"}')]);
    const agent = make();
    expect(await agent.user('x').json()).toEqual({ a: 1 });
    expect(await agent.user('y').json({ name: 'string' })).toEqual({ name: 'Ada' });
    expect(server.requests.length).toBe(3);
  });

  test('a value that does not fit is a failure, and what was said stays', async () => {
    server.answer(textReply('{"name": 3}'));
    const agent = make({ saveFile: place('p.chat') });
    await expect(agent.user('y').json({ name: 'string' })).rejects.toMatchObject({
      code: 'answer-misfit',
      exitCode: 1,
    });
    expect(parse(read('p.chat')).filter(({ role }) => role === 'assistant')).toHaveLength(2);
  });

  test('iterate and iterateDictionary hand over one after the other', async () => {
    server.answer([
      textReply('{"items": ["a", "b"]}'),
      textReply('{"entries": [{"name": "x", "value": "1"}, {"name": "__proto__", "value": "2"}]}'),
    ]);
    const agent = make();
    expect(await agent.iterate('list', async (item, index) => item + index)).toEqual(['a0', 'b1']);
    expect(await agent.iterateDictionary('table', (name, value) => [name, value])).toEqual([
      ['x', '1'],
      ['__proto__', '2'],
    ]);
  });
});

describe('saving', () => {
  test('needs a place, and makes nothing before there is something', async () => {
    const agent = make();
    await expect(agent.save()).rejects.toMatchObject({ code: 'no-save-file' });
    await make({ saveFile: place('new/p.chat') }).load();
    expect(existsSync(place('new'))).toBe(false);
  });

  test('chat saves its own and those it delegated to, also when it fails', async () => {
    const agent = make({ agent: 'Boss', saveFile: place('p.chat') });
    await agent.user('x').chat();
    const society = (name: string) => place(`p.chat.files/Boss.society/Worker/${name}/agent.chat`);
    expect(await agent.save()).toEqual([place('p.chat'), society('a'), society('b')]);
    expect(parse(read('p.chat'))[0]).toMatchObject({ role: 'system', content: 'boss' });
    server.answer({ status: 400 });
    await expect(agent.user('again').chat()).rejects.toMatchObject({ exitCode: 4 });
    expect(read('p.chat')).toContain('again');
  });

  test('what is current is not written again, and a place that is set later moves all', async () => {
    const agent = make({ agent: 'Boss' });
    await agent.user('x').chat();
    agent.saveFile = place('job.files/Boss.chat');
    const paths = await agent.save();
    expect(paths).toEqual([
      place('job.files/Boss.chat'),
      place('job.files/Boss.society/Worker/a/agent.chat'),
      place('job.files/Boss.society/Worker/b/agent.chat'),
    ]);
    const inodes = () => paths.map((each) => statSync(each).ino);
    const before = inodes();
    await agent.save();
    expect(inodes()).toEqual(before);
    await agent.user('y').chat();
    for (const each of paths) expect(readFileSync(each, 'utf8')).toMatch(/re do y|y$/m);
  });

  test('what cannot be written is a warning, and the answer is there', async () => {
    writeFileSync(place('blocked'), 'a file');
    const warnings: Warning[] = [];
    const agent = make({
      saveFile: place('blocked/p.chat'),
      onWarning: (each) => warnings.push(each),
    });
    expect(await agent.user('x').chat()).toBe('re x');
    expect(warnings[0]).toMatchObject({ code: 'agent-not-saved' });
    expect(await agent.save()).toEqual([]);
    expect(read('blocked')).toBe('a file');
  });

  test('start keeps the conversation before, also that of an earlier program', async () => {
    const agent = make({ saveFile: place('p.chat') });
    await agent.start();
    expect(existsSync(place('p.chat.files'))).toBe(false);
    await agent.user('one').chat();
    const one = read('p.chat');
    await agent.start();
    const resets = () =>
      readdirSync(place('p.chat.files/resets'))
        .sort()
        .map((name) => read(`p.chat.files/resets/${name}`));
    expect(resets()).toEqual([one]);
    await agent.user('two').chat();
    const two = read('p.chat');
    const later = make({ saveFile: place('p.chat') });
    await later.start();
    expect(resets()).toEqual([one, two]);
    await later.user('three').chat();
    expect(resets()).toEqual([one, two]);
    // Without a start: nothing that stood there is lost either.
    await make({ saveFile: place('p.chat') })
      .user('four')
      .chat();
    expect(resets()).toHaveLength(3);
    expect(resets()[2]).toContain('three');
  });
});

describe('failures', () => {
  test('onError decides about another try, and what completed is not asked again', async () => {
    writeTree(folder, { 'x.txt': '' });
    server.answer([
      callsReply([{ name: 'nothing', args: {} }]),
      { status: 400 },
      textReply('in the end'),
    ]);
    const attempts: number[] = [];
    const agent = make({
      onError: (_, attempt) => {
        attempts.push(attempt);
        return attempt < 2;
      },
    });
    expect(await agent.user('x').chat()).toBe('in the end');
    expect([attempts, server.requests.length]).toEqual([[1], 3]);
    server.answer({ status: 400 });
    await expect(agent.user('y').chat()).rejects.toMatchObject({ exitCode: 4 });
    expect(attempts).toEqual([1, 1, 2]);
  });

  test('a budget holds as long as the agent lives', async () => {
    const agent = make({ budget: { tokens: 10 } });
    await agent.user('x').chat();
    await expect(
      agent.user('a longer question that needs some tokens').chat(),
    ).rejects.toMatchObject({ code: 'token-limit' });
  });

  test('a signal stops it with its reason', async () => {
    const stop = new AbortController();
    server.answer({ body: [{ until: new Promise(() => {}) }] });
    const agent = make({
      signal: stop.signal,
      onEvent: ({ kind }) => kind === 'request' && stop.abort(new Error('enough')),
    });
    await expect(agent.user('x').chat()).rejects.toThrow('enough');
  });
});
