// chat prov, run in this process on stores that each test writes.

import { describe, expect, test } from 'vitest';
import { createClock } from '../../src/world/clock.ts';
import { job } from '../helpers/prov.ts';
import { type RunOptions, runCli } from '../helpers/run.ts';

const clock = { ...createClock(), now: () => new Date('2026-11-30T12:00:00Z') };

/** A chat of one request for each text of a meta. */
const chat = (...metas: readonly string[]): string =>
  `user:\n\nhi\n\n${metas.map((meta) => `meta: ${meta}\n\nassistant:\n\nok\n\n`).join('')}`;

const meta = (id: string, more = ''): string => `pt=100 ct=20 tt=120 inference_id=${id}${more}`;

const run = (argv: readonly string[], options: RunOptions = {}) =>
  runCli(['prov', ...argv], { ...options, world: { clock, ...options.world } });

const TALK = { 'talk.chat': chat(meta('a'), meta('b')) };

describe('what cannot be asked for ends with 2 and says what to do:', () => {
  const rows: readonly (readonly [string, readonly string[], RegExp])[] = [
    [
      'a path where nothing is',
      ['gone.chat'],
      /cannot use "gone.chat": nothing is there\n.*next: name a chat/s,
    ],
    ['a folder without chats', ['empty'], /no chat \(\*\.chat\) and no job is in this folder/],
    ['several paths where nothing is', ['x', 'y'], /cannot use "x"(?=.*cannot use "y")/s],
    [
      'thousands of names where nothing is, of which a few are told',
      Array.from({ length: 3000 }, (_, index) => `x${index}`),
      /^error: cannot use "x0".*\n.*cannot use "x5"[^"]*; and 2994 more\)\n$/,
    ],
    ['no path', [], /chat prov needs <path>/],
    [
      'a picture of an unknown kind',
      ['talk.chat', '-p', 'x.gif'],
      /cannot draw "x\.gif".*next: name it FILE\.svg, FILE\.png, FILE\.pdf/s,
    ],
    ['a picture without an ending', ['talk.chat', '-p', 'svg'], /cannot draw "svg"/],
    [
      'two documents',
      ['talk.chat', '--json', '--ndjson'],
      /--json cannot share standard output with --ndjson/,
    ],
    [
      'a document and a text',
      ['talk.chat', '--json', '-f'],
      /--json cannot share standard output with --flow/,
    ],
    [
      'a document and DOT in one stream',
      ['talk.chat', '--ndjson', '--dot', '-'],
      /--ndjson cannot share/,
    ],
    ['CSV of no table', ['talk.chat', '--csv'], /--csv is a form of the table of --by/],
    ['lines of a table', ['talk.chat', '--ndjson', '--by', 'day'], /--ndjson cannot share/],
    [
      'a table by something else',
      ['talk.chat', '--by', 'week'],
      /--by is one of day, model, agent, workflow/,
    ],
    [
      'a day that no calendar has',
      ['talk.chat', '--since', '2026-02-30'],
      /--since "2026-02-30" is no day/,
    ],
    [
      'a month, which could be its beginning or its end',
      ['talk.chat', '--until', '2026-02'],
      /--until "2026-02" is no day and no time/,
    ],
    ['an empty path, as of a variable that is not set', [''], /cannot use "": it is empty/],
    [
      'a selection for a picture that is not drawn',
      ['talk.chat', '--only', 'failed'],
      /--only is about a picture, which is not asked for\n.*add --plot FILE or --dot FILE/s,
    ],
    [
      'a layout without a picture',
      ['talk.chat', '--dot', '-', '--timeout', '3'],
      /--timeout is about a picture/,
    ],
    [
      'a depth of what has none',
      ['talk.chat', '-e', '--depth', '0'],
      /--depth is about the tree or a picture/,
    ],
    [
      'times that exclude each other',
      ['talk.chat', '--since', '2026-02-02', '--until', '2026-02-01'],
      /is not before --until/,
    ],
    [
      'no nodes',
      ['talk.chat', '--dot', '-', '--max-nodes', '0'],
      /--max-nodes takes a whole number from 1 on/,
    ],
    [
      'a renderer that is none',
      ['talk.chat', '-p', 'x.svg', '--renderer', 'neato'],
      /--renderer is one of wasm, dot/,
    ],
  ];
  for (const [name, argv, message] of rows)
    test(name, async () => {
      const { code, stdout, stderr } = await run(argv, { files: { ...TALK, 'empty/': '' } });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(message);
    });

  test('nothing is written when the picture has an unknown ending, however much there is to read', async () => {
    const { read } = await run(['talk.chat', '--dot', 'g.dot', '-p', 'x.bmp'], { files: TALK });
    expect(read('g.dot')).toBeUndefined();
  });
});

test('a word of --only that fits nothing is told, most likely it was mistyped', async () => {
  const argv = ['talk.chat', '--dot', '-', '--only', 'Bakr', '--only', 'failed'];
  const { code, stderr } = await run(argv, { files: TALK });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'warning: nothing here fits --only "Bakr"\n',
  });
});

