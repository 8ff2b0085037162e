// Tables as databases: what a header says, which associations rows make, and what is said about lines that do not fit.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDatabase } from '../../src/knowledge/base.ts';
import { withIndex } from '../../src/knowledge/index-file.ts';
import { type Direction, detailsReader, pairsOf } from '../../src/knowledge/query.ts';
import type { TableOptions } from '../../src/knowledge/types.ts';
import type { Warning } from '../../src/types.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { createWorld } from '../helpers/run.ts';

const table = (content: string | Uint8Array, given: TableOptions = {}) => {
  const folder = temporaryFolder({ 't.tsv': content });
  const world = createWorld(folder);
  const warnings: Warning[] = [];
  const place = { name: 't', file: join(folder, 't.tsv') };
  return {
    warnings,
    database: () => readDatabase(place, world, given),
    find: (entities: readonly string[], direction: Direction = 'children') =>
      withIndex({ ...place, given }, world, { warn: (each) => warnings.push(each) }, (index) => {
        const read = detailsReader(index);
        return pairsOf(index, entities, direction).map((pair) => {
          const { source, target, values } = read(pair) ?? { ...pair, values: ['nothing'] };
          return [`${source}~${target}`, ...values];
        });
      }),
  };
};

describe('the header', () => {
  const rows: readonly [string, string, TableOptions, object][] = [
    [
      'the first column is the source, the second the target',
      '#A\tB\tC\tD\n',
      {},
      { source: 'A', target: 'B', fields: ['C', 'D'], undirected: false },
    ],
    [
      'options and comments may stand before it',
      '#: undirected=true#description=About it\n# a comment\n#A\tB\n',
      {},
      { undirected: true, description: 'About it', source: 'A' },
    ],
    [
      'comments describe a table that has no other description',
      '# First line\n# and second\n#A\tB\n',
      {},
      { description: 'First line\nand second' },
    ],
    [
      'options as Ruby writes them are read',
      '#: :type=:list#:sep=,#:namespace=Hsa\n#a,b,c\n',
      {},
      { source: 'a', target: 'b', fields: ['c'] },
    ],
    [
      'a byte order mark and line ends of Windows do no harm',
      '\ufeff#A\tB\r\n1\t2\r\n',
      {},
      { source: 'A', target: 'B' },
    ],
    [
      'a pair in the key names both ends',
      '#Gene~Disease\tScore\n',
      {},
      { source: 'Gene', target: 'Disease', fields: ['Score'], undirected: false },
    ],
    [
      'a pair may be undirected',
      '#Gene~Protein~undirected\n',
      {},
      { source: 'Gene', target: 'Protein', fields: [], undirected: true },
    ],
    ['a pair of one kind is undirected', '#Gene~Gene\tScore\n', {}, { undirected: true }],
    [
      'two columns of one name are the ends of an undirected table',
      '#Gene\tGene\tScore\n',
      {},
      { source: 'Gene', target: 'Gene', undirected: true },
    ],
    [
      'which it is not when it says so',
      '#: undirected=false\n#Gene\tGene\n',
      {},
      { undirected: false },
    ],
    [
      'columns are chosen by name',
      '#A\tB\tC\n',
      { source: 'C', target: 'A' },
      { source: 'C', target: 'A', fields: ['B'] },
    ],
    [
      'a source that is the second column makes the first the target',
      '#A\tB\tC\n',
      { source: 'B' },
      { source: 'B', target: 'A', fields: ['C'] },
    ],
    [
      'a target that is the first column makes the second the source',
      '#A\tB\tC\n',
      { target: 'A' },
      { source: 'B', target: 'A', fields: ['C'] },
    ],
    [
      'ends get other names',
      '#A\tB\n',
      { source: '=~Gene', target: 'B=~Drug' },
      { source: 'Gene', target: 'Drug' },
    ],
    [
      'fields are chosen in their order',
      '#A\tB\tC\tD\tE\n',
      { fields: ['E', 'C'] },
      { fields: ['E', 'C'], places: [2, 0] },
    ],
    [
      'fields of one name are told apart',
      '#A\tB\tS\tS\tS\n',
      {},
      { fields: ['S', 'S (2)', 'S (3)'], renamed: ['S (2)', 'S (3)'] },
    ],
    ['a field without a name has its number', '#A\tB\t\n', {}, { fields: ['column 3'] }],
    [
      'what a chat says wins over what the table says',
      '#: undirected=true\n#A\tB\n',
      { undirected: false },
      { undirected: false },
    ],
    ['a flat table has no fields', '#: type=flat\n#A\tB\tC\n', {}, { fields: [], target: 'B' }],
    [
      'names with quotes stay as they are',
      `#A"'; DROP TABLE x\tB\n`,
      {},
      { source: `A"'; DROP TABLE x` },
    ],
  ];
  for (const [name, content, given, expected] of rows)
    test(name, async () => {
      expect(await table(content, given).database()).toMatchObject(expected);
    });

  test('one that is longer than what is read first is read whole', async () => {
    const columns = Array.from({ length: 20_000 }, (_, index) => `Column ${index}`);
    const { fields } = await table(`#${columns.join('\t')}\n`).database();
    expect(fields).toHaveLength(19_998);
    expect(fields.at(-1)).toBe('Column 19999');
  });

  const refused: readonly [string, string | Uint8Array, TableOptions, string, number][] = [
    ['an empty file', '', {}, 'empty-table', 1],
    ['a file without a header', 'A\tB\n', {}, 'no-table-header', 1],
    ['options without a header', '#: type=list\nA\tB\n', {}, 'no-table-header', 2],
    ['one column only', '#A\nx\n', {}, 'bad-table', 1],
    ['UTF-16', Buffer.from('\ufeff#A\tB\n', 'utf16le'), {}, 'not-utf-8', 1],
    ['a file with the line ends of old Macs', '#A\tB\rx\ty\r', {}, 'bad-table', 1],
    ['a large one', `#A\tB\r${'x\ty\r'.repeat(50_000)}`, {}, 'bad-table', 1],
    ['a packed file', Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0]), {}, 'not-utf-8', 1],
    ['an unknown type', '#: type=tripel\n#A\tB\n', {}, 'bad-table-option', 1],
    [
      'a column that is not there',
      '#: x=y\n#Gene\tDrug\n',
      { target: 'Drgu' },
      'unknown-column',
      2,
    ],
    ['a field that is not there', '#Gene\tDrug\n', { fields: ['Score'] }, 'unknown-column', 1],
    ['identifiers to translate', '#Gene\tDrug\n', { source: 'Gene=>Name' }, 'bad-table-option', 1],
  ];
  for (const [name, content, given, code, line] of refused)
    test(`${name} is refused at its line`, async () => {
      const failure = await table(content, given)
        .database()
        .catch((error) => error);
      expect(failure).toMatchObject({ code, exitCode: 2, at: { line } });
    });
});

