// `--inline`: what it writes into a source file, and what it never does to it.

import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inlineQuestions, withAnswer } from '../../src/ask/inline-source.ts';
import { type Answers, type FakeServer, startFakeServer } from '../helpers/fake-server.ts';
import { type Tree, temporaryFolder } from '../helpers/folder.ts';
import { openaiStream } from '../helpers/openai-replies.ts';
import { runCli } from '../helpers/run.ts';

interface Place {
  readonly server: FakeServer;
  readonly folder: string;
  inline(...more: readonly string[]): ReturnType<typeof runCli>;
}

async function place(files: Tree, answers: Answers = openaiStream('An answer.')): Promise<Place> {
  const server = await startFakeServer(answers);
  onTestFinished(() => server.close());
  const folder = temporaryFolder({
    'home/.scout/etc/AI/default.yaml': `backend: openai\nurl: ${server.url}/v1\nmodel: m\nprice: {input: 1, output: 1}\n`,
    ...files,
  });
  return { server, folder, inline: (...more) => runCli(['ask', '--inline', ...more], { folder }) };
}

describe('the answer in the source', () => {
  const [asked] = inlineQuestions('x = 1\n  # ask: why?\ny = 2\n');
  if (asked === undefined) throw new Error('the comment asks');
  const answered = (text: string) => withAnswer('x = 1\n  # ask: why?\ny = 2\n', asked, text);

  for (const [name, text, lines] of [
    ['words become comments', 'Because.\n\nSo.', '  # Because.\n  #\n  # So.'],
    ['fenced code becomes code', 'Use:\n```py\na()\n\nb()\n```', '  # Use:\n  a()\n\n  b()'],
    ['an answer that asks is not asked itself', 'ask: more?', '  # asked: more?'],
    ['code that asks is not asked itself', '```\n# ask: more?\n```', '  # asked: more?'],
    [
      'what some language takes for the end of a line ends no comment',
      'a\rb()\u2028c()\u2029d()\fe()\vf()\x85g()\r\nh',
      ['a', 'b()', 'c()', 'd()', 'e()', 'f()', 'g()', 'h'].map((each) => `  # ${each}`).join('\n'),
    ],
  ] as const)
    test(name, () => {
      expect(answered(text)).toBe(`x = 1\n  # asked: why?\n${lines}\ny = 2\n`);
      expect(inlineQuestions(answered(text))).toEqual([]);
    });
});

test('white space in a comment that asks costs no more than its length', () => {
  const question = `a${' '.repeat(300_000)}b`;
  const asked = inlineQuestions(`# ask: ${question} \t\r\n`);
  expect(asked.map((each) => each.question)).toEqual([question]);
});

test('a comment that ends in a backslash swallows no line of C', () => {
  const source = '// ask: why?\nx = 1;\n';
  const [asked] = inlineQuestions(source);
  if (asked === undefined) throw new Error('the comment asks');
  expect(withAnswer(source, asked, 'C:\\ \nD:\\')).toBe(
    '// asked: why?\n// C:\\ .\n// D:\\ .\nx = 1;\n',
  );
});

describe('a source file keeps', () => {
  test('bytes that are not UTF-8: it is refused before anything is asked', async () => {
    const latin = Buffer.from('# ask: why?\nprint("caf\xe9")\n', 'latin1');
    const { server, folder, inline } = await place({ 'x.py': latin });
    const { code, stderr } = await inline('x.py');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^error: byte 22 is not UTF-8 \(x\.py:2\)\n {2}next: save it/),
    });
    expect(readFileSync(join(folder, 'x.py')).equals(latin)).toBe(true);
    expect(server.requests).toEqual([]);
  });

  test('its byte order mark and its line ends, and a link stays a link', async () => {
    const { folder, inline } = await place({ 'real.py': '\ufeff# ask: why?\r\nx = 1\r\nend' });
    symlinkSync('real.py', join(folder, 'link.py'));
    const { code, read } = await inline('link.py');
    expect(code).toBe(0);
    expect(read('real.py')).toBe('\ufeff# asked: why?\r\n# An answer.\r\nx = 1\r\nend');
  });

  test('what an editor saves while the model answers', async () => {
    let folder = '';
    const made = await place({ 'x.py': '# ask: why?\nx = 1\n' }, () => {
      writeFileSync(join(folder, 'x.py'), 'import os\n# ask: why?\nx = 2  # edited\n');
      return openaiStream('So.');
    });
    folder = made.folder;
    const { code, read } = await made.inline('x.py');
    expect(code).toBe(0);
    expect(read('x.py')).toBe('import os\n# asked: why?\n# So.\nx = 2  # edited\n');
  });

  test('and the answer is printed when the comment is gone meanwhile', async () => {
    let folder = '';
    const made = await place({ 'x.py': '# ask: why?\n' }, () => {
      writeFileSync(join(folder, 'x.py'), 'x = 2\n');
      return openaiStream('So.');
    });
    folder = made.folder;
    const { code, stdout, stderr, read } = await made.inline('x.py');
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'So.\n' });
    expect(stderr).toContain('"why?" is not asked in the file any more (x.py)');
    expect(read('x.py')).toBe('x = 2\n');
  });
});

describe('asked with', () => {
  test('--dry-run, nothing is sent or written: the questions are listed', async () => {
    const source = 'x\n# ask: why?\n  // ask: and how?\n';
    const { server, inline } = await place({ 'x.py': source });
    const { code, stdout, read } = await inline('x.py', '-d');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'x.py:2: why?\nx.py:3: and how?\n' });
    expect(read('x.py')).toBe(source);
    expect(server.requests).toEqual([]);
  });

  for (const more of [['a question'], ['-c', 'x.chat'], ['-f', 'x.py'], ['--json']])
    test(`${more[0]}, it says that the two do not go together`, async () => {
      const { server, inline } = await place({ 'x.py': '# ask: why?\n' });
      const { code, stderr } = await inline('x.py', ...more);
      expect(code).toBe(2);
      expect(stderr).toMatch(/--inline and .* cannot be used together/);
      expect(server.requests).toEqual([]);
    });

  test('--max-tokens, all questions of the file share the limit', async () => {
    const { server, inline } = await place(
      { 'x.py': '# ask: one?\n# ask: two?\n' },
      openaiStream('So.', { usage: { prompt_tokens: 900, completion_tokens: 50 } }),
    );
    const { code, read } = await inline('x.py', '--max-tokens', '1000');
    expect(code).toBe(5);
    expect(server.requests.length).toBe(1);
    expect(read('x.py')).toBe('# asked: one?\n# So.\n# ask: two?\n');
  });
});
