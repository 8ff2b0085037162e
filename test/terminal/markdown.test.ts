import { describe, expect, test } from 'vitest';
import { markdownStream, renderMarkdown } from '../../src/terminal/markdown.ts';
import { screen, withoutStyles } from './screen.ts';

const shown = async (text: string, columns = 80, colour = true) =>
  withoutStyles(await renderMarkdown(text, { columns, colour }));

const BLOCKS: readonly [name: string, text: string, shown: string, columns?: number][] = [
  ['nothing', '', ''],
  ['only empty lines', '\n\n', ''],
  ['a paragraph', 'one *two* **three** `four` ~~five~~\n', 'one two three four five\n'],
  ['line ends inside a paragraph stay', 'Roses\nViolets  \nSugar', 'Roses\nViolets\nSugar\n'],
  ['one empty row between blocks, however many there were', 'a\n\n\n\nb\n\n', 'a\n\nb\n'],
  ['headings', '# One\ntext\n## Two ##\n####### seven', 'One\ntext\nTwo\n####### seven\n'],
  ['words are wrapped', 'aaa bbb ccc', 'aaa bbb\nccc\n', 7],
  ['a long word is cut', 'a bbbbbbbbbb', 'a\nbbbbb\nbbbbb\n', 5],
  ['a rule', 'a\n\n---\nb', 'a\n\n──────────\nb\n', 10],
  [
    'a link shows where it leads',
    '[docs](https://a.b/c "Title")',
    'docs (https://a.b/c "Title")\n',
  ],
  [
    'a bare link is shown once',
    'see https://a.b/c. <https://d.e>',
    'see https://a.b/c. https://d.e\n',
  ],
  ['an image', '![a cat](cat.png)', 'a cat (cat.png)\n'],
  ['references stay as written', '[a][1] b\n\n[1]: https://a.b', '[a][1] b\n\n[1]: https://a.b\n'],
  [
    'HTML is text',
    '<b>x</b> y\n\n<div>\n**not bold**\n</div>',
    '<b>x</b> y\n\n<div>\n**not bold**\n</div>\n',
  ],
  [
    'signs that were hardly meant as markup stay',
    '2*3*4 a_b_c __init__ ~5 to ~6 \\(x\\) \\, C:\\new',
    '2*3*4 a_b_c __init__ ~5 to ~6 \\(x\\) \\, C:\\new\n',
  ],
  ['emphasis by underscores', '_a_ __B c__ ___d e___', 'a B c d e\n'],
  ['escaped signs', '\\*a\\* \\_b\\_', '*a* _b_\n'],
  ['spans that are never closed', 'a **b `c [d\n\ne', 'a **b `c [d\n\ne\n'],
  ['emphasis in ideographs', '这是**重点**内容', '这是重点内容\n'],
];

const LISTS: typeof BLOCKS = [
  ['bullets', '- a\n* b\n+ c', '• a\n• b\n• c\n'],
  ['numbers stay as written', '3. a\n4) b', '3. a\n4) b\n'],
  ['nested', '- a\n  - b\n    - c\n- d', '• a\n  • b\n    • c\n• d\n'],
  [
    'bullets two spaces below a number',
    '1. a\n  - b\n    - c\n2. d',
    '1. a\n   • b\n     • c\n2. d\n',
  ],
  ['indented by tabs', '-\ta\n\t- b', '• a\n  • b\n'],
  ['a list after a paragraph', 'a:\n- b\n- c', 'a:\n• b\n• c\n'],
  ['long items hang', '- aaa bbb ccc', '• aaa\n  bbb\n  ccc\n', 6],
  ['two blocks in an item', '1. a\n\n   b\n2. c', '1. a\n\n   b\n2. c\n'],
  ['tasks', '- [ ] a\n- [x] b', '• [ ] a\n• [x] b\n'],
  ['an empty item', '- a\n-\n- b', '• a\n• \n• b\n'],
  ['two markers in one line', '- - a\n  - b', '• • a\n  • b\n'],
  [
    'a year does not begin a list inside a paragraph',
    'It was in\n1984. Then',
    'It was in\n1984. Then\n',
  ],
  ['deeper than the row is wide', '- - - - - - - - x', '• x\n', 4],
  ['a quote', '> a\nb\n>\n> c\n\nd', '│ a\n│ b\n│ \n│ c\n\nd\n'],
  ['a list in a quote', '> - a\n>   b\n\nc', '│ • a\n│   b\n\nc\n'],
];

