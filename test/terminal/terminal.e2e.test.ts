// On a real pseudo-terminal: what a person sees at the end.

import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../src/terminal/markdown.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { buildProgram } from '../helpers/program.ts';
import { screen, withoutStyles } from './screen.ts';

let program: Awaited<ReturnType<typeof buildProgram>>;
beforeAll(async () => {
  program = await buildProgram('terminal');
});
afterAll(() => program.remove());

/** Everything a program wrote to a terminal of so many columns. */
function run(args: readonly string[], columns: number, env: Record<string, string> = {}) {
  const { NO_COLOR: _no, FORCE_COLOR: _force, COLUMNS: _columns, ...rest } = process.env;
  return new Promise<{ output: string; code: number }>((resolve) => {
    const terminal = spawn(process.execPath, [program.file, ...args], {
      name: 'xterm-256color',
      cols: columns,
      rows: 24,
      env: { ...rest, ...env },
    });
    let output = '';
    terminal.onData((data) => {
      output += data;
    });
    terminal.onExit(({ exitCode }) => resolve({ output, code: exitCode }));
  });
}

const ANSWER = `# A *long* answer

It has **bold words**, \`code\`, a [link](https://example.com/a/rather/long/path) and enough text to wrap at any width, with a **bold span that crosses the end of a row** too.

1. First step:
   \`\`\`sh
   npm ci && npm test -- --a-long-option=with-a-long-value --and-another=one-that-is-even-longer
   \`\`\`
2. Second step
   - nested \`one\`
     - nested **two** that goes on for quite a while, so that it hangs below itself

> A quote, which is also long enough to be wrapped at least once on its way to the end.

| Sprache | Wörter | 数 |
|:--------|-------:|:--:|
| 日本語 | 1,234 | 表 |
| Čeština 🇨🇿 | 7 | e\u0301 |
| emoji 👩‍👧 | 99 | ﷺ |

---

中文段落没有空格,所以必须在字符之间换行。这是**重点**内容,还有更多的文字来测试自动换行功能。

Controls: \x1b]0;title\x07 \x1b[2J \x1b[31mred \b\b and an unclosed **end
`;

describe.each([80, 20])('an answer on a terminal of %i columns', (columns) => {
  const file = join(temporaryFolder({ 'answer.md': ANSWER }), 'answer.md');

  test('ends as if it had been rendered at once', async () => {
    const { output, code } = await run(['answer', file], columns);
    const expected = await renderMarkdown(ANSWER, { columns, colour: true });
    expect(code).toBe(0);
    expect(screen(output, columns)).toEqual(screen(expected, columns));
    for (const row of expected.split('\n')) expect(screen(row, columns)).toHaveLength(1);
  });

  test('has every word of the text', async () => {
    const { output } = await run(['answer', file, '7'], columns, { NO_COLOR: '1' });
    expect(output).not.toContain('\x1b');
    const shown = screen(output, columns)
      .join('')
      .replace(/[\s─│┼]/g, '');
    // In the narrow table words are cut and stand in columns.
    for (const word of ANSWER.match(/\p{L}{2,}/gu) ?? [])
      if (columns === 80 || !/Sprache|Wörter|日本語|Čeština|emoji/.test(word))
        expect(shown).toContain(word);
  });
});

describe('a status line on a terminal', () => {
  test.each([
    ['with colour', {}],
    ['without', { NO_COLOR: '1' }],
  ])('turns, leaves nothing behind and lets the process end, %s', async (_name, env) => {
    const { output, code } = await run(['status'], 40, env);
    expect(code).toBe(0);
    const frames = new Set(withoutStyles(output).match(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] asking 表/g));
    expect(frames.size).toBeGreaterThan(1);
    expect(screen(output, 40)).toEqual(
      ['a note', 'the answer', '⠋ forgotten'].map((row) => expect.stringContaining(row.slice(2))),
    );
    // The cursor stands at the start of the row, where a prompt writes over what was forgotten.
    expect(output.endsWith('\r')).toBe(true);
    expect(output).not.toContain('\x1b[?25');
  });
});
