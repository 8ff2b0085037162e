// The recorded parts of the demo play: its chats, workflows and agents still make the prompts that were recorded.

import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync } from 'node:fs';
import * as path from 'node:path';
import { expect, test } from 'vitest';
import { environment, packageFolder } from './helpers/built.ts';
import { temporaryFolder } from './helpers/folder.ts';

const demo = path.join(packageFolder, 'fixtures/demo');

function chat(folder: string, ...args: readonly string[]) {
  const home = path.join(folder, 'home');
  return spawnSync(process.execPath, [path.join(packageFolder, 'bin/chat.js'), ...args], {
    cwd: folder,
    env: environment({ HOME: home }),
    encoding: 'utf8',
  });
}

const replay = (name: string) => [
  ...['-b', 'replay', '-o', `recording=${path.join(demo, `${name}.recording.jsonl`)}`],
  ...['--no-cache', '--jobs', 'jobs'],
];

test('the chat with tools in three languages', () => {
  const folder = temporaryFolder();
  cpSync(path.join(packageFolder, 'fixtures/workflows'), path.join(folder, 'workflows'), {
    recursive: true,
  });
  copyFileSync(path.join(demo, 'rivers.chat'), path.join(folder, 'rivers.chat'));
  const { status, stdout, stderr } = chat(folder, 'ask', 'rivers.chat', ...replay('rivers'));
  expect([status, stderr]).toEqual([0, expect.stringContaining('ran count')]);
  expect(stdout).toContain('4 rivers of Africa');
});

test('the three agents', () => {
  const folder = temporaryFolder();
  cpSync(path.join(packageFolder, 'fixtures/agents'), folder, { recursive: true });
  const asked = ['agent', 'ask', 'Manager', '-c', 'plan.chat', ...replay('agents')];
  const { status, stderr } = chat(folder, ...asked, 'Why do some proteins need help to fold?');
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('error')]);
});
