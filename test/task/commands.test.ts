// `chat task …` from end to end in this process, on a workflow of shell commands: streams, exit codes, what is on disk.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../helpers/run.ts';
import { run } from '../helpers/task-runs.ts';

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