describe('rows', () => {
  const rows: readonly [
    string,
    string,
    TableOptions,
    readonly string[],
    Direction,
    readonly (readonly string[])[],
  ][] = [
    ['each makes an association', '#A\tB\tC\nx\ty\t1\n', {}, ['x'], 'children', [['x~y', '1']]],
    [
      'targets of one entity are sorted by name',
      '#A\tB\nx\tz\nx\ty\n',
      {},
      ['x'],
      'children',
      [['x~y'], ['x~z']],
    ],
    [
      'entities keep their order, and count once',
      '#A\tB\nx\t1\ny\t2\n',
      {},
      ['y', 'x', 'y'],
      'children',
      [['y~2'], ['x~1']],
    ],
    [
      'an entity that is not there adds nothing',
      '#A\tB\nx\t1\n',
      {},
      ['no', 'x'],
      'children',
      [['x~1']],
    ],
    [
      'parents are found from targets, in the same form',
      '#A\tB\tC\nx\t1\tp\ny\t1\tq\n',
      {},
      ['1'],
      'parents',
      [
        ['x~1', 'p'],
        ['y~1', 'q'],
      ],
    ],
    [
      'several targets share the fields that are one',
      '#A\tB\tC\nx\t1;2\tp\n',
      {},
      ['x'],
      'children',
      [
        ['x~1', 'p'],
        ['x~2', 'p'],
      ],
    ],
    [
      'several targets have the fields that are as many',
      '#A\tB\tC\tD\nx\t1;2\tp;q\ta;b;c\n',
      {},
      ['x'],
      'children',
      [
        ['x~1', 'p', 'a;b;c'],
        ['x~2', 'q', 'a;b;c'],
      ],
    ],
    [
      'a bar between targets is as good',
      '#A\tB\tC\nx\t1|2\tp|q\n',
      {},
      ['x'],
      'children',
      [
        ['x~1', 'p'],
        ['x~2', 'q'],
      ],
    ],
    [
      'where there is a bar, a semicolon belongs to the name',
      '#A\tB\nx\t1;a|2\n',
      {},
      ['x'],
      'children',
      [['x~1;a'], ['x~2']],
    ],
    [
      'text with semicolons stays whole beside one target',
      '#A\tB\tC\nx\t1\tfirst; second\n',
      {},
      ['x'],
      'children',
      [['x~1', 'first; second']],
    ],
    [
      'several sources all have the targets',
      '#A\tB\nx;y\t1;2\n',
      {},
      ['y'],
      'children',
      [['y~1'], ['y~2']],
    ],
    [
      'an empty name between others is none, and moves no field',
      '#A\tB\tC\nx\t1;;3\tp;q;r\n',
      {},
      ['x'],
      'children',
      [
        ['x~1', 'p'],
        ['x~3', 'r'],
      ],
    ],
    [
      'a list is never split',
      '#: type=list\n#A\tB\tC\nx\t1;2\tp;q\n',
      {},
      ['x'],
      'children',
      [['x~1;2', 'p;q']],
    ],
    [
      'a flat row has many targets',
      '#: type=flat\n#A\tB\nx\t1\t2;3\ny\t4\n',
      {},
      ['x'],
      'children',
      [['x~1'], ['x~2'], ['x~3']],
    ],
    [
      'another separator is taken',
      '#: sep2=,\n#A\tB\nx\t1,2;3\n',
      {},
      ['x'],
      'children',
      [['x~1'], ['x~2;3']],
    ],
    [
      'a pair in the key is split at its first tilde',
      '#A~B\tC\nx~y~z\t1\n',
      {},
      ['x'],
      'children',
      [['x~y~z', '1']],
    ],
    [
      'white space around names does not belong to them',
      '#A\tB\n x \t 1 ; 2 \n',
      {},
      ['x'],
      'children',
      [['x~1'], ['x~2']],
    ],
    [
      'the same row again counts once',
      '#A\tB\tC\nx\t1\tp\nx\t1\tp\n',
      {},
      ['x'],
      'children',
      [['x~1', 'p']],
    ],
    [
      'other values of the same association are added',
      '#A\tB\tC\tD\nx\t1\tp\t\nx\t1\tq\t9\n',
      {},
      ['x'],
      'children',
      [['x~1', 'p;q', ';9']],
    ],
    [
      'an undirected one is found from both ends, the asked one first',
      '#: undirected=true\n#A\tB\tC\nx\ty\t1\nz\tx\t2\n',
      {},
      ['x', 'y'],
      'children',
      [
        ['x~y', '1'],
        ['x~z', '2'],
        ['y~x', '1'],
      ],
    ],
    [
      'an end that meets itself is told once',
      '#: undirected=true\n#A\tB\tC\nx\tx\t1\n',
      {},
      ['x'],
      'children',
      [['x~x', '1']],
    ],
    [
      'both directions written down are one undirected association',
      '#: undirected=true\n#A\tB\tC\nx\ty\t1\ny\tx\t2\n',
      {},
      ['x'],
      'children',
      [['x~y', '1;2']],
    ],
    [
      'chosen columns are the ends',
      '#A\tB\tC\nx\ty\tz\n',
      { source: 'C', target: 'A' },
      ['z'],
      'children',
      [['z~x', 'y']],
    ],
    [
      'chosen fields are shown in their order',
      '#A\tB\tC\tD\nx\ty\t1\t2\n',
      { fields: ['D', 'C'] },
      ['x'],
      'children',
      [['x~y', '2', '1']],
    ],
    [
      'names that look like SQL, with quotes and backslashes, are names',
      `#: type=list\n#A\tB\n'; DROP TABLE association;--\té\\n"\n`,
      {},
      [`'; DROP TABLE association;--`],
      'children',
      [[`'; DROP TABLE association;--~é\\n"`]],
    ],
    [
      'a percent sign or a star stands for nothing else',
      '#A\tB\nx\t1\n',
      {},
      ['%', '*', 'X'],
      'children',
      [],
    ],
    ['the last line needs no end', '#A\tB\nx\t1\ny\t2', {}, ['y'], 'children', [['y~2']]],
    [
      'line ends of Windows are no part of a value',
      '#A\tB\tC\r\nx\t1\tp\r\n',
      {},
      ['x'],
      'children',
      [['x~1', 'p']],
    ],
    ['a table without rows has nothing', '#A\tB\n', {}, ['x'], 'children', []],
  ];
  for (const [name, content, given, entities, direction, expected] of rows)
    test(name, async () => {
      const { find, warnings } = table(content, given);
      expect(await find(entities, direction)).toEqual(expected);
      expect(warnings).toEqual([]);
    });

  test('500 columns are 498 fields', async () => {
    const columns = Array.from({ length: 500 }, (_, index) => `C${index}`);
    const { find } = table(`#${columns.join('\t')}\n${columns.join('\t').toLowerCase()}\n`);
    const [row = []] = await find(['c0']);
    expect([row.length, row[0], row.at(-1)]).toEqual([499, 'c0~c1', 'c499']);
  });
});

