// chat prov, run in this process on stores that each test writes: what it refuses, its tree, and what it prints where.

import { describe, expect, test } from 'vitest';
import { job } from '../helpers/prov.ts';
import { chat, meta, run } from '../helpers/prov-runs.ts';

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

  test('opens what was shown before no second time', async () => {
    const files = {
      ...job('W/base/Default'),
      ...job('W/shared/Default', { info: { dependencies: ['W/base/Default'] } }),
      ...job('W/left/Default', { info: { dependencies: ['W/shared/Default'] } }),
      ...job('W/right/Default', { info: { dependencies: ['W/shared/Default'] } }),
      ...job('W/top/Default', { info: { dependencies: ['W/left/Default', 'W/right/Default'] } }),
    };
    expect((await run(['W/top/Default'], { files })).stdout).toBe(
      [
        'job 0 W/top Default',
        '├─ job 0 W/left Default',
        '│  └─ job 0 W/shared Default',
        '│     └─ job 0 W/base Default',
        '└─ job 0 W/right Default',
        '   └─ job 0 W/shared Default (seen)',
        '',
      ].join('\n'),
    );
  });

  test('tells what an unreadable chat cost as unknown, and sums with it as lower bounds: it was 0, and free', async () => {
    const utf16 = Buffer.from('user: q\n', 'utf16le');
    const files = {
      'bad.chat': Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
      ...job('W/a/Default', { files: { 'agent.chat': '' } }),
      ...job('W/b/Default', {
        info: { dependencies: ['W/a/Default'] },
        files: { 'agent.chat': chat(meta('b', ' model=m')) },
      }),
      'var/jobs/W/a/Default.files/agent.chat': Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
      'etc/prices.yaml': 'models:\n  m: {input: 1, output: 1}\n',
    };
    const paths = ['W/b/Default', 'bad.chat'];
    const { code, stdout, stderr } = await run([...paths, '--cost'], { files });
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      'job ≥120 ≥0.0001200 W/b Default',
      '└─ job ? unpriced W/a Default',
      'chat ? unpriced bad.chat [unreadable]',
      'total ≥120 ≥0.0001200  1 request, each once',
    ]);
    expect(code).toBe(0);
    expect(stderr.match(/UTF-16LE/g)).toHaveLength(2);
    const { stdout: bill } = await run([...paths, '--cost', '--by', 'model'], { files });
    expect(bill).toMatch(/^m .* 120 .* 0\.0001200$/m);
    expect(bill).toMatch(/^total .* ≥120 .* ≥0\.0001200$/m);
    const { stdout: itself } = await run([...paths, '-c'], { files });
    expect(itself).toContain('job 120 W/b Default\n└─ job ? W/a Default\nchat ? bad.chat');
    const document = JSON.parse((await run(['bad.chat', '--json'], { files })).stdout);
    const unknown = { pt: null, ct: null, tt: null, cct: null, cwt: null, rt: null };
    expect(document.nodes).toMatchObject([{ direct: unknown, aggregate: unknown }]);
    const { stdout: dot } = await run(['bad.chat', '--dot', '-'], { files });
    expect(dot).toContain('label = "bad.chat\\nunreadable"');
    expect(dot).toContain('no requests in what can be read');
    const { stdout: priced } = await run([...paths, '--cost', '--dot', '-'], { files });
    expect(priced).toContain('≥120 tokens in 1 request, each once, cost ≥0.0001200');
    expect((await run([...paths, '-e'], { files })).stdout).not.toContain('WRONG');
  });

  test('a name with a line end forges no second row, in a pipe either', async () => {
    const name = 'W/t/a\nchat 999 forged.chat';
    for (const view of [[], ['--flow'], ['-e']]) {
      const { stdout } = await run([`var/jobs/${name}`, ...view], { files: job(name, {}) });
      expect(stdout).not.toMatch(/^chat 999/m);
    }
    const { stdout } = await run([`var/jobs/${name}`], { files: job(name, {}) });
    expect(stdout).toBe('job 0 W/t a␊chat 999 forged.chat\n');
  });

  test('a box for several jobs tells that one of their chats cannot be read', async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('user: q\n', 'utf16le')]);
    const names = Array.from({ length: 6 }, (_, index) => `W/part/j${index}`);
    const files = {
      ...job('W/all/Default', { info: { dependencies: names } }),
      ...Object.assign(
        {},
        ...names.map((name, index) =>
          job(name, { files: { 'agent.chat': chat(meta(`j${index}`)) } }),
        ),
      ),
      'var/jobs/W/part/j3.files/agent.chat': utf16,
    };
    const args = ['W/all/Default', '--depth', '1', '--max-nodes', '3', '--dot', '-'];
    const { stdout } = await run(args, { files });
    expect(stdout).toContain('W/part ×6\\n≥600 · 5 requests');
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
    const files = { ...TALK, 'out/deep/other': '' };
    const alone = await run(['talk.chat', '--dot', 'out/deep/g.dot'], { files });
    expect(alone).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(alone.read('out/deep/g.dot')).toContain('URL = "../../talk.chat"');
  });
});
