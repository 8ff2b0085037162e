// `kb list`, `kb show` and `kb query`, on the example that ships.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageFolder } from '../helpers/built.ts';
import { type Tree, temporaryFolder } from '../helpers/folder.ts';
import { type RunOptions, runCli } from '../helpers/run.ts';

function example(files: Tree = {}): string {
  const folder = temporaryFolder({ 'home/.scout/': '', ...files });
  cpSync(join(packageFolder, 'fixtures/knowledge'), folder, {
    recursive: true,
    filter: (file) => !file.endsWith('.sqlite'),
  });
  return folder;
}

const kb = (argv: readonly string[], options: RunOptions = {}) =>
  runCli(['kb', ...argv], { folder: example(), ...options });

const TERMINAL = { terminal: { columns: 80, colour: false } } as const;

describe('list', () => {
  test('shows every base with its databases counted', async () => {
    const { stdout, stderr, code } = await kb(['list']);
    expect([code, stdout, stderr]).toEqual([
      0,
      '#name\tdatabases\tplace\ngenetic_code\t3\tknowledge_base/genetic_code\n',
      '',
    ]);
  });

  test('shows the databases of one, and opens no index', async () => {
    const { stdout, read } = await kb(['list', 'genetic_code']);
    expect(stdout.split('\n').map((line) => line.split('\t').slice(0, 4))).toEqual([
      ['#database', 'source', 'target', 'fields'],
      ['classes', 'Side chain', 'Amino acid', '0'],
      ['codons', 'Codon', 'Amino acid', '2'],
      ['neighbours', 'Codon', 'Codon (undirected)', '3'],
      [''],
    ]);
    expect(read('knowledge_base/genetic_code/.codons.tsv.sqlite')).toBeUndefined();
  });

  test('fits a terminal', async () => {
    const { stdout } = await kb(['list', 'genetic_code'], TERMINAL);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines[2]).toMatch(/^codons {6}Codon {7}Amino acid .*What each of .*…$/);
  });

  test('is JSON on demand', async () => {
    const { stdout } = await kb(['list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'genetic_code', databases: ['classes', 'codons', 'neighbours'] },
    ]);
  });

  test('says what to do when there is none', async () => {
    const { stdout, stderr, code } = await runCli(['kb', 'list'], {
      files: { 'home/.scout/': '' },
    });
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('knowledge_base/NAME/DATABASE.tsv');
  });

  test('a broken table is told and hides no other', async () => {
    const folder = example({ 'knowledge_base/genetic_code/bad.tsv': 'x\n' });
    const { stdout, stderr, code } = await kb(['list', 'genetic_code'], { folder });
    expect([code, stdout.split('\n').length]).toEqual([0, 5]);
    expect(stderr).toBe(
      'knowledge_base/genetic_code/bad.tsv:1: warning: the table "bad" of the knowledge base "genetic_code" is left out: no line names the columns\n',
    );
  });
});

describe('show', () => {
  test('shows what is known before and after a query', async () => {
    const folder = example();
    const before = await kb(['show', 'genetic_code', 'codons'], { folder });
    expect(before.stdout).toContain('not indexed yet');
    await kb(['query', 'genetic_code', 'codons', 'AUG'], { folder });
    const { stdout } = await kb(['show', 'genetic_code', 'codons'], { folder });
    expect(stdout).toBe(
      `codons
  What each of the 64 codons stands for, with the letter and the abbreviation of the
  amino acid. Three codons end a protein: Stop.

  table    knowledge_base/genetic_code/codons.tsv
  from     Codon
  to       Amino acid
  fields   Letter, Abbreviation
  holds    64 associations
  index    knowledge_base/genetic_code/.codons.tsv.sqlite
`,
    );
    const json = await kb(['show', 'genetic_code', 'codons', '--json'], { folder });
    expect(JSON.parse(json.stdout)).toMatchObject({
      name: 'codons',
      associations: 64,
      problem: null,
    });
  });

  test('shows a whole base with what its README says', async () => {
    const { stdout } = await kb(['show', 'genetic_code']);
    expect(stdout).toMatch(/^genetic_code\n\nThe standard genetic code: .*\n[\s\S]*\nneighbours\n/);
    const json = JSON.parse((await kb(['show', 'genetic_code', '--json'])).stdout);
    expect(json.databases.map(({ name }: { name: string }) => name)).toEqual([
      'classes',
      'codons',
      'neighbours',
    ]);
  });

  test('says again what did not fit', async () => {
    const folder = example({ 't.tsv': '#A\tB\tC\nx\ty\n' });
    const first = await kb(['query', './t.tsv', 't', 'x'], { folder });
    expect(first.stderr).toContain('t.tsv:2: warning: not all lines of the table "t" fit');
    const { stdout } = await kb(['show', './t.tsv', 't'], { folder });
    expect(stdout).toContain('problem  1 line has fewer cells than columns');
  });

  test('control characters of a table move no cursor', async () => {
    const folder = example({ 't.tsv': '#: description=\x1b[2Jred\n#A\x1b[1m\tB\nx\ty\x1b[5m\n' });
    for (const argv of [
      ['show', './t.tsv'],
      ['list', './t.tsv'],
      ['query', './t.tsv', 't', 'x'],
    ]) {
      const { stdout, code } = await kb(argv, { folder, ...TERMINAL });
      expect(code).toBe(0);
      expect(stdout).not.toContain('\x1b');
    }
  });
});

