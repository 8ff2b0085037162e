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

  test('as CSV quotes a name that holds a quote, a comma or a line end', async () => {
    const entry = { tt: 1, model: 'a "b", c\n', inference_id: 'x' };
    const output = JSON.stringify({ id: 1, content: 'x', meta: [entry] });
    const text = `function_call: {"name":"ask","id":1}\n\nfunction_call_output: ${output}\n`;
    const { stdout } = await run(['a.chat', '--by', 'model', '--csv'], {
      files: { 'a.chat': text },
    });
    expect(stdout).toContain('\r\n"a ""b"", c\n",1,,,1,,,,1,0\r\n');
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

  test('by day counts a time with a zone on its day in UTC', async () => {
    const files = {
      'a.chat': chat('tt=1 timestamp=2026-11-01T23:30:00-05:00 inference_id=1'),
    };
    const { stdout } = await run(['a.chat', '--by', 'day', '--csv'], { files });
    expect(stdout).toContain('2026-11-02,1,');
  });

  test('counts a request of the very first moment, and none of the moment that ends it', async () => {
    const files = {
      'a.chat': chat(
        'tt=1 timestamp=2026-11-01T00:00:00Z inference_id=1',
        'tt=2 timestamp=2026-11-01T12:00:00Z inference_id=2',
      ),
    };
    const between = ['--since', '2026-11-01', '--until', '2026-11-01T12:00:00Z'];
    const { stdout } = await run(['a.chat', '--by', 'day', '--csv', ...between], { files });
    expect(stdout.split('\r\n')[1]).toMatch(/^2026-11-01,1,,,1,/);
  });

  test('by agent puts what only a receipt tells of to the agent that was asked', async () => {
    const calls = [
      { name: 'ask', arguments: { agent: 'Worker' }, id: 1, meta: [{ tt: 5, inference_id: 'a' }] },
      { name: 'ask', arguments: '{"agent":"Critic"}', id: 2, meta: [{ tt: 3 }, { tt: 3 }] },
      { name: 'hand_off_to_Planner', arguments: {}, id: 3, meta: [{ tt: 2, inference_id: 'b' }] },
      { name: 'run', arguments: {}, id: 4, meta: [{ tt: 1, inference_id: 'c' }] },
    ];
    const text = calls
      .map(({ meta, ...call }) => {
        const output = JSON.stringify({ id: call.id, content: 'x', meta });
        return `function_call: ${JSON.stringify(call)}\n\nfunction_call_output: ${output}\n\n`;
      })
      .join('');
    const { stdout } = await run(['a.chat', '--by', 'agent', '--csv'], {
      files: { 'a.chat': `user: q\n\n${text}` },
    });
    const rows = stdout.split('\r\n').slice(1, -1);
    expect(rows.map((row) => row.split(',').slice(0, 5).join())).toEqual([
      'Critic,2,,,6',
      'Worker,1,,,5',
      'Planner,1,,,2',
      ',1,,,1',
    ]);
  });

  test('by workflow puts conversations below those of a job to the workflow of the job', async () => {
    const files = job('Lab/run/Default', {
      files: {
        'agent.chat': chat('tt=1 inference_id=1'),
        'agent.chat.files/agent.society/Worker/x/agent.chat': chat('tt=2 inference_id=2'),
        'agent.chat.files/agent.society/Worker/x/agent.chat.files/a.society/Critic/y/agent.chat':
          chat('tt=4 inference_id=3'),
      },
    });
    const { stdout } = await run(['Lab/run/Default', '--by', 'workflow', '--csv'], { files });
    expect(stdout.split('\r\n').slice(1, -1)).toEqual([expect.stringMatching(/^Lab,3,,,7,/)]);
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

  test('of what nothing is priced is unknown, not 0, and so is half of a request', async () => {
    const files = {
      'a.chat': chat(
        'ct=100 tt=300 model=m inference_id=1',
        'pt=100 tt=300 model=m inference_id=2',
        'pt=1 ct=1 tt=2 model=other inference_id=3',
      ),
      ...list('  m: {input: 1, output: 1}\n'),
    };
    const { stdout } = await run(['a.chat', '--cost', '--json'], { files });
    expect(JSON.parse(stdout).cost).toMatchObject({
      total: null,
      priced: 0,
      unpriced: 3,
      reasons: { 'usage unknown': 2, 'no price for other': 1 },
    });
  });

  test('is never below 0: older records left cached tokens out of the prompt', async () => {
    const files = {
      'a.chat': chat('pt=10 ct=0 tt=10 cct=40 model=m inference_id=1'),
      ...list('  m: {input: 100, output: 1, cache_read: 1}\n'),
    };
    const { stdout } = await run(['a.chat', '--cost', '--json'], { files });
    expect(JSON.parse(stdout).cost.total).toBe(0.00004);
  });

  test('of a record without an endpoint is that of the endpoints with its model, when they agree', async () => {
    const at = (name: string, price: number) => ({
      [`home/.scout/etc/AI/${name}.yaml`]: `url: http://127.0.0.1:9/v1\nmodel: m\nprice: {input: ${price}, output: 1}\n`,
    });
    const files = { 'a.chat': chat('pt=1000000 ct=0 tt=1000000 model=m inference_id=1') };
    const total = async (...endpoints: readonly Readonly<Record<string, string>>[]) => {
      const all = Object.assign({}, files, ...endpoints);
      const { stdout } = await run(['a.chat', '--cost', '--json'], { files: all });
      return JSON.parse(stdout).cost.total;
    };
    expect(await total(at('one', 3), at('two', 3))).toBe(3);
    expect(await total(at('one', 3), at('two', 4))).toBe(null);
  });

  test('is told with the day and the source of its own price, else with those of the list', async () => {
    const files = {
      'a.chat': chat(
        'pt=1 ct=0 tt=1 model=m inference_id=1',
        'pt=1 ct=0 tt=1 model=n inference_id=2',
      ),
      ...list('  m: {input: 1, date: 2026-11-02, source: a letter}\n  n: {input: 1}\n'),
    };
    const { stdout } = await run(['a.chat', '--cost', '--json'], { files });
    expect(JSON.parse(stdout).cost.prices).toMatchObject([
      { model: 'm', date: '2026-11-02', source: 'a letter' },
      { model: 'n', date: '2026-10-01', source: 'the contract' },
    ]);
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
