// `chat task …` from end to end in this process, on a workflow of shell commands: streams, exit codes, what is on disk.

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createLocks } from '../../src/world/lock.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { type RunOptions, type RunResult, runCli } from '../helpers/run.ts';

const WORKFLOW = `
title: Words of a text
tasks:
  split:
    description: Split a text into words
    inputs:
      text: { type: text, required: true, description: The text }
    result: array
    command: "printf '%s' {{text}} | tr -s ' ' '\\n'; echo ran >> ran"
  count:
    description: |
      Count the words of a text.
      Each counts once for each time it is there.
    inputs:
      text: { type: text, required: true, description: The text. }
      least: { type: integer, default: 1, description: Shortest word that counts }
      loud: { type: boolean, default: false }
      kind: { type: select, values: [plain, fancy], default: plain }
      only: { type: string_array, required: false }
      path: { type: path, required: false }
      list: { type: file, required: false }
    deps: [split]
    result: integer
    command: 'echo "counting with {{kind}}" >&2; echo "$INPUT_loud $INPUT_only $INPUT_path $INPUT_list" >> given; wc -w < "$DEP_split"'
  bad:
    description: Always fails
    command: 'echo "about to fail" >&2; exit 3'
  above:
    description: Needs what fails
    deps: [bad]
    command: 'true'
  bytes:
    result: binary
    command: "printf '\\\\377\\\\000'"
  now:
    exec: true
    result: json
    command: 'echo ran >> now; echo "{\\"n\\": 1}"'
  escape:
    command: "printf 'a\\\\033[2Jb'"
`;

const FILES = { 'workflows/Words.yaml': WORKFLOW, 'notes.txt': 'one two three', 'var/jobs/': '' };

const run = (argv: readonly string[], options: RunOptions = {}): Promise<RunResult> =>
  runCli(['task', ...argv], { ...options, files: { ...FILES, ...options.files } });