describe('query', () => {
  test('is a table with tabs in a pipe, which is a table of associations itself', async () => {
    const folder = example();
    const { stdout, stderr, code } = await kb(['query', 'genetic_code', 'codons', 'UGG', 'AUG'], {
      folder,
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      '#Codon\tAmino acid\tLetter\tAbbreviation\nUGG\tTryptophan\tW\tTrp\nAUG\tMethionine\tM\tMet\n',
    );
    const again = await kb(['query', './found.tsv', 'found', 'AUG'], {
      folder: example({ 'found.tsv': stdout }),
    });
    expect(again.stdout).toBe(
      '#Codon\tAmino acid\tLetter\tAbbreviation\nAUG\tMethionine\tM\tMet\n',
    );
  });

  test('is aligned on a terminal', async () => {
    const { stdout } = await kb(['query', 'genetic_code', 'codons', 'UGG'], TERMINAL);
    expect(stdout).toBe(
      'Codon  Amino acid  Letter  Abbreviation\nUGG    Tryptophan  W       Trp\n',
    );
  });

  test('leaves out columns that a terminal has no room for, and says so', async () => {
    const columns = Array.from({ length: 500 }, (_, index) => `Column ${index}`);
    const folder = example({ 'wide.tsv': `#${columns.join('\t')}\n${columns.join('\t')}\n` });
    const { stdout, stderr } = await kb(['query', './wide.tsv', 'wide', 'Column 0'], {
      folder,
      ...TERMINAL,
    });
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stderr).toContain('492 more columns do not fit');
  });

  test('finds sources with --parents, and only the fields that are asked for', async () => {
    const { stdout } = await kb([
      'query',
      'genetic_code',
      'codons',
      '--parents',
      'Stop',
      '--fields',
      'Letter',
    ]);
    expect(stdout).toBe('#Codon\tAmino acid\tLetter\nUAA\tStop\t*\nUAG\tStop\t*\nUGA\tStop\t*\n');
  });

  test('finds the nine neighbours of a codon from both ends', async () => {
    const { stdout } = await kb(['query', 'genetic_code', 'neighbours', 'UGG', '--json']);
    const found = JSON.parse(stdout);
    expect(found).toHaveLength(9);
    expect(
      found
        .filter(({ fields }: { fields: { Effect: string } }) => fields.Effect === 'nonsense')
        .map(({ source, target }: { source: string; target: string }) => `${source} ${target}`),
    ).toEqual(['UGG UAG', 'UGG UGA']);
  });

  test('reads entities from standard input, a line each', async () => {
    const { stdout } = await kb(['query', 'genetic_code', 'codons', '-', '--fields', ''], {
      stdin: 'AUG\r\n\nUGG',
    });
    expect(stdout).toBe('#Codon\tAmino acid\nAUG\tMethionine\nUGG\tTryptophan\n');
  });

  test('finds names with white space around them, from a pipe and as arguments', async () => {
    const { code, stdout, stderr } = await kb(['query', 'genetic_code', 'codons', '-', ' UGG'], {
      stdin: 'AUG \t\r\n',
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([
      '#Codon',
      'AUG',
      'UGG',
      '',
    ]);
  });

  test('notes what is not there, and where it is instead; that is no failure', async () => {
    const { stdout, stderr, code } = await kb([
      'query',
      'genetic_code',
      'codons',
      'Leucine',
      'XXX',
    ]);
    expect([code, stdout, stderr]).toEqual([
      0,
      '',
      'nothing found for Leucine, XXX; Leucine is among the targets: --parents\n',
    ]);
    const json = await kb(['query', 'genetic_code', 'codons', 'XXX', '--json', '-q']);
    expect([json.stdout, json.stderr]).toEqual(['[]\n', '']);
  });

  const refused: readonly [string, readonly string[], number, RegExp][] = [
    [
      'a base that is not there',
      ['query', 'genetic_cod', 'codons', 'AUG'],
      3,
      /no knowledge base "genetic_cod"\n.*did you mean "genetic_code"\?/,
    ],
    [
      'a database that is not there',
      ['query', 'genetic_code', 'codon', 'AUG'],
      3,
      /no database "codon"\n.*did you mean "codons"\?/,
    ],
    [
      'a field that is not there',
      ['query', 'genetic_code', 'codons', 'AUG', '--fields', 'Leter'],
      2,
      /no field "Leter"\n.*did you mean "Letter"\?/,
    ],
    ['no entity', ['query', 'genetic_code', 'codons'], 2, /no entity is named/],
    [
      'no line on standard input',
      ['query', 'genetic_code', 'codons', '-'],
      2,
      /no entity is named/,
    ],
    [
      'two directions',
      ['query', 'genetic_code', 'codons', 'AUG', '--parents', '--children'],
      2,
      /exclude each other/,
    ],
    ['no database', ['query', 'genetic_code'], 2, /needs <database>|database/],
    ['a folder without tables', ['query', './knowledge_base', 'codons', 'AUG'], 3, /it has none/],
  ];
  for (const [name, argv, code, message] of refused)
    test(`${name} is an error that says what to do`, async () => {
      const result = await kb(argv);
      expect([result.code, result.stdout]).toEqual([code, '']);
      expect(result.stderr).toMatch(message);
    });
});

test('a table in another kind of file is named where its database is asked for', async () => {
  const folder = temporaryFolder({
    'home/.scout/': '',
    'b/drugs.csv': 'Gene,Drug\na,b\n',
    'b/genes.tsv.gz': '',
    'b/one.tsv': '#A\tB\nx\ty\n',
  });
  for (const [name, file] of [
    ['drugs', 'drugs.csv'],
    ['drugs.csv', 'drugs.csv'],
    ['genes', 'genes.tsv.gz'],
  ] as const) {
    const { code, stderr } = await kb(['query', './b', name, 'a'], { folder });
    expect(code).toBe(3);
    expect(stderr).toContain(`${file} is not read: tables are NAME.tsv`);
  }
  const { stderr } = await kb(['query', './b', 'two', 'a'], { folder });
  expect(stderr).not.toContain('is not read');
});

test('the name may stand before list, show and query', async () => {
  const folder = example();
  for (const [one, other] of [
    [
      ['list', 'genetic_code'],
      ['genetic_code', 'list'],
    ],
    [
      ['show', 'genetic_code', 'codons'],
      ['genetic_code', 'show', 'codons'],
    ],
    [
      ['query', 'genetic_code', 'codons', 'AUG'],
      ['genetic_code', 'query', 'codons', 'AUG'],
    ],
  ] as const) {
    const [first, second] = [await kb(one, { folder }), await kb(other, { folder })];
    expect(second.stdout).toBe(first.stdout);
    expect(second.code).toBe(0);
  }
});

test('shells complete the names of bases', async () => {
  const { stdout } = await runCli(['completion', '--list', 'knowledge'], { folder: example() });
  expect(stdout).toBe('genetic_code\n');
});

test('cells of nothing but separators are no pairs, and hold up nobody', async () => {
  const bars = '|'.repeat(300_000);
  const folder = temporaryFolder({
    'K/db.tsv': `#S\tT\tF\na\tb\tc\n${bars}\t${bars}\tx\n`,
    'home/.scout/': '',
  });
  const { code, stdout, stderr } = await kb(['query', 'K', 'db', 'a'], { folder });
  expect([code, stdout]).toEqual([0, '#S\tT\tF\na\tb\tc\n']);
  expect(stderr).toContain('1 line has no source or no target');
});