test('what cannot be used is told, the rest is shown, and --strict makes it 1', async () => {
  const argv = ['talk.chat', 'gone.chat'];
  const shown = await run(argv, { files: TALK });
  expect(shown).toMatchObject({
    code: 0,
    stdout: 'chat 240 talk.chat\n',
    stderr: 'warning: cannot use "gone.chat": nothing is there (gone.chat)\n',
  });
  expect(await run([...argv, '--strict'], { files: TALK })).toMatchObject({
    code: 1,
    stdout: shown.stdout,
  });
  expect(await run(['talk.chat', '--strict'], { files: TALK })).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(await run([...argv, '-q'], { files: TALK })).toMatchObject({ code: 0, stderr: '' });
});

test('a file that cannot be written is an error with its name', async () => {
  const { code, stderr } = await run(['talk.chat', '--dot', 'talk.chat/g.dot'], { files: TALK });
  expect(code).toBeGreaterThan(0);
  expect(stderr).toContain('talk.chat/g.dot');
});

describe('the tree', () => {
  test('of several paths has one total, each request once, and each root once', async () => {
    const files = {
      'one.chat': chat(meta('a'), meta('b')),
      'sub/two.chat': chat(meta('b'), meta('c')),
      ...job('W/t/Default_x', { files: { 'agent.chat': chat(meta('c')) } }),
    };
    expect((await run(['.'], { files })).stdout).toBe(
      [
        'chat 240 one.chat',
        'chat 240 sub/two.chat',
        'job 120 W/t x',
        'total 360  3 requests, each once',
        '',
      ].join('\n'),
    );
  });

  test('shows a root below another one only there', async () => {
    const files = {
      ...job('W/dep/Default'),
      ...job('W/top/Default', { info: { dependencies: ['W/dep/Default'] } }),
    };
    const { stdout } = await run(['var/jobs'], { files });
    expect(stdout).toBe(
      'job 0 W/top Default\n└─ job 0 W/dep Default\ntotal 0  0 requests, each once\n',
    );
  });

  test('says what failed, was aborted or waits, and what cannot be read', async () => {
    const files = {
      ...job('W/a/Default', { result: null, info: { status: 'error' } }),
      ...job('W/b/Default', { result: null, info: { status: 'aborted' } }),
      ...job('W/c/Default', { result: null, info: { status: 'waiting' } }),
      ...job('W/top/Default', {
        info: { dependencies: ['W/a/Default', 'W/b/Default', 'W/c/Default'] },
      }),
    };
    expect((await run(['W/top/Default'], { files })).stdout).toBe(
      [
        'job 0 W/top Default',
        '├─ job 0 W/a Default [error]',
        '├─ job 0 W/b Default [aborted]',
        '└─ job 0 W/c Default [waiting]',
        '',
      ].join('\n'),
    );
  });

  test('ends at the depth that was asked for and says that there is more', async () => {
    const files = {
      ...job('W/a/Default'),
      ...job('W/b/Default', { info: { dependencies: ['W/a/Default'] } }),
      ...job('W/c/Default', { info: { dependencies: ['W/b/Default'] } }),
    };
    expect((await run(['W/c/Default', '--depth', '1'], { files })).stdout).toBe(
      'job 0 W/c Default\n└─ job 0 W/b Default\n   └─ … 1 below\n',
    );
    expect((await run(['W/c/Default', '--depth', '0'], { files })).stdout).toBe(
      'job 0 W/c Default\n└─ … 1 below\n',
    );
  });

  test('of a long chain grows with the chain, not with its square', async () => {
    const files = Object.assign(
      {},
      ...Array.from({ length: 300 }, (_, index) =>
        job(`W/t/n${index}`, index === 0 ? {} : { info: { dependencies: [`W/t/n${index - 1}`] } }),
      ),
    );
    const { stdout } = await run(['W/t/n299'], { files });
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(300);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(120);
    expect(lines.at(-1)).toMatch(/\(level 299\) job 0 W\/t n0$/);
  });

  test('has full paths with -l', async () => {
    const files = job('W/t/Default_x', { files: { 'log/w/agent.chat': chat(meta('a')) } });
    const { stdout } = await run(['W/t/Default_x', '-l'], { files });
    expect(stdout).toBe(
      'job 120 var/jobs/W/t/Default_x\n└─ chat 120 var/jobs/W/t/Default_x.files/log/w/agent.chat\n',
    );
  });
});

