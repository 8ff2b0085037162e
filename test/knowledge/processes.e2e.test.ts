// Knowledge bases between processes: built by two at once, killed, stopped, in folders of other users, with each SQLite there is.

import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import * as path from 'node:path';
import { describe, expect, test } from 'vitest';
import { environment, packageFolder } from '../helpers/built.ts';
import { outcomeOf } from '../helpers/children.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { somebodyElseCan } from '../helpers/somebody-else.ts';

const CHAT = path.join(packageFolder, 'bin/chat.js');

function start(
  folder: string,
  args: readonly string[],
  {
    program = [process.execPath, CHAT],
    env = {},
  }: { program?: readonly string[]; env?: Record<string, string> } = {},
) {
  const [command = '', ...rest] = [...program, 'kb', ...args];
  const child = spawn(command, rest, {
    cwd: folder,
    env: environment({ HOME: path.join(folder, 'home'), ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, ended: outcomeOf(child) };
}

const ROWS = 220_000;

/** A base with a table that takes a moment to index. */
function large(): { folder: string; tables: string } {
  const rows = Array.from(
    { length: ROWS },
    (_, row) => `Factor${row % 5000}\tGene${row % 7919}\t${row}\tactivates\n`,
  );
  const folder = temporaryFolder({
    'home/.scout/': '',
    'knowledge_base/net/t.tsv': `#Factor\tGene\tScore\tEffect\n${rows.join('')}`,
  });
  return { folder, tables: path.join(folder, 'knowledge_base/net') };
}

const QUERY = ['query', 'net', 't', 'Factor17', '--fields', 'Score'];
const hidden = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('.'));

/** Resolves when the file that is being made has begun to grow. */
async function building(tables: string): Promise<void> {
  const isHere = () => hidden(tables).some((name) => name.endsWith('.tmp'));
  while (!isHere()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const right = (stdout: string) => {
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toBe('#Factor\tGene\tScore');
  expect(lines).toHaveLength(1 + ROWS / 5000);
  expect(lines.every((line, index) => index === 0 || /^Factor17\tGene\d+\t\d+$/.test(line))).toBe(
    true,
  );
};

describe('two processes', () => {
  test('that ask for the same index at once make it once, and both have it', async () => {
    const { folder, tables } = large();
    const both = [start(folder, QUERY), start(folder, QUERY), start(folder, QUERY)];
    const results = await Promise.all(both.map(({ ended }) => ended));
    for (const { code, stdout } of results) {
      expect(code).toBe(0);
      right(stdout);
    }
    const notes = results.map(({ stderr }) => stderr).join('');
    expect(notes.match(/indexing/g)).toHaveLength(1);
    expect(hidden(tables)).toEqual(['.t.tsv.sqlite']);
  });

  for (const signal of ['SIGKILL', 'SIGINT', 'SIGTERM'] as const)
    test(`of which one is ended by ${signal} while it indexes leave a base that works`, async () => {
      const { folder, tables } = large();
      const first = start(folder, QUERY);
      await building(tables);
      const second = start(folder, QUERY);
      first.child.kill(signal);
      const { code, signal: by } = await first.ended;
      expect([code, by]).toEqual(
        { SIGKILL: [null, 'SIGKILL'], SIGINT: [130, null], SIGTERM: [143, null] }[signal],
      );
      const { stdout, code: other } = await second.ended;
      expect(other).toBe(0);
      right(stdout);
      expect(hidden(tables)).toEqual(['.t.tsv.sqlite']);
    });
});

describe('a folder of somebody else', () => {
  const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
  const cannot =
    !somebodyElseCan || spawnSync(asNobody[0] ?? '', [...asNobody.slice(1), 'true']).status !== 0;

  function foreign() {
    const folder = temporaryFolder({
      'knowledge_base/net/t.tsv': '#A\tB\nx\ty\n',
      'home/.scout/var/cache/': '',
      'shut/.scout/var/cache/': '',
    });
    chmodSync(folder, 0o755);
    spawnSync('chown', ['-R', '65534:65534', path.join(folder, 'home')]);
    return folder;
  }
  const program = [...asNobody, process.execPath, CHAT];

  test.skipIf(cannot)(
    'has its index in the cache folder, also when the table changes',
    async () => {
      const folder = foreign();
      for (const target of ['y', 'z']) {
        writeFileSync(path.join(folder, 'knowledge_base/net/t.tsv'), `#A\tB\nx\t${target}\n`);
        const { code, stdout, stderr } = await start(folder, ['query', 'net', 't', 'x'], {
          program,
        }).ended;
        expect([code, stdout, stderr]).toEqual([0, `#A\tB\nx\t${target}\n`, '']);
      }
      expect(hidden(path.join(folder, 'knowledge_base/net'))).toEqual([]);
      expect(readdirSync(path.join(folder, 'home/.scout/var/cache/knowledge'))).toHaveLength(1);
    },
  );

  test.skipIf(cannot)('has the index that its owner made', async () => {
    const folder = foreign();
    await start(folder, ['query', 'net', 't', 'x']).ended;
    const { code, stdout } = await start(folder, ['query', 'net', 't', 'x'], { program }).ended;
    expect([code, stdout]).toEqual([0, '#A\tB\nx\ty\n']);
    expect(existsSync(path.join(folder, 'home/.scout/var/cache/knowledge'))).toBe(false);
  });

  test.skipIf(cannot)('without a cache folder is an error that names both places', async () => {
    const folder = foreign();
    const env = { HOME: path.join(folder, 'shut') };
    const { code, stdout, stderr } = await start(folder, ['query', 'net', 't', 'x'], {
      program,
      env,
    }).ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('the index of ');
    expect(stderr).toContain('/net/.t.tsv.sqlite');
    expect(stderr).toContain('/shut/.scout/var/cache/knowledge/');
  });

  test.skipIf(cannot)('that may not be looked into hides no other base from a list', async () => {
    const folder = foreign();
    mkdirSync(path.join(folder, 'knowledge_base/shut'), { mode: 0o700 });
    const { code, stdout, stderr } = await start(folder, ['list'], { program }).ended;
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^net\t1\t/m)]);
    expect(stderr).toMatch(
      /the knowledge base "shut" is left out: cannot list .*permission denied/,
    );
  });

  test.skipIf(cannot)('with a table that may not be read is an error', async () => {
    const folder = foreign();
    chmodSync(path.join(folder, 'knowledge_base/net/t.tsv'), 0o600);
    const { code, stderr } = await start(folder, ['query', 'net', 't', 'x'], { program }).ended;
    expect(code).toBe(2);
    expect(stderr).toContain('permission denied');
  });
});

test('a disk that is full is an error, and leaves nothing', async () => {
  const { folder, tables } = large();
  const program = ['bash', '-c', 'ulimit -f 2000; exec "$@"', 'bash', process.execPath, CHAT];
  const { code, stdout, stderr } = await start(folder, QUERY, { program }).ended;
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('cannot be written');
  // The disk that is full may be the one for what is sorted.
  expect(stderr).toContain('free some space, there or where SQLite sorts: in $SQLITE_TMPDIR');
  expect(hidden(tables)).toEqual([]);
});

/** The built program without its packages. */
function bare(): string {
  const folder = temporaryFolder();
  for (const name of ['bin', 'dist/cli', 'package.json'])
    cpSync(path.join(packageFolder, name), path.join(folder, name), { recursive: true });
  return path.join(folder, 'bin/chat.js');
}

/** A Node of that version from the cache of npm; undefined when it is not there. */
function otherNode(version: string): string | undefined {
  const args = [
    'exec',
    '--offline',
    '--yes',
    '--package',
    `node@${version}`,
    '--',
    'node',
    '-p',
    'process.execPath',
  ];
  const { status, stdout } = spawnSync('npm', args, { encoding: 'utf8', cwd: '/' });
  const found = stdout?.trim() ?? '';
  return status === 0 && existsSync(found) ? found : undefined;
}

describe('SQLite', () => {
  const hasOwn = process.getBuiltinModule('node:sqlite' as 'node:os') !== undefined;
  const files = {
    'home/.scout/': '',
    'knowledge_base/net/t.tsv': '#: undirected=true\n#A\tA\tB\nx\ty\t1\nz\tx\t2\n',
  };
  const query = ['query', 'net', 't', 'x', 'y'];
  const expected = '#A\tA\tB\nx\ty\t1\nx\tz\t2\ny\tx\t1\n';

  test.skipIf(hasOwn)(
    'is not needed to list and to show; a query says what to install',
    async () => {
      const folder = temporaryFolder({ ...files, 'x.chat': 'kb: net\n\nuser: x?\n' });
      const program = [process.execPath, bare()];
      for (const args of [['list'], ['list', 'net'], ['show', 'net']])
        expect((await start(folder, args, { program }).ended).code).toBe(0);
      const { code, stderr } = await start(folder, query, { program }).ended;
      expect(code).toBe(3);
      expect(stderr).toMatch(
        /has none here\n {2}next: use Node 22\.13 or later, or `npm install better-sqlite3`/,
      );
    },
  );

  for (const version of ['22.13.1', '24.21.0'])
    test(`of Node ${version} does it alone, without a word, and reads what the package wrote`, async (context) => {
      const node = otherNode(version);
      if (node === undefined) return context.skip('not in the cache');
      const folder = temporaryFolder(files);
      const program = [node, bare()];
      for (const _ of ['made', 'there']) {
        const { code, stdout, stderr } = await start(folder, query, { program }).ended;
        expect([code, stdout, stderr]).toEqual([0, expected, '']);
      }
      const index = path.join(folder, 'knowledge_base/net/.t.tsv.sqlite');
      const before = readFileSync(index);
      expect((await start(folder, query).ended).stdout).toBe(expected);
      expect(readFileSync(index).equals(before)).toBe(true);
      const other = temporaryFolder(files);
      await start(other, query).ended;
      expect((await start(other, query, { program }).ended).stdout).toBe(expected);
      writeFileSync(path.join(other, 'knowledge_base/net/.t.tsv.sqlite'), 'damaged');
      expect((await start(other, query, { program }).ended).stdout).toBe(expected);
    });
});
