// What declares databases as tools, and what they are called then. Declaring opens no index.

import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { knowledgeTools } from '../../src/tools/knowledge.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { createWorld } from '../helpers/run.ts';
import { openSqlite } from '../helpers/sqlite.ts';
import { BINDS, call, declared, FACTORS, FILES, PLAIN } from './declared.ts';

describe('declarations', () => {
  const NET = [
    'binds',
    'binds_association_details',
    'factors',
    'factors_association_details',
    'plain',
  ];
  const rows: readonly [string, string, readonly string[]][] = [
    ['a base has two tools for each database, one where it has no fields', 'kb: net\n', NET],
    [
      'databases can be chosen',
      'kb: net plain factors\n',
      ['plain', 'factors', 'factors_association_details'],
    ],
    ['a base may be a path', 'kb: knowledge_base/net plain\n', ['plain']],
    ['a base may be one table', 'kb: knowledge_base/net/plain.tsv\n', ['plain']],
    [
      'one table is declared under a name of its own',
      'association: mine knowledge_base/net/plain.tsv\n',
      ['mine'],
    ],
    [
      'with options',
      'association: mine knowledge_base/net/factors.tsv fields=Effect undirected\n',
      ['mine', 'mine_association_details'],
    ],
    [
      'clear_associations forgets tables, and no bases',
      'kb: net plain\n\nassociation: a knowledge_base/net/plain.tsv\n\nclear_associations:\n\nassociation: b knowledge_base/net/plain.tsv\n',
      ['plain', 'b'],
    ],
    [
      'clear_tools forgets both',
      'kb: net\n\nassociation: a knowledge_base/net/plain.tsv\n\nclear_tools:\n\nkb: net plain\n',
      ['plain'],
    ],
    [
      'which do nothing when they are false',
      'kb: net plain\n\nassociation: a knowledge_base/net/plain.tsv\n\nclear_tools: false\n\nclear_associations: false\n',
      ['plain', 'a'],
    ],
    [
      'quotes keep a name in one piece',
      `kb: 'my base' "a b"\n`,
      ['a_b_c8687a08', 'a_b_c8687a08_association_details'],
    ],
    ['nothing declares nothing', 'user: hello\n', []],
  ];
  for (const [name, chat, expected] of rows)
    test(name, async () => {
      const files = { ...FILES, 'knowledge_base/my base/a b.tsv': BINDS };
      const { names, warnings } = await declared(chat, files);
      expect([...names].sort()).toEqual([...expected].sort());
      expect(warnings).toEqual([]);
    });

  const refused: readonly [string, string, object][] = [
    ['no name', 'user: x\n\nkb:\n', { code: 'bad-knowledge-base', exitCode: 2, at: { line: 3 } }],
    [
      'a base that is not there',
      'user: x\n\nkb: nett\n',
      {
        code: 'no-such-knowledge-base',
        exitCode: 3,
        at: { file: 'x.chat', line: 3 },
        next: 'did you mean "net"?',
      },
    ],
    [
      'a path that leads nowhere',
      'kb: ./nothing\n',
      { code: 'no-such-knowledge-base', exitCode: 3 },
    ],
    [
      'a database that is not there',
      'kb: net factor\n',
      { code: 'no-such-database', exitCode: 3, at: { line: 1 }, next: 'did you mean "factors"?' },
    ],
    ['a base without tables', 'kb: empty\n', { code: 'empty-knowledge-base', exitCode: 3 }],
    [
      'a table that is named and is none',
      'kb: broken bad\n',
      { code: 'no-table-header', at: { line: 1 } },
    ],
    ['a table without a path', 'association: a\n', { code: 'bad-association', exitCode: 2 }],
    [
      'a word too many',
      'association: a knowledge_base/net/plain.tsv directed\n',
      { code: 'bad-association' },
    ],
    [
      'a table that is not there',
      'association: a none.tsv\n',
      { code: 'no-such-table', at: { file: 'x.chat', line: 1 } },
    ],
    ['a folder for a table', 'association: a knowledge_base\n', { code: 'not-a-file' }],
    [
      'an option with a wrong value',
      'association: a knowledge_base/net/plain.tsv type=odd\n',
      { code: 'bad-table-option' },
    ],
    [
      'a column that is not there',
      'association: a knowledge_base/net/plain.tsv source=C\n',
      { code: 'unknown-column' },
    ],
    ['an open quote', 'kb: "net\n', { code: 'open-quote', at: { line: 1 } }],
  ];
  for (const [name, chat, expected] of refused)
    test(`${name} is refused at its line`, async () => {
      const files = {
        ...FILES,
        'knowledge_base/empty/x.txt': 'x',
        'knowledge_base/broken/bad.tsv': 'x\ty\n',
      };
      expect(await declared(chat, files).catch((error) => error)).toMatchObject(expected);
    });

  test('a remote chat opens no file of this machine', async () => {
    const folder = temporaryFolder(FILES);
    for (const content of [
      'association: a knowledge_base/net/plain.tsv\n',
      'kb: ./knowledge_base/net\n',
    ]) {
      const chat = parse(content, { file: 'https://example.org/x.chat' });
      const found = await knowledgeTools(chat, createWorld(folder), { warn: () => {} }).catch(
        (error) => error,
      );
      expect(found).toMatchObject({ code: 'remote-grant' });
    }
  });

  test('a table that is broken hides no other one', async () => {
    const { names, warnings } = await declared('kb: net\n', {
      ...FILES,
      'knowledge_base/net/bad.tsv': 'no header\n',
    });
    expect(names).toContain('factors');
    expect(warnings).toMatchObject([{ code: 'table-left-out', origin: { line: 1 } }]);
  });

  test('of two databases with one name the later one counts, with a warning at its line', async () => {
    const { tools, warnings } = await declared('kb: net plain\n\nassociation: plain other.tsv\n', {
      ...FILES,
      'other.tsv': '#A\tB\nx\tother\n',
    });
    expect(await call(tools, 'plain', { entities: ['x'] })).toEqual(['x~other']);
    expect(warnings).toMatchObject([{ code: 'tool-declared-twice', origin: { line: 3 } }]);
  });

  test('the later one counts with all its tools: no details of the earlier one beside it', async () => {
    const { names, warnings } = await declared(
      'kb: net factors\n\nassociation: factors other.tsv\n',
      { ...FILES, 'other.tsv': PLAIN },
    );
    expect(names).toEqual(['factors']);
    expect(warnings).toHaveLength(1);
  });

  test('a database that is called as the tool for details of another is a tool of its own', async () => {
    const files = {
      'knowledge_base/b/x.tsv': FACTORS,
      'knowledge_base/b/x_association_details.tsv': PLAIN,
    };
    for (const chat of ['kb: b\n', 'kb: b x_association_details x\n']) {
      const { names, warnings, tools } = await declared(chat, files);
      expect([new Set(names).size, warnings]).toEqual([3, []]);
      const found = names.filter((name) => name.endsWith('_association_details'));
      expect(found.length).toBeGreaterThan(0);
      const plain = tools.find(({ description }) =>
        description.includes('the database x_association_details.'),
      );
      expect(await call(tools, plain?.name ?? '', { entities: ['x'] })).toEqual(['x~y']);
    }
  });

  test('the same one again is no news', async () => {
    expect((await declared('kb: net\n\nkb: net plain\n')).warnings).toEqual([]);
  });

  test('an option that means nothing is told with the nearest one', async () => {
    const { warnings } = await declared(
      'association: a knowledge_base/net/plain.tsv undirectd=true\n',
    );
    expect(warnings).toMatchObject([{ code: 'unknown-table-option' }]);
    expect(warnings[0]?.message).toContain('did you mean "undirected"?');
  });

  test('names that no provider takes, and names that are taken, are made fit and stay apart', async () => {
    const long = 'x'.repeat(80);
    const files = {
      'knowledge_base/b/ä.tsv': BINDS,
      [`knowledge_base/b/${long}.tsv`]: PLAIN,
      "knowledge_base/b/it's.tsv": PLAIN,
      'knowledge_base/b/ask.tsv': PLAIN,
      'knowledge_base/b/x.y.tsv': PLAIN,
    };
    const folder = temporaryFolder(files);
    const tools = await knowledgeTools(parse('kb: b\n'), createWorld(folder), {
      warn: () => {},
      taken: ['ask'],
    });
    expect(tools).toHaveLength(6);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(6);
    for (const { name } of tools) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(tools.map(({ name }) => name)).not.toContain('ask');
  });
});

