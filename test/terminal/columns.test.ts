// Tables on terminals of every width, and in a pipe.

import { expect, test } from 'vitest';
import { inColumns } from '../../src/terminal/columns.ts';
import { cells } from '../../src/terminal/width.ts';

const rows = [
  ['NAME', 'STATE', 'FILE'],
  ['表', 'there', '/home/somebody/a/long/path/to/表.gguf'],
  ['other', '-', 'built-in'],
];

test('in a pipe nothing is cut', () => {
  expect(inColumns(rows)).toBe(
    'NAME   STATE  FILE\n表     there  /home/somebody/a/long/path/to/表.gguf\nother  -      built-in',
  );
});

test('a path that is too long for the terminal keeps its start and its end', () => {
  expect(inColumns(rows, { columns: 40 }).split('\n')).toEqual([
    'NAME   STATE  FILE',
    expect.stringMatching(/^表 {5}there {2}\/home.*….*表\.gguf$/),
    'other  -      built-in',
  ]);
});

test('in a narrow terminal it stands below its row, and what is usual is left out', () => {
  expect(inColumns(rows, { columns: 30, usual: 'built-in' }).split('\n')).toEqual([
    'NAME   STATE',
    '表     there',
    expect.stringMatching(/^ {5}\/home.*….*表\.gguf$/),
    'other  -',
  ]);
});

test('no line is wider than the terminal', () => {
  for (let columns = 20; columns < 60; columns++)
    for (const line of inColumns(rows, { columns }).split('\n'))
      expect(cells(line)).toBeLessThanOrEqual(columns);
});
