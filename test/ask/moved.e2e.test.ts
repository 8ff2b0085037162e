// A project that lies elsewhere than when it was asked.

import * as path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import { writeTree } from '../helpers/folder.ts';
import { openaiStream } from '../helpers/openai-replies.ts';

let home: AskHome | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

it('a project that was moved is asked nothing again: its cached and its recorded answers hold there', async () => {
  home = await askHome(openaiStream(['Once', ' more.']));
  const project = {
    'workflows/W/workflow.yaml':
      'tasks:\n  t:\n    inputs: {a: {type: string}}\n    command: echo {{a}}\n',
    'var/jobs/README': '',
    'a.txt': 'text',
    'pic.png': Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
    'job.chat': 'task: W t a=b\nimage: pic.png\n\nuser: q\n',
    'file.chat': 'task: W t a=b\nfile: a.txt\nimage: pic.png\n\nuser: q\n',
  };
  for (const place of ['old', 'new place']) writeTree(path.join(home.folder, place), project);
  const { folder } = home;
  const run = async (place: string, ...args: readonly string[]) => {
    const shell = ['/bin/sh', '-c', 'cd "$0" && exec "$@"', path.join(folder, place)];
    const asked = home?.start(['ask', ...args], { before: shell });
    expect((await asked?.ended)?.code).toBe(0);
    return asked?.stderr() ?? '';
  };
  await run('old', 'job.chat');
  expect(await run('new place', 'job.chat')).toContain('cached');
  expect(home.server.requests).toHaveLength(1);
  await run('old', 'file.chat', '--record', path.join(folder, 'run.jsonl'));
  const recording = `recording=${path.join(folder, 'run.jsonl')}`;
  await run('new place', 'file.chat', '--no-cache', '-b', 'replay', '-o', recording);
  expect(home.server.requests).toHaveLength(2);
});
