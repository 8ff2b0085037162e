// Answers that are not what the protocol says, and keys in what servers say.

import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ask, serverCommand } from './asking.ts';

const wrong = (mode: string): string => `mcp: stdio ${serverCommand('wrong.js', mode)}`;
const WORK = [[{ name: 'work' }]];

describe('an answer that is none is told at once, not when the time of the call is over', () => {
  test.each([
    ['null', 'its answer is no result: null'],
    ['number', 'its answer is no result: 5'],
    ['neither', 'its answer is no result: undefined'],
    ['error-of-text', '"no luck"'],
  ])('%s', async (mode, says) => {
    const asked = await ask(wrong(mode), WORK);
    expect(asked.outputs[0]?.exception).toBe(`the MCP server "wrong" failed: ${says}`);
    expect(asked.code).toBe(0);
  });
});

test.each([
  ['text-alone', 'no list'],
  ['part-alone', 'one part'],
])('content that is no list (%s) is not lost', async (mode, content) => {
  expect((await ask(wrong(mode), WORK)).outputs).toMatchObject([{ content }]);
});

test('a server that writes null for what is not there is understood, its progress too', async () => {
  const asked = await ask(wrong('nulls'), WORK, { args: ['-o', 'mcp_timeout=0.5'] });
  expect(asked.stderr).not.toContain('warning');
  expect(asked.outputs).toMatchObject([{ content: 'nothing is missing' }]);
});

test('progress of several lines is told in one, so that a server says nothing in the name of this program', async () => {
  const { stderr } = await ask(wrong('lines-in-progress'), WORK, { args: ['-v'] });
  expect(stderr).toMatch(/^work: 1: half warning: the disk is full/m);
  expect(stderr).not.toMatch(/^warning/m);
});

test('progress that comes in one piece with the answer is not lost', async () => {
  const asked = await ask(wrong('progress-with-answer'), WORK, { args: ['-v'] });
  expect(asked.stderr).toMatch(/^work: 1: all done/m);
  expect(asked.outputs).toMatchObject([{ content: 'ok' }]);
});

test('noise of thousands of braces costs no time', async () => {
  const asked = await ask(wrong('braces'), WORK, { args: ['-o', 'mcp_timeout=5'] });
  expect(asked.outputs).toMatchObject([{ content: 'through' }]);
});

test('a program that closes its output and runs on fails its call at once, and is started anew for the next', async () => {
  const asked = await ask(wrong('no-output'), [...WORK, ...WORK]);
  const told = 'the MCP server "wrong" failed: it closed its output';
  expect(asked.outputs.map(({ exception }) => exception)).toEqual([told, told]);
});

test('a program that crashes is quoted with its error, not with places in its source', async () => {
  const [output] = (await ask(wrong('crash'), WORK)).outputs;
  expect(output?.exception).toContain('Error: no such table: notes');
  expect(output?.exception).not.toContain('node:');
  expect(output?.exception).not.toContain('Node.js v');
});

describe('a key is nowhere, whole or in part', () => {
  test.each([
    'key-in-list',
    'key-in-progress',
    'key-at-the-cut-of-an-error',
    'key-at-the-cut-of-noise',
    'key-at-the-cut-of-last-words',
  ])('%s', async (mode) => {
    const asked = await ask(wrong(mode), WORK, {
      args: ['-v', '--events', 'events.jsonl'],
      env: { WRONG_SECRET: 'KEY-mock-123-planted' },
      files: {
        'home/.scout/etc/mcp.yaml': 'wrong:\n  command: node\n  env: {API_KEY: $WRONG_SECRET}\n',
      },
    });
    const cache = path.join(asked.folder, 'home/.scout/var/cache/mcp');
    const texts = [
      asked.stdout,
      asked.stderr,
      asked.read('x.chat'),
      asked.read('events.jsonl'),
      JSON.stringify(asked.bodies),
      ...readdirSync(cache).map((name) => readFileSync(path.join(cache, name), 'utf8')),
    ].join('\n');
    expect(texts).toContain('***');
    expect(texts).not.toMatch(/KEY-|planted/);
  });
});