describe('task list', () => {
  test('shows each workflow with its file and tasks', async () => {
    const { code, stdout, stderr } = await run(['list']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^Words: Words of a text\n {2}workflows\/Words\.yaml\n {2}split {3}Split a text into words\n {2}count {3}Count the words of a text\.\n/,
    );
    expect(stdout).not.toContain('--text');
  });

  test('shows the inputs of one that is named', async () => {
    const { stdout } = await run(['list', 'Words']);
    expect(stdout).toContain(
      '      --least  Shortest word that counts: a whole number, default 1\n',
    );
    expect(stdout).toContain('      --text  The text: text, required\n');
  });

  test('gives JSON', async () => {
    const { stdout } = await run(['list', '--json']);
    const [words] = JSON.parse(stdout);
    expect(words).toMatchObject({
      name: 'Words',
      title: 'Words of a text',
      file: 'workflows/Words.yaml',
    });
    expect(words.tasks[1]).toMatchObject({
      name: 'count',
      dependencies: [{ workflow: 'Words', task: 'split' }],
      result: 'integer',
    });
  });

  test('tells what is broken on standard error, and shows the rest', async () => {
    const { code, stdout, stderr } = await run(['list'], {
      files: { 'workflows/Broken.yaml': 'tasks: [' },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Words:/);
    expect(stderr).toMatch(/^error: .*workflows\/Broken\.yaml:1/);
    expect(
      (await run(['list', 'Broken'], { files: { 'workflows/Broken.yaml': 'tasks: [' } })).code,
    ).toBe(3);
  });

  test('says where to put one when there is none', async () => {
    const { code, stdout, stderr } = await runCli(['task', 'list']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^there are no workflows: put one at/);
  });
});

describe('task run', () => {
  test('prints the result alone, keeps the job, and computes nothing the second time', async () => {
    const first = await run(['run', 'Words', 'count', '--text', 'one two three']);
    expect(first).toMatchObject({ code: 0, stdout: '3\n' });
    expect(first.stderr).toMatch(
      /^Words\/split \w{8}: started\nWords\/split \w{8}: done after [\d.]+ s\nWords\/count \w{8}: started\n/,
    );
    expect(first.read('ran')).toBe('ran\n');
    const second = await run(['run', 'Words', 'count', '--text', 'one two three'], {
      folder: first.folder,
    });
    expect(second).toMatchObject({ code: 0, stdout: '3\n', stderr: '' });
    expect(first.read('ran')).toBe('ran\n');
  });

  test('prints the path instead with --path, and always for bytes', async () => {
    const asked = await run([
      'run',
      'Words',
      'count',
      '--text',
      'x',
      '--path',
      '--jobname',
      'mine',
    ]);
    expect(asked.stdout).toMatch(/^var\/jobs\/Words\/count\/mine_[0-9a-f]{32}\n$/);
    const bytes = await run(['run', 'Words', 'bytes']);
    expect(bytes.stdout).toBe('var/jobs/Words/bytes/Default\n');
  });

  test('says nothing on standard error with -q, and log lines with -v', async () => {
    expect(await run(['run', 'Words', 'count', '--text', 'x', '-q'])).toMatchObject({
      code: 0,
      stderr: '',
    });
    const { stderr } = await run(['run', 'Words', 'count', '--text', 'x', '-v']);
    expect(stderr).toContain(': counting with plain\n');
  });

  test('computes a task that is not stored each time', async () => {
    const first = await run(['run', 'Words', 'now']);
    expect(first).toMatchObject({ code: 0, stdout: '{"n":1}\n' });
    await run(['run', 'Words', 'now'], { folder: first.folder });
    expect(first.read('now')).toBe('ran\nran\n');
    expect(first.read('var/jobs/Words/now/Default.json')).toBeUndefined();
  });

  test('keeps new jobs in the folder that --jobs names', async () => {
    const { read } = await run(['run', 'Words', 'bytes', '--jobs', 'other']);
    expect(read('other/Words/bytes/Default.info')).toMatch(/^\{"status":"done"/);
    expect(read('var/jobs/Words/bytes/Default.info')).toBeUndefined();
  });

  test('shows control characters of a result harmlessly on a terminal, and as they are elsewhere', async () => {
    expect((await run(['run', 'Words', 'escape'])).stdout).toBe('a\x1b[2Jb\n');
    expect((await run(['run', 'Words', 'escape'], { terminal: {} })).stdout).toBe('a␛[2Jb\n');
  });

  const given: readonly { name: string; argv: readonly string[]; stdin?: string; is: string }[] = [
    { name: 'a flag', argv: ['--loud'], is: 'true   ' },
    { name: 'a flag with a joined value', argv: ['--loud=false'], is: 'false   ' },
    { name: 'a flag taken back', argv: ['--loud', '--no-loud'], is: 'false   ' },
    { name: 'a list, repeated', argv: ['--only', 'a,b', '--only', 'c'], is: 'false ["a,b","c"]  ' },
    { name: 'a list with commas', argv: ['--only', 'a,b'], is: 'false ["a","b"]  ' },
    { name: 'a list as JSON', argv: ['--only', '["a,b"]'], is: 'false ["a,b"]  ' },
    { name: 'a list from a file', argv: ['--only', '@notes.txt'], is: 'false ["one two three"]  ' },
    { name: 'an input whose name an option has', argv: ['--input', 'path=x=y'], is: 'false  x=y ' },
    { name: 'a file, by its path', argv: ['--list', 'notes.txt'], is: 'false   notes.txt' },
    {
      name: 'a file, by its path after @',
      argv: ['--list', '@notes.txt'],
      is: 'false   notes.txt',
    },
    { name: 'no value', argv: ['--only', 'nil'], is: 'false   ' },
  ];
  for (const { name, argv, is } of given)
    test(`takes ${name}`, async () => {
      const result = await run(['run', 'Words', 'count', '--text', 'x', ...argv]);
      expect([result.code, result.read('given')]).toEqual([0, `${is}\n`]);
    });

  const texts: readonly { name: string; argv: readonly string[]; stdin?: string; count: number }[] =
    [
      { name: 'of an option', argv: ['--text', 'a b'], count: 2 },
      { name: 'of a file', argv: ['--text', '@notes.txt'], count: 3 },
      { name: 'of standard input', argv: ['--text', '@-'], stdin: 'a b c d', count: 4 },
      { name: 'that begins with @', argv: ['--text', '@@notes.txt x'], count: 2 },
      { name: 'of --input', argv: ['--input', 'text=a b=c d'], count: 3 },
      { name: 'that begins with a dash', argv: ['--text=--least x'], count: 2 },
      {
        name: 'with what a shell would read',
        argv: ['--text', '$(touch pwned); `id` \'q\' "r"'],
        count: 5,
      },
    ];
  for (const { name, argv, stdin, count } of texts)
    test(`takes a text ${name}`, async () => {
      const result = await run(
        ['run', 'Words', 'count', ...argv],
        stdin === undefined ? {} : { stdin },
      );
      expect([result.code, result.stdout.trim()]).toEqual([0, String(count)]);
      expect(result.read('pwned')).toBeUndefined();
    });

  const wrong: readonly { argv: readonly string[]; code: number; says: RegExp }[] = [
    { argv: ['count'], code: 2, says: /^error: input "text" is required/ },
    {
      argv: ['count', '--text', 'x', '--least', 'two'],
      code: 2,
      says: /input "least" cannot be "two": it takes a whole number/,
    },
    {
      argv: ['count', '--text', 'x', '--loud=maybe'],
      code: 2,
      says: /input "loud" cannot be "maybe": it takes true or false/,
    },
    {
      argv: ['count', '--text', 'x', '--kind', 'odd'],
      code: 2,
      says: /input "kind" cannot be "odd": it takes one of plain, fancy/,
    },
    {
      argv: ['count', '--text', '@gone.txt'],
      code: 2,
      says: /input "text" cannot be "@gone\.txt": .*no such file/,
    },
    {
      argv: ['count', '--text', 'x', '--list', 'gone.txt'],
      code: 2,
      says: /input "list" cannot be "gone\.txt"/,
    },
    {
      argv: ['count', '--input', 'nope=1'],
      code: 2,
      says: /--input takes NAME=VALUE, not "nope=1": there is no input "nope"/,
    },
    { argv: ['count', '--input', 'text'], code: 2, says: /not "text": there is no "=" in it/ },
    {
      argv: ['count', '--txet', 'x'],
      code: 2,
      says: /has no option "--txet"\n {2}next: did you mean "--text"\?/,
    },
    {
      argv: ['count', '--text', 'x', '--jobname', '../x'],
      code: 2,
      says: /a job cannot be named "\.\.\/x"/,
    },
    {
      argv: ['count', '--text', 'x', '--cpus', '0'],
      code: 2,
      says: /--cpus takes a whole number from 1/,
    },
    {
      argv: ['count', '--text', 'x', '--deploy', 'moon'],
      code: 2,
      says: /--deploy is one of local/,
    },
    {
      argv: ['cuont', '--text', 'x'],
      code: 3,
      says: /workflow Words has no task "cuont"[\s\S]*did you mean "count"/,
    },
    {
      argv: [],
      code: 2,
      says: /^error: name a task of Words .*\n {2}next: its tasks: split, count, bad/,
    },
    {
      argv: ['count', '--text', 'x', '--loud', 'false'],
      code: 2,
      says: /"false" stands apart from --loud\n {2}next: join them: --loud=false/,
    },
  ];
  for (const { argv, code, says } of wrong)
    test(`refuses: task run Words ${argv.join(' ')}`, async () => {
      const result = await run(['run', 'Words', ...argv]);
      expect([result.code, result.stdout]).toEqual([code, '']);
      expect(result.stderr).toMatch(says);
      expect(result.read('ran')).toBeUndefined();
    });

  test('refuses an unknown workflow with the nearest name', async () => {
    const result = await run(['run', 'Wrods', 'count']);
    expect(result.code).toBe(3);
    expect(result.stderr).toMatch(/there is no workflow "Wrods"\n {2}next: did you mean "Words"\?/);
  });

  test('ends with 1 when the job fails: what, where, how to see more; the same the next time, without running it', async () => {
    const first = await run(['run', 'Words', 'bad', '-q']);
    expect([first.code, first.stdout]).toEqual([1, '']);
    expect(first.stderr).toMatch(
      /^error: Words\/bad failed: the command failed with status 3: about to fail \(var\/jobs\/Words\/bad\/Default\)\n {2}next: chat task log var\/jobs\/Words\/bad\/Default tells more; after a repair, chat task clean /,
    );
    const second = await run(['run', 'Words', 'above'], { folder: first.folder });
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(
      /^error: Words\/above needs a job that failed: Words\/bad failed: /,
    );
    expect(first.read('var/jobs/Words/above/Default.info')).toBeUndefined();
  });

  test('keeps what failed in the .info', async () => {
    const { read } = await run(['run', 'Words', 'bad']);
    expect(JSON.parse(read('var/jobs/Words/bad/Default.info') ?? '')).toMatchObject({
      status: 'error',
      exception: { class: 'Failure', message: expect.stringContaining('about to fail') },
    });
  });
});

describe('task run --help', () => {
  test('documents the inputs of the task', async () => {
    const { code, stdout, stderr } = await run(['run', 'Words', 'count', '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^Usage: chat task run \[options\] <workflow> <task>\n\nCount the words of a text\.\n\nEach counts once/,
    );
    for (const line of [
      '      --text <text>         The text: text (required)\n',
      '      --least <integer>     Shortest word that counts: a whole number (default: 1)\n',
      '      --loud                True or false (default: false)\n',
      '      --no-loud             Set loud to false\n',
      '      --kind <word>         One of plain, fancy (default: plain)\n',
      '      --list <file>         The path of a file\n',
      'Inputs whose name is taken by an option are given with --input: path.',
    ])
      expect(stdout.replace(/\n {28}/g, ' ')).toContain(line);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('lists the tasks of a workflow when only that is named', async () => {
    const { stdout } = await run(['run', 'Words', '--help']);
    expect(stdout).toContain(
      '    Tasks of Words (Words of a text):\n    split  Split a text into words\n',
    );
  });

  test('tells about the command when nothing is named', async () => {
    expect((await run(['run', '--help'])).stdout).toContain(
      'Run a task of a workflow and print its result.',
    );
  });
});

describe('a stored job', () => {
  test('is shown by task info, for people and for programs', async () => {
    const { folder } = await run(['run', 'Words', 'count', '--text', 'one two', '--jobname', 'j']);
    const place = (
      await run(['run', 'Words', 'count', '--text', 'one two', '--jobname', 'j', '--path'], {
        folder,
      })
    ).stdout.trim();
    const { code, stdout } = await run(['info', place], { folder });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^status {4}done\njob {7}Words\/count j_[0-9a-f]{32}\npath {6}var\/jobs\/Words\/count\/j_[0-9a-f]{32}\ntype {6}integer\ninput {5}text = one two\ninput {5}least = 1\n/,
    );
    expect(stdout).toMatch(/\nneeds {5}done Words\/split Default_[0-9a-f]{32}\n/);
    expect(stdout).toMatch(/\nlog {7}var\/jobs\/Words\/count\/j_[0-9a-f]{32}\.files\/job\.log\n$/);
    const json = JSON.parse((await run(['info', place, '--json'], { folder })).stdout);
    expect(json).toMatchObject({
      status: 'done',
      done: true,
      type: 'integer',
      inputs: { text: 'one two', least: 1 },
      dependencies: [{ status: 'done' }],
      error: null,
      info: { workflow: 'Words', provided_inputs: { text: 'one two' } },
    });
    expect((await run(['status', place], { folder })).stdout).toBe('done\n');
    expect((await run(['log', place], { folder })).stdout).toBe('counting with plain\n');
  });

  test('that failed shows why, and its log has the whole', async () => {
    const { folder } = await run(['run', 'Words', 'bad']);
    const shown = await run(['info', 'Words/bad/Default'], { folder });
    expect(shown.stdout).toMatch(
      /^status {4}error\n[\s\S]*\nerror {5}the command failed with status 3: about to fail\n/,
    );
    expect((await run(['status', 'Words/bad/Default'], { folder })).stdout).toBe('error\n');
    expect((await run(['log', 'Words/bad/Default'], { folder })).stdout).toMatch(
      /^about to fail\nthe command failed/,
    );
  });

  test('is removed by task clean, with --deps also what it needs, and is then computed again', async () => {
    const { folder, read } = await run(['run', 'Words', 'count', '--text', 'a b']);
    const place = (
      await run(['run', 'Words', 'count', '--text', 'a b', '--path'], { folder })
    ).stdout.trim();
    const cleaned = await run(['clean', place], { folder });
    expect(cleaned).toMatchObject({ code: 0, stdout: '', stderr: `removed ${place}\n` });
    await run(['run', 'Words', 'count', '--text', 'a b'], { folder });
    expect(read('ran')).toBe('ran\n');
    const all = await run(['clean', '--deps', place], { folder });
    expect(all.stderr.split('\n')).toHaveLength(3);
    await run(['run', 'Words', 'count', '--text', 'a b'], { folder });
    expect(read('ran')).toBe('ran\nran\n');
    expect((await run(['clean', place, '-q'], { folder })).stderr).toBe('');
  });

  test('with a broken .info is told, keeps its result, and can be cleaned', async () => {
    const files = {
      'var/jobs/Words/bytes/Default': 'x',
      'var/jobs/Words/bytes/Default.info': '{"status": "do',
    };
    const { folder, stdout, code, read } = await run(['info', 'Words/bytes/Default'], { files });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^status {4}done\n[\s\S]*\.info {5}cannot be read: it is no JSON/);
    expect((await runCli(['task', 'run', 'Words', 'bytes'], { folder })).code).toBe(0);
    expect(read('var/jobs/Words/bytes/Default')).toBe('x');
    expect((await runCli(['task', 'clean', 'Words/bytes/Default'], { folder })).code).toBe(0);
    expect(read('var/jobs/Words/bytes/Default')).toBeUndefined();
  });

  for (const command of ['info', 'status', 'clean', 'log'])
    test(`task ${command} of what is no job ends with 2, and touches nothing`, async () => {
      const { code, stdout, stderr, read } = await run([command, 'notes.txt']);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(
        /^error: "notes\.txt" is no job: there is no \.info beside it\n {2}next: name the path of a result/,
      );
      expect(read('notes.txt')).toBe('one two three');
    });

  test('that is being computed is not removed', async () => {
    const folder = temporaryFolder({ 'var/jobs/W/t/n.info': '{"status":"running"}' });
    const lock = await createLocks().hold(join(folder, 'var/jobs/W/t/n'));
    const { code, stderr, read } = await runCli(['task', 'clean', 'W/t/n'], { folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/is being computed by process \d+ on /);
    expect(read('var/jobs/W/t/n.info')).toBeDefined();
    await lock.release();
  });

  test('without a log says so on standard error', async () => {
    const { folder } = await run(['run', 'Words', 'bytes']);
    expect(await run(['log', 'Words/bytes/Default'], { folder })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'this job wrote no log\n',
    });
  });

  test('whose log grows is followed until it ends, control characters shown harmlessly on a terminal', async () => {
    const folder = temporaryFolder({
      'var/jobs/W/t/n.info': '{"status":"running"}',
      'var/jobs/W/t/n.files/job.log': 'first\n',
    });
    const place = join(folder, 'var/jobs/W/t/n');
    const lock = await createLocks().hold(place);
    const following = runCli(['task', 'log', '-f', 'W/t/n'], { folder, terminal: {} });
    await new Promise((resolve) => setTimeout(resolve, 50));
    writeFileSync(`${place}.files/job.log`, 'first\nsecond \x1b[2J\n');
    await lock.release();
    expect((await following).stdout).toBe('first\nsecond ␛[2J\n');
  });
});

describe('progress on a terminal', () => {
  test('is a line for each job that runs, and nothing of it stays', async () => {
    const files = {
      'workflows/Slow.yaml':
        'tasks: {nap: {command: "sleep 0.4"}, rest: {deps: [nap], command: "true"}}',
    };
    const { stderr } = await run(['run', 'Slow', 'rest'], { files, terminal: {} });
    expect(stderr).toMatch(/⠙ Slow\/nap\r/);
    expect(stderr).toMatch(/\r\x1b\[J$/);
    expect(stderr).not.toContain('started');
  });

  test('is nothing with -q', async () => {
    const files = { 'workflows/Slow.yaml': 'tasks: {nap: {command: "sleep 0.3"}}' };
    expect((await run(['run', '-q', 'Slow', 'nap'], { files, terminal: {} })).stderr).toBe('');
  });
});

describe('a result that is no UTF-8', () => {
  const files = {
    'workflows/Old.yaml': `tasks:
  latin:
    command: [printf, 'caf\\351\\n']
  marked:
    command: [printf, '\\357\\273\\277x\\n']
`,
  };

  test('is stored as it is, printed with U+FFFD, and that is told instead of silent', async () => {
    const { stdout, stderr, folder } = await run(['run', 'Old', 'latin'], { files });
    expect(stdout).toBe('caf\ufffd\n');
    const place = /^warning: the result is not UTF-8 .* are in (\S+)$/m.exec(stderr)?.[1] ?? '';
    expect(readFileSync(resolve(folder, place))).toEqual(Buffer.from('caf\xe9\n', 'latin1'));
  });

  test('and a byte order mark is part of what is printed', async () => {
    const { stdout, stderr } = await run(['run', 'Old', 'marked', '-q'], { files });
    expect([stdout, stderr]).toEqual(['\ufeffx\n', '']);
  });
});
