// Tables of chat prov by day, model, agent and workflow, and what it all costs.

import { describe, expect, test } from 'vitest';
import { job } from '../helpers/prov.ts';
import { chat, run } from '../helpers/prov-runs.ts';

const BILL = {
  'a.chat': chat(
    'pt=1000 ct=100 tt=1100 cct=400 model=small endpoint=shop timestamp=2026-11-01T23:59:59Z inference_id=1',
    'pt=2000 ct=100 tt=2100 model=big endpoint=shop timestamp=2026-11-02T00:00:00Z inference_id=2',
    'model=small timestamp=2026-11-02T10:00:00Z inference_id=3',
  ),
  'a.chat.files/agent.society/Worker/x/agent.chat': chat(
    'pt=10 ct=1 tt=11 model="=cmd()" timestamp=2026-11-02T10:00:00Z inference_id=4',
  ),
  ...job('Lab/run/Default', {
    files: { 'agent.chat': chat('pt=5 ct=5 tt=10 model=small inference_id=5') },
  }),
};

const PATHS = ['a.chat', 'Lab/run/Default'];

describe('a table', () => {
  test('by day is in order, with what has no day at its end', async () => {
    expect((await run([...PATHS, '--by', 'day'], { files: BILL })).stdout).toBe(
      `${[
        'day         requests  prompt  completion  total  cache read  cache write  reasoning',
        '2026-11-01         1    1000         100   1100         400            ?          ?',
        '2026-11-02         3   ≥2010        ≥101  ≥2111           ?            ?          ?',
        'no day             1       5           5     10           ?            ?          ?',
        'total              5   ≥3015        ≥206  ≥3221        ≥400            ?          ?',
      ].join('\n')}\n`,
    );
  });

  test('by model, agent and workflow puts each request into one group', async () => {
    const keys = async (by: string) => {
      const { stdout } = await run([...PATHS, '--by', by, '--json'], { files: BILL });
      const { schema, groups, total } = JSON.parse(stdout);
      expect(schema).toBe('prov-by/1');
      const sum = groups.reduce(
        (all: number, { requests }: { requests: number }) => all + requests,
        0,
      );
      expect(sum).toBe(total.requests);
      return groups.map(({ key, requests }: { key: string; requests: number }) => [key, requests]);
    };
    expect(await keys('model')).toEqual([
      ['big', 1],
      ['small', 3],
      ['=cmd()', 1],
    ]);
    expect(await keys('agent')).toEqual([
      ['Worker', 1],
      ['agent', 1],
      [null, 3],
    ]);
    expect(await keys('workflow')).toEqual([
      ['Lab', 1],
      [null, 4],
    ]);
  });

  test('as CSV has a fixed header, empty cells for the unknown, and nothing that a spreadsheet would compute', async () => {
    const { stdout } = await run([...PATHS, '--by', 'model', '--csv'], { files: BILL });
    expect(stdout).toBe(
      [
        'model,requests,pt,ct,tt,cct,cwt,rt,unknown,conflicts',
        'big,1,2000,100,2100,,,,0,0',
        'small,3,1005,105,1110,400,,,1,0',
        "'=cmd(),1,10,1,11,,,,0,0",
        '',
      ].join('\r\n'),
    );
  });

  test('counts the requests of the times alone, and says how many have none', async () => {
    const { stdout, stderr } = await run(
      [...PATHS, '--by', 'day', '--csv', '--since', '2026-11-01', '--until', '2026-11-01'],
      { files: BILL },
    );
    expect(stdout.split('\r\n')[1]).toMatch(/^2026-11-01,1,1000,/);
    expect(stdout.split('\r\n')).toHaveLength(3);
    expect(stderr).toBe('note: 1 request without a time left out\n');
  });
});