describe('on a terminal', () => {
  const name = `${'表'.repeat(30)}\u001b[31m\u202e👩‍👧.chat`;
  const files = { [`talk.chat.files/agent.society/A/b/${name}`]: chat(meta('x')), ...TALK };

  for (const columns of [200, 80, 20, 12, 1])
    test(`no row is wider than ${columns} cells, and no name is obeyed`, async () => {
      const { cells } = await import('../../src/terminal/cells.ts');
      const { stdout } = await run(['talk.chat', '-f', '-e', '-c'], {
        files,
        terminal: { columns, colour: false },
      });
      expect(Math.max(...stdout.split('\n').map(cells))).toBeLessThanOrEqual(columns);
      expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
    });

  test('colour is used when it is allowed, and tells nothing that words do not', async () => {
    const { stripVTControlCharacters } = await import('node:util');
    const painted = await run(['talk.chat', '-f', '-e'], {
      files: TALK,
      terminal: { columns: 100 },
    });
    const plain = await run(['talk.chat', '-f', '-e'], {
      files: TALK,
      terminal: { columns: 100, colour: false },
    });
    expect(painted.stdout).toContain('\u001b[1m');
    expect(stripVTControlCharacters(painted.stdout)).toBe(plain.stdout);
  });

  test('a pipe gets the exact name, whole', async () => {
    const { stdout } = await run(['talk.chat'], { files });
    expect(stdout).toContain(`agent.society/A/b/${name}\n`);
  });
});

