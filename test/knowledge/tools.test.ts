// Databases as tools of a model: what declares them, what they are called, what they take and give. Declaring opens no index.

import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { knowledgeTools } from '../../src/tools/knowledge.ts';
import type { Tool, Warning } from '../../src/types.ts';
import { callsReply } from '../helpers/agents.ts';
import { type FakeServer, startFakeServer } from '../helpers/fake-server.ts';
import { type Tree, temporaryFolder } from '../helpers/folder.ts';
import { openaiStream } from '../helpers/openai-replies.ts';
import { createWorld, runCli } from '../helpers/run.ts';
import { openSqlite } from '../helpers/sqlite.ts';

let server: FakeServer | undefined;
afterEach(() => server?.close());

const FACTORS =
  '#: description=What factors do to genes\n#Factor\tGene\tEffect\tSources\nMYC\tTP53;CDK4\trepresses;activates\t2\nTP53\tCDKN1A\tactivates\t7\n';
const BINDS = '#: undirected=true\n#Protein\tProtein\tScore\nTP53\tMDM2\t0.99\n';
const PLAIN = '#A\tB\nx\ty\n';
const FILES: Tree = {
  'knowledge_base/net/factors.tsv': FACTORS,
  'knowledge_base/net/binds': BINDS,
  'knowledge_base/net/plain.tsv': PLAIN,
  'knowledge_base/net/notes.md': '# not a table\n',
  'knowledge_base/net/README.md': 'All about it.\n\n# plain\n\nThe plain one.\n',
};

async function declared(chat: string, files: Tree = FILES, folder = temporaryFolder(files)) {
  const warnings: Warning[] = [];
  const tools = await knowledgeTools(parse(chat, { file: 'x.chat' }), createWorld(folder), {
    warn: (each) => warnings.push(each),
  });
  return { tools, warnings, folder, names: tools.map(({ name }) => name) };
}

const call = async (tools: readonly Tool[], name: string, args: Record<string, unknown>) =>
  (
    await tools
      .find((tool) => tool.name === name)
      ?.call(args, { callId: 'c', chat: [], signal: new AbortController().signal })
  )?.content;

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

