import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { cells } from '../../src/terminal/cells.ts';
import { markdownStream, renderMarkdown } from '../../src/terminal/markdown.ts';
import { screen, withoutStyles } from './screen.ts';

const RUNS = { numRuns: Number(process.env.DEEP ?? 400) };

// Pieces that hurt: every sign that begins or ends something, wide characters, and what belongs to the character before it.
const SIGNS = [
  ...[
    '# ',
    '## ',
    '- ',
    '* ',
    '+ ',
    '1. ',
    '12) ',
    '> ',
    '>',
    '```',
    '````',
    '~~~',
    '---',
    '***',
    '___',
    '===',
  ],
  ...[
    '*',
    '**',
    '_',
    '__',
    '`',
    '``',
    '~~',
    '~',
    '[',
    ']',
    '(',
    ')',
    '![',
    '<',
    '>',
    '<b>',
    '</div>',
    '<!--',
    '-->',
  ],
  ...[
    '|',
    '| a | b |',
    '|---|:-:|',
    '\\',
    '\\|',
    'https://a.b/c',
    '[x](y)',
    '[x](y "z")',
    '&amp;',
    '<details>',
  ],
  ...['\n', '\n', '\n\n', '\n  ', '\n    ', '\n\t', ' ', ' ', '  \n', '\r\n'],
];
// Whole blocks, which single signs rarely make by chance.
const BLOCKS = [
  '\n| a | b |\n|---|:-:|\n| c | d |',
  '\n| 表 |\n|--:|\n| `x` **y** |\n| zzzzzzzzzz | 1 |\n',
  '\n```js\nx\n```\n',
  '\n```\n\tx',
  '\n\n    indented\n\n',
  '\n1. one\n   - two\n\n     ',
  '\n> - quoted\n> ',
  '\n<div>\n**x**\n\n',
  '**bold ',
  ' end**',
  '`code ',
];
const WORDS = [
  'a',
  'word',
  'Wörter',
  'snake_case',
  '表',
  '表示、',
  '。',
  '👩‍👧',
  '🇨🇿',
  'e\u0301',
  '한국',
  'ﷺ',
  '❤\ufe0f',
  'x'.repeat(30),
];
const CONTROLS = [
  '\x1b[31m',
  '\x1b]0;t\x07',
  '\x9b',
  '\r',
  '\b',
  '\u202e',
  '\0',
  '\u2028',
  '\ud83d',
  '\t',
];

const text = (...lists: string[][]) =>
  fc.array(fc.constantFrom(...lists.flat()), { maxLength: 40 }).map((parts) => parts.join(''));
const anyText = fc.oneof(
  text(SIGNS, WORDS, CONTROLS),
  text(SIGNS, WORDS),
  fc.string({ unit: 'binary' }),
);
const columns = fc.oneof(fc.integer({ min: 4, max: 30 }), fc.constantFrom(80, 200));
const cuts = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 30 });

type Size = { readonly columns: number; readonly colour: boolean };

async function streamed(whole: string, sizes: readonly number[], options: Size, preview: boolean) {
  let output = '';
  const { push, end } = await markdownStream({
    ...options,
    preview,
    write: (part) => {
      output += part;
    },
  });
  for (let from = 0, turn = 0; from < whole.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    push(whole.slice(from, from + size));
    from += Math.max(1, size);
    if (size === 0) push(whole.slice(from - 1, from));
  }
  end();
  return output;
}

describe('for any Markdown', () => {
  beforeAll(() => renderMarkdown('', { columns: 80, colour: true }));

  test('the pieces in which a text comes change nothing of what is written', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyText,
        cuts,
        columns,
        fc.boolean(),
        async (whole, sizes, width, colour) => {
          const size = { columns: width, colour };
          expect(await streamed(whole, sizes, size, false)).toBe(await renderMarkdown(whole, size));
        },
      ),
      RUNS,
    );
  });

  test('previews leave nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyText,
        cuts,
        columns,
        fc.boolean(),
        async (whole, sizes, width, colour) => {
          const size = { columns: width, colour };
          const expected = screen(await renderMarkdown(whole, size), width);
          expect(screen(await streamed(whole, sizes, size, true), width)).toEqual(expected);
        },
      ),
      RUNS,
    );
  });

  test('no control of the text reaches the terminal', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, columns, fc.boolean(), async (whole, width, colour) => {
        const rendered = await renderMarkdown(whole, { columns: width, colour });
        const bare = colour ? withoutStyles(rendered) : rendered;
        expect(bare).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u206f]/);
      }),
      RUNS,
    );
  });

  test('no row is wider than the terminal', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, columns, fc.boolean(), async (whole, width, colour) => {
        const rendered = withoutStyles(await renderMarkdown(whole, { columns: width, colour }));
        for (const row of rendered.split('\n')) expect(cells(row)).toBeLessThanOrEqual(width);
      }),
      RUNS,
    );
  });

  test('no letter is lost, doubled or moved', async () => {
    // A link whose text is its target is shown once, and a table may repeat its head when it is narrow: both left out here.
    const letters = (value: string) => value.match(/[\p{L}\p{N}]/gu)?.join('') ?? '';
    await fc.assert(
      fc.asyncProperty(text(SIGNS, WORDS, BLOCKS), fc.boolean(), async (whole, colour) => {
        const rendered = withoutStyles(await renderMarkdown(whole, { columns: 5000, colour }));
        expect(letters(rendered)).toBe(letters(whole));
      }),
      RUNS,
    );
  });

  test('widths of one to three cells and of nonsense do no harm', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyText,
        fc.constantFrom(0, 1, 2, 3, -5, Number.NaN),
        async (whole, width) => {
          await renderMarkdown(whole, { columns: width, colour: true });
        },
      ),
    );
  });
});
