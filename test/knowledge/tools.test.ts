// What the tools of databases take and give, and how a model uses them in a chat.

import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { callsReply } from '../helpers/agents.ts';
import { type FakeServer, startFakeServer } from '../helpers/fake-server.ts';
import type { Tree } from '../helpers/folder.ts';
import { openaiStream } from '../helpers/openai-replies.ts';
import { createWorld, runCli } from '../helpers/run.ts';
import { call, declared, FACTORS, FILES } from './declared.ts';

let server: FakeServer | undefined;
afterEach(() => server?.close());

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
