// Where a chat may lie: names and places that cannot take an answer are refused before anything is asked.

import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type FakeServer, startFakeServer } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { openaiStream } from '../helpers/openai-replies.ts';
import { runCli } from '../helpers/run.ts';

async function place(): Promise<{ server: FakeServer; folder: string }> {
  const server = await startFakeServer(openaiStream('An answer.'));
  onTestFinished(() => server.close());
  const folder = temporaryFolder({
    'home/.scout/etc/AI/default.yaml': `backend: openai\nurl: ${server.url}/v1\nmodel: m\n`,
    'plain.txt': 'x',
  });
  mkdirSync(join(folder, 'folder'));
  symlinkSync('loop.chat', join(folder, 'loop.chat'));
  symlinkSync('gone/x.chat', join(folder, 'dangling.chat'));
  return { server, folder };
}

describe('refused before anything is asked:', () => {
  for (const [name, file, message, next] of [
    ['a folder that is not there', 'gone/x.chat', 'there is no folder "gone"', 'mkdir -p gone'],
    ['a file in place of a folder', 'plain.txt/x.chat', 'can be no file', 'give the path'],
    ['a folder', 'folder', 'is a folder, not a chat file', 'give the path'],
    ['the name of a folder', 'other/', 'can be no file', 'give the path'],
    ['no name at all', '', '--chat needs a value', 'leave it out'],
    ['a name that is too long', `${'a'.repeat(300)}.chat`, 'no file can be made as', 'shorter'],
    ['a link to itself', 'loop.chat', 'is a link that leads nowhere', 'remove the link'],
    ['a link to nothing', 'dangling.chat', 'is a link that leads nowhere', 'remove the link'],
  ] as const)
    test(name, async () => {
      const { server, folder } = await place();
      const { code, stdout, stderr } = await runCli(['ask', '-c', file, 'hi'], { folder });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(message);
      expect(stderr).toContain(next);
      expect(server.requests).toEqual([]);
    });
});

describe('a folder in place of a chat is told, and not asked as a question:', () => {
  for (const words of [['.'], ['folder/'], ['./folder'], ['..'], ['folder', 'What is this?']])
    test(words.join(' '), async () => {
      const { server, folder } = await place();
      const { code, stdout, stderr } = await runCli(['ask', ...words], { folder });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^error: ".*" is a folder, no chat\n {2}next: .*`directory: NAME`/);
      expect(server.requests).toEqual([]);
    });

  test('but a word that a folder happens to be called is a question', async () => {
    const { folder } = await place();
    const { code, stdout } = await runCli(['ask', 'folder'], { folder });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'An answer.\n' });
  });
});

test('a file whose name has a line end is a chat, not a question', async () => {
  const { folder } = await place();
  const { code, read } = await runCli(['ask', 'two\nlines.chat'], {
    folder,
    files: { 'two\nlines.chat': 'user: hi\n' },
  });
  expect(code).toBe(0);
  expect(read('two\nlines.chat')).toMatch(/^user: hi\n\nmeta: .*\n\nassistant:\n\nAn answer\.\n$/);
});

test('a name in a command that people copy is one word for their shell', async () => {
  const { folder } = await place();
  const { stderr } = await runCli(['ask', "it's$(touch>owned).chat"], { folder });
  expect(stderr).toContain(`\`chat ask -c 'it'\\''s$(touch>owned).chat' "…"\``);
});

test('a chat that an editor leaves with an open block meanwhile is a failed save, and stays as it is', async () => {
  const { folder } = await place();
  const left = 'user: hi\n\n```\nopen';
  const server = await startFakeServer(() => {
    writeFileSync(join(folder, 'x.chat'), left);
    return openaiStream('An answer.');
  });
  onTestFinished(() => server.close());
  const { code, stdout, stderr, read } = await runCli(
    ['ask', '-o', `url=${server.url}/v1`, 'x.chat'],
    { folder, files: { 'x.chat': 'user: hi\n' } },
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'An answer.\n' });
  expect(stderr).toContain('"x.chat" was changed while it was asked: nothing can be added');
  expect(stderr).toContain('(x.chat:3)');
  expect(read('x.chat')).toBe(left);
});

test('a question that ends like the name of a chat is told how to be one', async () => {
  const { folder } = await place();
  const { code, stderr } = await runCli(['ask', 'What is in notes.chat'], { folder });
  expect(code).toBe(2);
  expect(stderr).toContain('a question that ends in ".chat" needs a "?" behind it');
  expect((await runCli(['ask', 'What is in notes.chat?'], { folder })).stdout).toBe('An answer.\n');
});

describe('a file that an option names is looked at before anything is asked, and no folder is made for it:', () => {
  for (const option of ['--events', '--record'])
    for (const [file, message] of [
      ['gone/x', 'there is no folder "gone" for "gone/x"\n  next: make it with `mkdir -p gone`'],
      ['plain.txt/x', '"plain.txt/x" can be no file'],
      ['folder', `${option} takes a file, and "folder" is a folder`],
    ] as const)
      test(`ask ${option} ${file}`, async () => {
        const { server, folder } = await place();
        const { code, stdout, stderr } = await runCli(['ask', option, file, 'hi'], { folder });
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        expect(stderr).toContain(message);
        expect(server.requests).toEqual([]);
        expect(existsSync(join(folder, 'gone'))).toBe(false);
      });

  for (const option of ['--dot', '--plot'])
    test(`prov ${option} gone/x.svg`, async () => {
      const { folder } = await place();
      const { code, stderr } = await runCli(['prov', option, 'gone/x.svg', '.'], { folder });
      expect(code).toBe(2);
      expect(stderr).toContain('there is no folder "gone" for "gone/x.svg"');
      expect(existsSync(join(folder, 'gone'))).toBe(false);
    });

  test('devices are taken', async () => {
    const { server, folder } = await place();
    const argv = ['ask', '--events', '/dev/null', '--record', '/dev/null', 'hi'];
    const { code, stdout } = await runCli(argv, { folder });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'An answer.\n' });
    expect(server.requests).toHaveLength(1);
  });
});