describe('declaring', () => {
  test('makes no index', async () => {
    const { folder, tools } = await declared('kb: net\n');
    const hidden = () =>
      readdirSync(join(folder, 'knowledge_base/net')).filter((name) => name.startsWith('.'));
    expect(hidden()).toEqual([]);
    await call(tools, 'plain', { entities: ['x'] });
    expect(hidden()).toEqual(['.plain.tsv.sqlite']);
  });

  test('opens none that is there: one that another program holds is in nobody’s way', async () => {
    const { folder, tools } = await declared('kb: net plain\n');
    await call(tools, 'plain', { entities: ['x'] });
    const other = await openSqlite(join(folder, 'knowledge_base/net/.plain.tsv.sqlite'), 'write');
    other.execute('BEGIN EXCLUSIVE');
    expect((await declared('kb: net plain\n', FILES, folder)).names).toEqual(['plain']);
    await expect(call(tools, 'plain', { entities: ['x'] })).rejects.toThrow('holds the index');
    other.close();
  });

  test('reads the beginning of a table: one of 8 GB is as good', async () => {
    const folder = temporaryFolder({
      ...FILES,
      'knowledge_base/net/huge.tsv': `#A\tB\n${'x\ty\n'.repeat(50_000)}`,
    });
    truncateSync(join(folder, 'knowledge_base/net/huge.tsv'), 8e9);
    expect((await declared('kb: net huge\n', {}, folder)).names).toEqual(['huge']);
  });
});