describe('money', () => {
  const endpoint = {
    'home/.scout/etc/AI/shop.yaml':
      'url: http://127.0.0.1:9/v1\nmodel: small\nprice: {input: 1, output: 10, cache_read: 0.1}\n',
  };
  const list = (models: string) => ({
    'etc/prices.yaml': `date: 2026-10-01\nsource: the contract\nmodels:\n${models}`,
  });
  const cost = async (files: Readonly<Record<string, string>>, ...argv: string[]) => {
    const result = await run([...PATHS, '--cost', ...argv], { files: { ...BILL, ...files } });
    return result;
  };

  test('is by the model that served, cached tokens by their own price, unpriced where there is none', async () => {
    const { stdout } = await cost(endpoint, '--by', 'model', '--json');
    const { groups, cost: money } = JSON.parse(stdout);
    // 600 fresh, 400 cached, 100 written: 600 + 40 + 1000 millionths.
    expect(
      groups.map(({ key, cost: amount, unpriced }: Record<string, unknown>) => [
        key,
        amount,
        unpriced,
      ]),
    ).toEqual([
      ['big', null, 1],
      ['small', 0.001695, 1],
      ['=cmd()', null, 1],
    ]);
    expect(money).toMatchObject({
      total: 0.001695,
      priced: 2,
      unpriced: 3,
      reasons: { 'no price for big': 1, 'usage unknown': 1, 'no price for =cmd()': 1 },
      prices: [
        { model: 'small', input: 1, output: 10, cache_read: 0.1, cache_write: null, date: null },
      ],
    });
  });

  test('a price that a cached token needs and that is not there makes the request unpriced, not cheap', async () => {
    const { stdout } = await cost(
      list('  small: {input: 1, output: 10}\n  big: {input: 2, output: 4}\n'),
    );
    expect(stdout).toContain('unpriced  1 request: no price for cache_read of small\n');
    expect(stdout).toContain('unpriced  1 request: usage unknown\n');
    expect(stdout).toContain('  big  input 2, output 4  2026-10-01, the contract\n');
    expect(stdout).toMatch(/^chat ≥3\.2k ≥0\.004400 a\.chat$/m);
  });

  test('a dated name of a model has the price of the model, an exact one its own', async () => {
    const files = {
      'a.chat': chat(
        'pt=1000000 ct=0 tt=1000000 model=m-2026-01-31 inference_id=1',
        'pt=1000000 ct=0 tt=1000000 model=m-mini inference_id=2',
        'pt=1000000 ct=0 tt=1000000 model=m-0613 inference_id=3',
      ),
      ...list('  m: {input: 3, output: 1}\n  m-0613: {input: 5, output: 1}\n'),
    };
    const { stdout } = await run(['a.chat', '--by', 'model', '--cost', '--csv'], { files });
    expect(stdout.split('\r\n').slice(1, 4)).toEqual([
      'm-0613,1,1000000,0,1000000,,,,0,0,5,0',
      'm-2026-01-31,1,1000000,0,1000000,,,,0,0,3,0',
      'm-mini,1,1000000,0,1000000,,,,0,0,,1',
    ]);
  });

  test('many small amounts add up without an error', async () => {
    const metas = Array.from(
      { length: 1000 },
      (_, index) => `pt=1 ct=1 tt=2 model=m inference_id=${index}`,
    );
    const files = { 'a.chat': chat(...metas), ...list('  m: {input: 0.1, output: 0.2}\n') };
    const { stdout } = await run(['a.chat', '--cost', '--by', 'model', '--json'], { files });
    expect(JSON.parse(stdout).total.cost).toBe(0.0003);
  });

  test('of several paths is told as their total, each request once: only its tokens were', async () => {
    const files = {
      'a.chat': chat('pt=1000 ct=0 tt=1000 model=m inference_id=1'),
      'b.chat': chat(
        'pt=1000 ct=0 tt=1000 model=m inference_id=1',
        'pt=500 ct=0 tt=500 model=m inference_id=2',
      ),
      'c.chat': chat('pt=1 ct=0 tt=1 model=n inference_id=3'),
      ...list('  m: {input: 100, output: 1}\n'),
    };
    for (const [paths, total] of [
      [['a.chat', 'b.chat'], 'total 1.5k 0.1500  2 requests, each once'],
      [['a.chat', 'b.chat', 'c.chat'], 'total 1.5k ≥0.1500  3 requests, each once'],
    ] as const)
      for (const view of [[], ['-c']])
        expect((await run([...paths, '--cost', ...view], { files })).stdout.split('\n')).toContain(
          total,
        );
  });

  test('stands in every view', async () => {
    const { stdout } = await cost(
      list('  small: {input: 1, output: 1, cache_read: 1}\n'),
      '-c',
      '-f',
      '-e',
    );
    expect(stdout).toMatch(/^chat ≥3\.2k ≥0\.001100 a\.chat$/m);
    expect(stdout).toMatch(/^\[\d\] chat +≥3\.2k ≥0\.001100 a\.chat$/m);
    expect(stdout).toMatch(/^ {2}id +pt +ct +tt +cct +cwt +rt +cost +status$/m);
    expect(stdout).toMatch(/^ {2}unpriced +3 +events without a cost$/m);
    const { stdout: document } = await cost({}, '--json');
    expect(JSON.parse(document).events[0].cost).toEqual({
      amount: null,
      unpriced: 'no price for small',
    });
  });

  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ['no YAML', 'models: {', /the price list is no valid YAML/],
    ['no models', 'date: 2026-01-01\n', /a price list has `models`/],
    [
      'a price that is no number',
      'models:\n  m: {input: free}\n',
      /"input" of "m" takes a number from 0 on/,
    ],
    ['a price below 0', 'models:\n  m: {input: -1}\n', /takes a number from 0 on/],
    ['an unknown key', 'models:\n  m: {inputs: 1}\n', /"m" has an unknown key "inputs"/],
  ];
  for (const [name, text, message] of wrong)
    test(`a price list with ${name} is an error of the set-up with its place`, async () => {
      const { code, stdout, stderr } = await cost({ 'etc/prices.yaml': text });
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
      expect(stderr).toMatch(message);
      expect(stderr).toContain('etc/prices.yaml:');
    });
});