describe('a tool', () => {
  test('says what the model must know', async () => {
    const { tools } = await declared('kb: net\n');
    const by = new Map(tools.map((tool) => [tool.name, tool]));
    expect(by.get('factors')).toMatchObject({
      description: expect.stringMatching(
        /What factors do to genes[\s\S]*source~target[\s\S]*"Factor"[\s\S]*"Gene"/,
      ),
      parameters: {
        type: 'object',
        properties: {
          entities: { type: 'array', items: { type: 'string' } },
          reverse: { type: 'boolean' },
        },
        required: ['entities'],
      },
    });
    expect(by.get('plain')?.description).toContain('The plain one.');
    expect(by.get('binds')?.parameters).toHaveProperty('properties.entities');
    expect(by.get('binds')?.parameters).not.toHaveProperty('properties.reverse');
    expect(by.get('factors_association_details')).toMatchObject({
      description: expect.stringContaining('Effect, Sources'),
      parameters: { properties: { associations: {}, fields: {} }, required: ['associations'] },
    });
    expect(by.get('binds_association_details')?.parameters).not.toHaveProperty('properties.fields');
  });

  const calls: readonly [string, string, Record<string, unknown>, unknown][] = [
    [
      'finds targets',
      'factors',
      { entities: ['MYC', 'TP53'] },
      ['MYC~CDK4', 'MYC~TP53', 'TP53~CDKN1A'],
    ],
    [
      'finds sources, in the same form',
      'factors',
      { entities: ['TP53'], reverse: true },
      ['MYC~TP53'],
    ],
    ['takes true as a text', 'factors', { entities: ['TP53'], reverse: 'true' }, ['MYC~TP53']],
    ['finds both ends where they are alike', 'binds', { entities: ['MDM2'] }, ['MDM2~TP53']],
    ['takes one text for a list', 'plain', { entities: 'x' }, ['x~y']],
    ['gives nothing for what is not there', 'plain', { entities: ['none', '', '~'] }, []],
    ['gives nothing for nothing', 'plain', { entities: [] }, []],
    [
      'gives the fields of associations',
      'factors_association_details',
      { associations: ['MYC~TP53', 'TP53~CDKN1A'] },
      {
        'MYC~TP53': { Effect: 'represses', Sources: '2' },
        'TP53~CDKN1A': { Effect: 'activates', Sources: '7' },
      },
    ],
    [
      'only the fields that are asked for',
      'factors_association_details',
      { associations: ['MYC~TP53'], fields: ['Sources'] },
      { 'MYC~TP53': { Sources: '2' } },
    ],
    [
      'all of them when none is named',
      'factors_association_details',
      { associations: ['MYC~TP53'], fields: [] },
      { 'MYC~TP53': { Effect: 'represses', Sources: '2' } },
    ],
    [
      'finds an undirected association either way',
      'binds_association_details',
      { associations: ['MDM2~TP53', 'TP53~MDM2'] },
      { 'MDM2~TP53': { Score: '0.99' }, 'TP53~MDM2': { Score: '0.99' } },
    ],
    [
      'leaves out associations that are not there',
      'factors_association_details',
      { associations: ['TP53~MYC', 'nothing', '~'] },
      {},
    ],
  ];
  for (const [name, tool, args, expected] of calls)
    test(name, async () => {
      const { tools } = await declared('kb: net\n');
      expect(await call(tools, tool, args)).toEqual(expected);
    });

  test('white space around a name is no part of it, in questions as in tables', async () => {
    const { tools } = await declared('kb: net factors\n');
    expect(await call(tools, 'factors', { entities: [' TP53\n'] })).toEqual(['TP53~CDKN1A']);
    const details = { associations: ['TP53 ~ CDKN1A'], fields: ['Sources'] };
    expect(await call(tools, 'factors_association_details', details)).toEqual({
      'TP53 ~ CDKN1A': { Sources: '7' },
    });
  });

  test('a text of nothing but tildes is not thousands of queries', async () => {
    const { tools } = await declared('kb: net factors\n');
    const associations = ['~'.repeat(1_000_000)];
    expect(await call(tools, 'factors_association_details', { associations })).toEqual({});
  });

  test('finds an association whose names have a tilde', async () => {
    const { tools } = await declared('association: t t.tsv\n', {
      't.tsv': '#A\tB\tC\na~b\tc~d\t1\n',
    });
    expect(await call(tools, 't', { entities: ['a~b'] })).toEqual(['a~b~c~d']);
    expect(await call(tools, 't_association_details', { associations: ['a~b~c~d'] })).toEqual({
      'a~b~c~d': { C: '1' },
    });
  });

  const wrong: readonly [string, string, Record<string, unknown>, RegExp][] = [
    ['no entities', 'factors', {}, /"entities" must be a list of texts/],
    ['something else in the list', 'factors', { entities: [{ name: 'x' }] }, /"entities" must be/],
    [
      'a field that is not there',
      'factors_association_details',
      { associations: ['MYC~TP53'], fields: ['Efect'] },
      /no field "Efect"; did you mean "Effect"\?/,
    ],
    [
      'a field that is like none',
      'factors_association_details',
      { associations: ['MYC~TP53'], fields: ['xyz'] },
      /no field "xyz"; its fields: Effect, Sources$/,
    ],
  ];
  for (const [name, tool, args, message] of wrong)
    test(`tells the model about ${name}`, async () => {
      const { tools } = await declared('kb: net\n');
      await expect(call(tools, tool, args)).rejects.toThrow(message);
    });

  test('tells those who watch that a large table is indexed, once', async () => {
    const { tools } = await declared('kb: b\n', {
      'knowledge_base/b/t.tsv': `#A\tB\n${'some source\tsome target\n'.repeat(220_000)}`,
    });
    const told: string[] = [];
    const signal = new AbortController().signal;
    for (let turn = 0; turn < 2; turn++)
      await tools[0]?.call(
        { entities: ['some source'] },
        { callId: 'c', chat: [], signal, tell: (text) => told.push(text) },
      );
    expect(told).toEqual(['indexes t (5 MB), once']);
  });

  test('follows a table that changes during the run', async () => {
    const { tools, folder } = await declared('kb: net plain\n');
    expect(await call(tools, 'plain', { entities: ['x'] })).toEqual(['x~y']);
    await createWorld(folder).files.write(
      join(folder, 'knowledge_base/net/plain.tsv'),
      '#A\tB\nx\tz\n',
    );
    expect(await call(tools, 'plain', { entities: ['x'] })).toEqual(['x~z']);
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

describe('asked', () => {
  async function home(files: Tree): Promise<Tree> {
    server = await startFakeServer((_, index) =>
      index === 0
        ? callsReply([
            { name: 'factors', args: { entities: ['MYC'] }, id: 'a' },
            {
              name: 'factors_association_details',
              args: { associations: ['MYC~CDK4'], fields: ['Effect'] },
              id: 'b',
            },
          ])
        : openaiStream('It activates CDK4.'),
    );
    return {
      'home/.scout/etc/AI/default.yaml': `backend: openai\nurl: ${server.url}/v1\nmodel: fake-mini\nretry_max: 0\n`,
      ...files,
    };
  }
  const outputs = (text: string | undefined) =>
    parse(text ?? '')
      .filter(({ role }) => role === 'function_call_output')
      .map(({ content }) => JSON.parse(content).content);
  const EXPECTED = ['["MYC~CDK4","MYC~TP53"]', '{"MYC~CDK4":{"Effect":"activates"}}'];

  test('a chat with a base answers from it, and nothing of the declarations reaches the model', async () => {
    const files = await home({
      ...FILES,
      'x.chat': 'kb: net factors\n\nclear_associations:\n\nuser: What does MYC do?\n',
    });
    const { code, stdout, stderr, read } = await runCli(['ask', 'x.chat'], { files });
    expect([code, stdout]).toEqual([0, 'It activates CDK4.\n']);
    expect(stderr).not.toContain('warning');
    expect(outputs(read('x.chat'))).toEqual(EXPECTED);
    const [first] = server?.requests ?? [];
    expect(first?.json.messages).toEqual([{ role: 'user', content: 'What does MYC do?' }]);
    expect(first?.json.tools).toHaveLength(2);
  });

  test('the folder knowledge_base of an agent gives it tools', async () => {
    const files = await home({
      'Agent/Biologist/start_chat': 'system: You know genes.\n',
      'Agent/Biologist/knowledge_base/factors.tsv': FACTORS,
    });
    const { code, read } = await runCli(
      ['agent', 'ask', 'Biologist', '-c', 'x.chat', 'What does MYC do?'],
      { files },
    );
    expect([code, outputs(read('x.chat'))]).toEqual([0, EXPECTED]);
  });

  test('its tables are found by the name of the agent, too', async () => {
    const files = await home({
      'Agent/Biologist/start_chat': 'system: You know genes.\n',
      'Agent/Biologist/knowledge_base/factors.tsv': FACTORS,
      'x.chat': 'kb: Biologist\n\nuser: What does MYC do?\n',
    });
    const { code, read } = await runCli(['ask', 'x.chat'], { files });
    expect([code, outputs(read('x.chat'))]).toEqual([0, EXPECTED]);
  });

  test('an answer that was looked up is looked up again: the tables may say something else by then', async () => {
    const files = await home({
      ...FILES,
      'x.chat': 'kb: net factors\n\nuser: What does MYC do?\n',
    });
    const { folder } = await runCli(['ask', 'x.chat'], { files });
    const before = server?.requests.length ?? 0;
    await runCli(['ask', '-c', 'y.chat', '-i', 'x.chat', 'What does MYC do?'], { folder });
    await runCli(['ask', '-c', 'z.chat', '-i', 'x.chat', 'What does MYC do?'], { folder });
    expect(server?.requests.length).toBe(before + 2);
  });

  test('`agent find` shows the folder', async () => {
    const files = {
      'Agent/Biologist/start_chat': 'system: You know genes.\n',
      'Agent/Biologist/knowledge_base/factors.tsv': FACTORS,
    };
    const { stdout } = await runCli(['agent', 'find', 'Biologist'], { files });
    expect(stdout).toContain('  knowledge Agent/Biologist/knowledge_base\n');
  });

  test('a task and a database of one name are both there', async () => {
    const files = await home({
      ...FILES,
      'workflows/W.yaml': 'tasks:\n  factors:\n    command: ["printf", "x"]\n',
      'x.chat': 'tool: W\n\nkb: net factors\n\nuser: What does MYC do?\n',
    });
    await runCli(['ask', 'x.chat'], { files });
    const names = server?.requests[0]?.json.tools.map(
      (tool: { function: { name: string } }) => tool.function.name,
    );
    expect(names).toEqual(['W_factors', 'factors', 'factors_association_details']);
  });
});