describe('lines that do not fit', () => {
  test('are counted in one warning with the places where they begin', async () => {
    const { find, warnings } = table(
      '#: description=d\n#A\tB\tC\nx\t1\tp\nx\t2\n\ny\ny\t3\tq\tsurplus\nz\t4\n\t5\tr\n',
    );
    expect(await find(['x', 'y', 'z'])).toEqual([
      ['x~1', 'p'],
      ['x~2', ''],
      ['y~3', 'q'],
      ['z~4', ''],
    ]);
    expect(warnings).toHaveLength(1);
    const [{ code, message, origin } = { code: '', message: '' }] = warnings;
    expect([code, origin?.line]).toEqual(['ragged-table', 4]);
    expect(message.replaceAll(/\S*\/t\.tsv/g, 't.tsv')).toBe(
      'not all lines of the table "t" fit: 2 lines have fewer cells than columns (the rest counts as empty), the first at t.tsv:4; ' +
        '2 lines have no source or no target (left out), the first at t.tsv:6; ' +
        '1 line has more cells than columns (those are left out), the first at t.tsv:7',
    );
    expect(await find(['x'])).toHaveLength(2);
    expect(warnings).toHaveLength(1);
  });

  test('bytes that are not UTF-8 are read as U+FFFD and told', async () => {
    const { find, warnings } = table(Buffer.from('#A\tB\nx\tcaf\xe9\n', 'latin1'));
    expect(await find(['x'])).toEqual([['x~caf\ufffd']]);
    expect(warnings.map(({ message }) => message)[0]).toContain('not UTF-8');
  });

  test('columns of one name are told with their new names', async () => {
    const { find, warnings } = table('#A\tB\tS\tS\nx\t1\tp\tq\n');
    expect(await find(['x'])).toEqual([['x~1', 'p', 'q']]);
    expect(warnings).toMatchObject([{ code: 'same-column' }]);
  });

  test('a letter that is cut by a piece of the file stays one', async () => {
    const long = 'é'.repeat(200_000);
    const { find, warnings } = table(`#A\tB\nx\ta${long}\ny\t${long}\n`);
    expect(await find(['x', 'y'])).toEqual([[`x~a${long}`], [`y~${long}`]]);
    expect(warnings).toEqual([]);
  });
});