describe('views in one call', () => {
  test('stand one below the other, in a fixed order', async () => {
    const one = async (...argv: string[]) =>
      (await run(['talk.chat', ...argv], { files: TALK })).stdout;
    expect(await one('-e', '-f', '-c')).toBe(
      [await one('-c'), await one('-f'), await one('-e')].join('\n'),
    );
  });

  test('a file is written beside them; with a file alone nothing is printed', async () => {
    const beside = await run(['talk.chat', '-f', '--dot', 'g.dot'], { files: TALK });
    expect(beside.stdout).toBe('[1] chat 240 talk.chat\n');
    expect(beside.read('g.dot')).toMatch(/^digraph "provenance" \{\n/);
    const alone = await run(['talk.chat', '--dot', 'out/deep/g.dot'], { files: TALK });
    expect(alone).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(alone.read('out/deep/g.dot')).toContain('URL = "../../talk.chat"');
  });
});

describe('the document', () => {
  const files = {
    'root.chat': `${chat(meta('a'))}function_call: {"name":"ask","arguments":{},"id":"c1"}\n\nfunction_call_output: {"id":"c1","content":"x","meta":[{"inference_id":"r","pt":1,"ct":2,"tt":3},{"job":"W/t/Default"}]}\n`,
    ...job('W/t/Default', { files: { 'agent.chat': chat('inference_id=u model=m') } }),
  };

  test('has every key of prov/1, absolute paths, and null for what is not known', async () => {
    const { stdout, folder } = await run(['root.chat', '--json', '--since', '2020-01-01'], {
      files,
    });
    const document = JSON.parse(stdout);
    expect(Object.keys(document)).toEqual([
      'schema',
      'tool',
      'generated_at',
      'root',
      'options',
      'nodes',
      'edges',
      'events',
      'totals',
      'warnings',
    ]);
    expect(document).toMatchObject({
      schema: 'prov/1',
      tool: { name: 'scout-chat', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      generated_at: '2026-11-30T12:00:00.000Z',
      root: { kind: 'chat', path: 'root.chat' },
      options: { paths: ['root.chat'], since: '2020-01-01', until: null },
      events: [],
    });
    expect(folder).not.toBe('');
  });

  test('tells nodes, edges and events as they are', async () => {
    const { stdout } = await run(['root.chat', '--json'], { files });
    const { nodes, edges, events, totals, warnings } = JSON.parse(stdout);
    const none = { pt: null, ct: null, tt: null, cct: null, cwt: null, rt: null };
    expect(nodes).toMatchObject([
      {
        kind: 'chat',
        label: 'root.chat',
        status: null,
        hidden: false,
        direct: { pt: 100, ct: 20, tt: 120, cct: null },
      },
      {
        kind: 'job',
        label: 'W/t Default',
        status: 'done',
        hidden: false,
        direct: none,
        aggregate: none,
      },
      { kind: 'chat', label: 'agent.chat', status: null, hidden: true },
    ]);
    expect(edges).toEqual([
      {
        from: { kind: 'chat', path: 'root.chat' },
        to: { kind: 'job', path: 'var/jobs/W/t/Default' },
        relation: 'agent_job',
        first_visit: true,
        detail: {
          address: ['root.chat', 4, 'meta', 1],
          call_id: 'c1',
          tool_name: 'ask',
          job: 'W/t/Default',
        },
      },
      {
        from: { kind: 'job', path: 'var/jobs/W/t/Default' },
        to: { kind: 'chat', path: 'var/jobs/W/t/Default.files/agent.chat' },
        relation: 'log',
        first_visit: true,
        detail: null,
      },
    ]);
    expect(events.map(({ inference_id }: { inference_id: string }) => inference_id)).toEqual([
      'a',
      'u',
      'r',
    ]);
    expect(Object.keys(events[0])).toEqual([
      'inference_id',
      'identity',
      'deduplication',
      'tokens',
      'model',
      'timestamp',
      'conflict',
      'incomplete_evidence',
      'evidence',
    ]);
    expect(events[2].evidence).toEqual([
      {
        origin: 'agent_meta',
        source: 'root.chat',
        address: ['root.chat', 4, 'meta', 0],
        call_id: 'c1',
        tool_name: 'ask',
      },
    ]);
    expect(totals.receipt_only).toEqual({ pt: 1, ct: 2, tt: 3, cct: null, cwt: null, rt: null });
    expect(warnings).toEqual([]);
  });

  test('a line an object holds the same', async () => {
    const whole = JSON.parse((await run(['root.chat', '--json'], { files })).stdout);
    const lines = (await run(['root.chat', '--ndjson'], { files })).stdout.trimEnd().split('\n');
    const objects = lines.map((line) => JSON.parse(line));
    const of = (type: string) =>
      objects.filter((each) => each.type === type).map(({ type: _type, ...rest }) => rest);
    expect(of('node')).toEqual(whole.nodes);
    expect(of('edge')).toEqual(whole.edges);
    expect(of('event')).toEqual(whole.events);
    expect(of('totals')).toEqual([whole.totals]);
    expect(objects[0]).toMatchObject({ type: 'prov', schema: 'prov/1', root: whole.root });
    expect(objects.at(-1).type).toBe('totals');
  });

  test('warnings stand in it and on standard error', async () => {
    const broken = {
      'x.chat': chat(meta('a'), meta('a', ' response=1').replace('ct=20', 'ct=21')),
    };
    const { stdout, stderr } = await run(['x.chat', '--json'], { files: broken });
    expect(JSON.parse(stdout).warnings).toMatchObject([
      { reason: 'identity_conflict', source: 'x.chat' },
    ]);
    expect(stderr).toMatch(/^warning: 2 records of inference_id a disagree/);
  });
});

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

describe('the graph as DOT', () => {
  const many = Object.assign(
    {},
    ...Array.from({ length: 30 }, (_, index) =>
      job(`Map/score/s${index}`, { files: { 'agent.chat': chat(meta(`s${index}`)) } }),
    ),
    job('Map/sum/Default', {
      info: { dependencies: Array.from({ length: 30 }, (_, index) => `Map/score/s${index}`) },
      files: { 'log/helper/agent.chat': chat(meta('h')) },
    }),
  );
  const graph = async (...argv: string[]) =>
    (await run(['Map/sum/Default', '--dot', '-', ...argv], { files: many })).stdout;
  const labels = (text: string) =>
    [...text.matchAll(/^ +label = "(.*)";$/gm)].map(([, label]) => label);

  test('has every node when there are few enough', async () => {
    const text = await graph();
    expect(labels(text)).toHaveLength(34);
    expect(text).not.toContain('drawn as');
  });

  test('folds nodes that are alike, adds up their tokens, and says so', async () => {
    const text = await graph('--max-nodes', '10');
    expect(labels(text)).toEqual([
      'workflow Map',
      'Map/sum Default\\ndone',
      'Map/score ×30\\n3.6k · 30 requests',
      'society of Map/sum Default',
      'helper\\n120 · 1 request',
    ]);
    expect(text).toContain(
      '32 nodes drawn as 3: those alike in task or agent, status and neighbours are one ×N',
    );
    expect(text).toContain('peripheries = 2');
  });

  test('shows what was asked for alone, and says what it leaves out', async () => {
    const text = await graph('--only', 'chat');
    expect(labels(text)).toEqual([
      'Map/sum Default\\ndone',
      'society of Map/sum Default',
      'helper\\n120 · 1 request',
    ]);
    expect(text).toContain('30 nodes other than chat not shown');
    expect(labels(await graph('--only', 'Map/score'))).toHaveLength(32);
    expect(await graph('--depth', '0')).toContain('31 nodes deeper than 0 not shown');
  });

  test('keeps the way of the data through nodes that are not shown', async () => {
    const files = {
      ...job('W/a/Default'),
      ...job('X/b/Default', { info: { dependencies: ['W/a/Default'] } }),
      ...job('W/c/Default', { info: { dependencies: ['X/b/Default'] } }),
    };
    const { stdout } = await run(['W/c/Default', '--dot', '-', '--only', 'W'], { files });
    expect(stdout).toMatch(
      /"n2" -> "n1" \[\n {4}style = "dotted";\n {4}arrowhead = "odot";\n {4}tooltip = "through nodes/,
    );
    expect(stdout).toContain('through others');
  });

  test('marks what failed by its border and in words, with the reason in the tooltip', async () => {
    const files = job('W/a/Default', {
      result: null,
      info: { status: 'error', exception: { class: 'E', message: 'no "oven" <here>' } },
    });
    const { stdout } = await run(['W/a/Default', '--dot', '-'], { files });
    expect(stdout).toContain('label = "W/a Default\\nerror"');
    expect(stdout).toContain('penwidth = 3');
    expect(stdout).toContain('no &quot;oven&quot; &lt;here&gt;');
    expect(stdout).toContain('URL = "./var/jobs/W/a/Default.info"');
  });

  test('is the same in every run', async () => {
    expect(await graph()).toBe(await graph());
  });
});