const RULE = '─'.repeat(40);
const CODE: typeof BLOCKS = [
  [
    'fenced',
    '```js\nconst a = **b**;\n\n# c\n```\nd',
    `── js ${'─'.repeat(34)}\nconst a = **b**;\n\n# c\n${RULE}\nd\n`,
  ],
  ['never closed', '~~~\na', `${RULE}\na\n${RULE}\n`],
  ['a fence inside a longer fence', '````\n```\n````', `${RULE}\n\`\`\`\n${RULE}\n`],
  [
    'in an item',
    '- a\n  ```\n  b\n    c\n  ```\n- d',
    `• a\n  ${RULE}\n  b\n    c\n  ${RULE}\n• d\n`,
  ],
  ['long lines are cut, not lost', '```\nabcdefgh\n```', '──────\nabcdef\ngh\n──────\n', 6],
  ['tabs', '```\n\tab\tc\n```', `${RULE}\n    ab  c\n${RULE}\n`],
  ['indented', 'a\n\n    b\n\n      c\n\nd', `a\n\n${RULE}\nb\n\n  c\n${RULE}\n\nd\n`],
  [
    'a long label',
    '```a-long-label with more\nx\n```',
    'a-long-label\nwith more\n────────────\nx\n────────────\n',
    12,
  ],
  ['three ticks in a line are no fence', '```a``` b', 'a b\n'],
];

const table = (...rows: string[]) => `${rows.join('\n')}\n`;
const TABLES: typeof BLOCKS = [
  [
    'columns of wide characters line up',
    '| 表 | e\u0301 |\n|:--|--:|\n| 👩‍👧 | 🇨🇿 |\n| abcdef | ﷺ |',
    table('表     │  e\u0301', '───────┼───', '👩‍👧     │ 🇨🇿', 'abcdef │  ﷺ'),
  ],
  [
    'alignment',
    '|a|b|c|\n|:-:|--:|---|\n|12345|1234|x|',
    table('  a   │    b │ c', '──────┼──────┼──', '12345 │ 1234 │ x'),
  ],
  [
    'inline markup, pipes behind backslashes, missing and extra cells',
    '| a | b |\n|--|--|\n| `x\\|y` |\n| **1** | 2 | 3 |',
    table('a   │ b │ ', '────┼───┼──', 'x|y │   │ ', '1   │ 2 │ 3'),
  ],
  [
    'wide columns shrink to the width of the terminal',
    '| id | text |\n|--|--|\n| 1 | one two three |\n| 2 | four |',
    table('id │ text', '───┼─────────', '1  │ one two', '   │ three', '───┼─────────', '2  │ four'),
    13,
  ],
  [
    'more columns than fit become a list',
    '| a | b | c | d |\n|-|-|-|-|\n| 1 | 2 | 3 | 4 |\n| 5 | 6 | 7 | 8 |',
    table('a: 1', 'b: 2', 'c: 3', 'd: 4', '─'.repeat(12), 'a: 5', 'b: 6', 'c: 7', 'd: 8'),
    12,
  ],
  ['a table ends a paragraph', 'text\n| a |\n|---|\n| b |', table('text', 'a', '─', 'b')],
  ['no table without its second line', '| a | b |\ntext', '| a | b |\ntext\n'],
  ['no table with too few dashes', '| a | b |\n|---|\n', '| a | b |\n|---|\n'],
  [
    'in an item',
    '- x\n\n  | a |\n  |---|\n  | b |\n\ny',
    table('• x', '', '  a', '  ─', '  b', '', 'y'),
  ],
];

describe.each([
  ['blocks', BLOCKS],
  ['lists and quotes', LISTS],
  ['code', CODE],
  ['tables', TABLES],
])('%s', (_group, cases) => {
  test.each(cases)('%s', async (_name, text, expected, columns = 80) => {
    expect(await shown(text, columns)).toBe(expected);
  });
});
describe('styles', () => {
  test('with colour styles replace the signs', async () => {
    const text = '# T\n\n## S\n\n**a** *b* `c` ~~d~~ ***e*** [f](g)';
    expect(await renderMarkdown(text, { columns: 80, colour: true })).toBe(
      [
        '\x1b[1m\x1b[4mT\x1b[24m\x1b[22m',
        '',
        '\x1b[1mS\x1b[22m',
        '',
        '\x1b[1ma\x1b[22m \x1b[3mb\x1b[23m \x1b[36mc\x1b[39m \x1b[9md\x1b[29m \x1b[1m\x1b[3me\x1b[23m\x1b[22m \x1b[4mf\x1b[24m\x1b[2m (g)\x1b[22m',
        '',
      ].join('\n'),
    );
  });

  test('without colour no sequence is sent and the signs that tell a style stay', async () => {
    const text = '## S\n\n**a** *b* `` c` `` ~~d~~\n\n> q\n\n```\nx\n```';
    expect(await renderMarkdown(text, { columns: 30, colour: false })).toBe(
      `## S\n\n**a** *b* \`\`c\`\`\` ~~d~~\n\n│ q\n\n${'─'.repeat(30)}\nx\n${'─'.repeat(30)}\n`,
    );
  });

  test('the global state of the process does not matter', async () => {
    const before = process.env.NO_COLOR;
    process.env.NO_COLOR = '1';
    try {
      expect(await renderMarkdown('**a**', { columns: 80, colour: true })).toContain('\x1b[1m');
    } finally {
      if (before === undefined) delete process.env.NO_COLOR;
      else process.env.NO_COLOR = before;
    }
  });
});

describe('control codes in an answer', () => {
  test.each([
    ['a colour', 'a \x1b[31mred', 'a ␛[31mred\n'],
    ['a title', '\x1b]0;x\x07', '␛]0;x␇\n'],
    ['the clipboard in code', '```\n\x1b]52;c;aGk=\x07\n```', `${RULE}\n␛]52;c;aGk=␇\n${RULE}\n`],
    ['in a table', '| \x1b[2J |\n|---|\n| \b\r |', '␛[2J\n────\n␈␍\n'],
    ['in a link target, as a character reference', '[x](<a&#27;[2J>)', 'x (a&#27;[2J)\n'],
    ['DOS line ends are line ends', 'a\r\n\r\nb\r\n', 'a\n\nb\n'],
  ])('%s', async (_name, text, expected) => {
    expect(await shown(text)).toBe(expected);
  });
});

describe('while text arrives', () => {
  const stream = async (columns: number, colour = true) => {
    let output = '';
    const { push, end } = await markdownStream({
      columns,
      colour,
      write: (text) => {
        output += text;
      },
    });
    return {
      end,
      /** What the terminal shows after one more piece. */
      show(piece: string) {
        push(piece);
        return screen(output, columns);
      },
      output: () => output,
    };
  };

  test.each([
    ['with colour', true],
    ['without sequences', false],
  ])('every character is on the screen at once, %s', async (_name, colour) => {
    const { show } = await stream(40, colour);
    expect(show('Hel')).toEqual(['Hel']);
    expect(show('lo wor')).toEqual(['Hello wor']);
    expect(show('ld, **bo')).toEqual(['Hello world, **bo']);
    expect(show('ld**')).toEqual(['Hello world, **bold**']);
    expect(show(' x')).toEqual([`Hello world, ${colour ? 'bold' : '**bold**'} x`]);
    expect(show('\n\n- it').slice(1)).toEqual(['', '• it']);
  });

  test('a preview stays on its row, whatever its length', async () => {
    const { show, end } = await stream(20);
    expect(show('a `very long code span that')).toEqual(['a …g code span that']);
    expect(show(' goes on and on')).toEqual(['a …t goes on and on']);
    end();
    expect(show('')).toHaveLength(4);
  });

  test('a table is previewed line by line until it is complete', async () => {
    const { show } = await stream(40);
    expect(show('| a | b |\n')).toEqual(['| a | b |']);
    expect(show('|---|---|\n| 1 |')).toEqual(['| 1 |']);
    expect(show(' 2 |\n\n')).toEqual(['a │ b', '──┼──', '1 │ 2', '']);
  });

  test('a span that is open for too long is shown as it is', async () => {
    const { show, output } = await stream(80);
    show(`*${'word '.repeat(100)}`);
    expect(output()).toContain('*word word');
  });

  test('a second text may follow the end of the first', async () => {
    const { show, end, output } = await stream(80);
    show('```\nx');
    end();
    show('**b**');
    end();
    end();
    expect(screen(output(), 80)).toEqual(['─'.repeat(40), 'x', '─'.repeat(40), 'b', '']);
  });

  test('a row follows the width that the terminal has by then', async () => {
    const size = { columns: 20 };
    let output = '';
    const { push, end } = await markdownStream({
      get columns() {
        return size.columns;
      },
      colour: false,
      write: (text) => {
        output += text;
      },
      preview: false,
    });
    push('aaa bbb ccc ddd\n');
    size.columns = 7;
    push('aaa bbb ccc ddd\n');
    end();
    expect(output).toBe('aaa bbb ccc ddd\naaa bbb\nccc ddd\n');
  });

  test('a long answer in one line, a long word and many open signs take linear time', async () => {
    const text = `${'word '.repeat(20_000)}\n${'x'.repeat(100_000)}\n\n${'[a *b '.repeat(5_000)}\n\n| ${'y'.repeat(50_000)}`;
    const rendered = await renderMarkdown(text, { columns: 80, colour: true });
    expect(withoutStyles(rendered).replace(/\s/g, '')).toHaveLength(text.replace(/\s/g, '').length);
  });
});

test('a line of fifty thousand signs of items costs no more than its length, and keeps its words', async () => {
  expect(await shown(`${'- '.repeat(50_000)}x`)).toMatch(/^• [• \n-]+x\n$/);
});
