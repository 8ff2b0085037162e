import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import type { Inputs, Workflow } from '../../src/workflows/types.ts';
import { loadYaml } from '../../src/workflows/yaml.ts';
import { type Tree, temporaryFolder, writeTree } from '../helpers/folder.ts';
import { createWorld, type RunOptions } from '../helpers/run.ts';
import { testJob } from './job.ts';

async function load(
  yaml: string,
  folder = temporaryFolder(),
  options: RunOptions = {},
): Promise<Workflow> {
  writeTree(folder, { 'w/workflow.yaml': yaml });
  return loadYaml(join(folder, 'w/workflow.yaml'), 'Kitchen', createWorld(folder, options));
}

interface Ran {
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly failure?: Failure;
  readonly log: readonly string[];
  readonly folder: string;
}

/** Runs the first task of a workflow. */
async function run(
  yaml: string,
  inputs: Inputs = {},
  {
    deps = {},
    files = {},
    ...options
  }: RunOptions & { deps?: Readonly<Record<string, unknown>>; files?: Tree } = {},
): Promise<Ran> {
  const folder = temporaryFolder(files);
  const workflow = await load(yaml, folder, options);
  const { job, logged } = testJob(folder, deps);
  return Promise.resolve(workflow.tasks[0]?.run(inputs, job)).then(
    (bytes) => ({
      text: Buffer.from(bytes as Uint8Array).toString(),
      bytes: bytes as Uint8Array,
      log: logged,
      folder,
    }),
    (failure: unknown) => ({ failure: failure as Failure, log: logged, folder }),
  );
}

const INPUTS = `
    inputs:
      word: {type: string, required: false}
      other: {type: string, required: false}
      count: {type: integer, default: 3}
      share: {type: float, required: false}
      sure: {type: boolean, required: false}
      names: {type: string_array, required: false}
      size: {type: select, values: [head, tail], default: head}
      place: {type: path, required: false}`;

const task = (command: string, more = ''): string =>
  `tasks:\n  cook:${INPUTS}\n    command: ${command}\n${more}`;

/** Every one of these tries to be something else than text. */
const HOSTILE = [
  '$(touch pwned)',
  '`touch pwned`',
  '"; touch pwned; "',
  "'; touch pwned; '",
  '\n touch pwned\n',
  `${'$'}{PATH}`,
  '$PATH $1 $@ $$',
  '\\',
  "it's",
  '"',
  '!!',
  '*',
  '~',
  '#',
  '-n',
  '{{word}} {{other}} $INPUT_word',
  '%s\\n',
  '$& $1 $$',
  'EOF\ntouch pwned\nEOF',
  'žluť 🐌',
  '\t a  b ',
  '',
];

const PLACES: readonly { name: string; command: string; expected: (word: string) => string }[] = [
  { name: 'a word of a list', command: '[printf, "%s", "{{word}}"]', expected: (word) => word },
  {
    name: 'a part of a word of a list',
    command: '[printf, "%s", "<{{word}}>"]',
    expected: (word) => `<${word}>`,
  },
  { name: 'the open', command: `'printf %s {{word}}'`, expected: (word) => word },
  {
    name: 'the open, glued to text',
    command: `'printf %s a{{word}}b'`,
    expected: (word) => `a${word}b`,
  },
  { name: 'double quotes', command: `'printf %s "<{{word}}>"'`, expected: (word) => `<${word}>` },
  { name: 'single quotes', command: `"printf %s '<{{word}}>'"`, expected: (word) => `<${word}>` },
  {
    name: 'a command in double quotes',
    command: `'printf %s "$(printf %s. {{word}})"'`,
    expected: (word) => `${word}.`,
  },
  {
    name: 'double quotes in a command in double quotes',
    command: `'printf %s "$(printf %s. "{{word}}")"'`,
    expected: (word) => `${word}.`,
  },
  {
    name: 'back quotes',
    command: '\'printf %s "`printf %s. {{word}}`"\'',
    expected: (word) => `${word}.`,
  },
  {
    name: 'a setting of a variable',
    command: `'x={{word}}; printf %s "$x"'`,
    expected: (word) => word,
  },
  {
    name: 'a here-document',
    command: `|\n      cat <<EOF; printf .\n      <{{word}}>\n      EOF`,
    expected: (word) => `<${word}>\n.`,
  },
  {
    name: 'a here-document behind other text',
    command: `|\n      cat <<-"A" - <<B; printf .\n      nothing $(touch pwned)\n      A\n      <{{word}}>\n      B`,
    expected: (word) => `<${word}>\n.`,
  },
  {
    name: 'a comment',
    command: `|\n      # it's {{word}} here\n      printf done`,
    expected: () => 'done',
  },
  { name: 'its variable', command: `'printf %s "$INPUT_word"'`, expected: (word) => word },
  {
    name: 'its variable in capitals',
    command: `[sh, -c, 'printf %s "$INPUT_WORD"']`,
    expected: (word) => word,
  },
];

describe('a value stays what it is in', () => {
  for (const { name, command, expected } of PLACES)
    test(name, async () => {
      const folder = temporaryFolder();
      const [cook] = (await load(task(command), folder)).tasks;
      for (const word of HOSTILE) {
        const bytes = await cook?.run({ word }, testJob(folder).job);
        expect([word, Buffer.from(bytes as Uint8Array).toString()]).toEqual([word, expected(word)]);
      }
      expect(readdirSync(folder)).not.toContain('pwned');
    });
});

const TYPES: readonly { name: string; command: string; inputs: Inputs; text: string }[] = [
  {
    name: 'numbers and truth as JSON has them',
    command: '[echo, "{{count}}", "{{share}}", "{{sure}}"]',
    inputs: { count: 3, share: 0.5, sure: false },
    text: '3 0.5 false\n',
  },
  {
    name: 'a list that stands alone as one word each',
    command: `[printf, '<%s>', "{{names}}"]`,
    inputs: { names: ['a b', '$(x)', ''] },
    text: '<a b><$(x)><>',
  },
  {
    name: 'a list in the open as one word each',
    command: `"printf '<%s>' {{names}}"`,
    inputs: { names: ["a'b", '$(touch pwned)', ''] },
    text: "<a'b><$(touch pwned)><>",
  },
  {
    name: 'an empty list as nothing',
    command: `"printf '<%s>' x {{names}}"`,
    inputs: { names: [] },
    text: '<x>',
  },
  {
    name: 'nothing as no word',
    command: `[printf, '<%s>', x, "{{word}}"]`,
    inputs: {},
    text: '<x>',
  },
  {
    name: 'nothing inside other text as no text',
    command: `[printf, '<%s>', "a{{word}}"]`,
    inputs: {},
    text: '<a>',
  },
  {
    name: 'nothing in the open as no word',
    command: `"printf '<%s>' x {{word}}"`,
    inputs: {},
    text: '<x>',
  },
  {
    name: 'nothing in quotes as no text, also for a strict shell',
    command: `'set -u; printf "<%s>" "a{{word}}"'`,
    inputs: {},
    text: '<a>',
  },
  {
    name: 'numbers in arithmetic',
    command: `'echo $(( {{count}} * (2 + 1) )) {{word}}'`,
    inputs: { count: -2, word: 'x' },
    text: '-6 x\n',
  },
  {
    name: 'lists as JSON in their variable',
    command: `'printf %s "$INPUT_names"'`,
    inputs: { names: ['a', 'b"'] },
    text: '["a","b\\""]',
  },
  {
    name: 'numbers in the text of a program',
    command: `[sh, -c, "echo $(({{count}} + 1))"]`,
    inputs: { count: 4 },
    text: '5\n',
  },
  {
    name: 'arguments of a program whose text is fixed',
    command: `[sh, -c, 'printf "<%s>" "$@"', sh, "{{word}}"]`,
    inputs: { word: '$(touch pwned)' },
    text: '<$(touch pwned)>',
  },
  {
    name: 'arguments of other programs',
    command: `[echo, sed, "{{word}}", sh, "{{word}}"]`,
    inputs: { word: 'w' },
    text: 'sed w sh w\n',
  },
  {
    name: 'arguments of scripts and of programs in a script',
    command: `"sed -n '1p' {{place}} | awk -v w={{word}} '{print w, $1}' ; sh -c 'echo \\"$1\\"' sh {{word}}"`,
    inputs: { place: '/dev/null', word: 'w x' },
    text: 'w x\n',
  },
  {
    name: 'a choice as the command',
    command: `'printf "1\\n2\\n" | {{size}} -n 1'`,
    inputs: { size: 'tail' },
    text: '2\n',
  },
  {
    name: 'words of a list that are no text',
    command: '[echo, 1, true, 2.50]',
    inputs: {},
    text: '1 true 2.5\n',
  },
  {
    name: 'braces that are no placeholder',
    command: `[printf, '%s', '{{.Name}} {{ }} {word} {{{{word}}}}']`,
    inputs: { word: 'x' },
    text: '{{.Name}} {{ }} {word} {{x}}',
  },
];

describe('values become words:', () => {
  for (const { name, command, inputs, text } of TYPES)
    test(name, async () => {
      expect((await run(task(command), inputs)).text).toBe(text);
    });
});

describe('running', () => {
  test('standard output is the result, byte for byte', async () => {
    const { bytes } = await run(`tasks:\n  cook:\n    command: "printf 'a\\\\377\\\\000\\\\n'"`);
    expect([...(bytes ?? [])]).toEqual([97, 255, 0, 10]);
  });

  test('unless the file that RESULT names was written; nothing of it stays', async () => {
    const { text, folder } = await run(
      `tasks:\n  cook:\n    command: |\n      echo noise\n      printf kept > "$RESULT"\n      printf art > "$FILES/a.txt"`,
    );
    expect(text).toBe('kept');
    expect(readdirSync(join(folder, 'jobs/Default.files'))).toEqual(['a.txt']);
  });

  test('what a command of an attempt that was killed left in RESULT, or writes there later, is no result', async () => {
    const folder = temporaryFolder();
    const [cook] = (
      await load(
        `tasks:\n  cook:\n    command: '[ ! -f "$FILES/place" ] || printf late > "$(cat "$FILES/place")"; echo "$RESULT" > "$FILES/place"; printf new'`,
        folder,
      )
    ).tasks;
    const { job } = testJob(folder);
    const results: string[] = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      results.push(Buffer.from((await cook?.run({}, job)) as Uint8Array).toString());
      // As if it had been killed.
      writeFileSync(readFileSync(job.files('place'), 'utf8').trim(), 'old');
    }
    expect(results).toEqual(['new', 'new']);
  });

  test('it is told its dependencies, its folder, and the environment as it is', async () => {
    const yaml = `tasks:
  cook:
    deps: [Other/base, {task: Other/base, name: second-one}]
    command: 'cat "$DEP_base" "$DEP_second_one"; printf " %s %s" "$MINE" "\${INPUT_word-unset}"; cat "$WORKFLOW_FOLDER/more.txt"; pwd'
    inputs: {word: {required: false}}
`;
    const { text, folder } = await run(
      yaml,
      {},
      {
        deps: { base: 'B', 'second-one': 'S' },
        env: { MINE: 'my own', INPUT_word: 'of an outer task', INPUT_WORD: 'of an outer task' },
        files: { 'w/more.txt': ' more ' },
      },
    );
    expect(text).toBe(`BS my own unset more ${folder}\n`);
  });

  test('a program with a path lies beside the workflow', async () => {
    const folder = temporaryFolder({ 'w/bin/': '' });
    writeTree(folder, { 'w/bin/tool': '#!/bin/sh\necho tool $1\n' });
    const { chmodSync } = await import('node:fs');
    chmodSync(join(folder, 'w/bin/tool'), 0o755);
    const [cook] = (await load(task('[./bin/tool, "{{word}}"]'), folder)).tasks;
    expect(
      Buffer.from((await cook?.run({ word: 'w' }, testJob(folder).job)) as Uint8Array).toString(),
    ).toBe('tool w\n');
  });

  test('standard error goes to the log line by line, standard input is empty', async () => {
    const { log, text } = await run(
      `tasks:\n  cook:\n    command: 'cat; echo one >&2; printf "two\\rthree" >&2'`,
    );
    expect(text).toBe('');
    expect(log.join('\n').split('\n')).toEqual(['one', 'two', 'three']);
  });

  test('values that a dependency is given keep their type, and what has no value is left out', async () => {
    const { tasks } = await load(`tasks:
  cook:${INPUTS}
    deps:
      - Other/plain
      - task: Other/given
        inputs: {n: "{{count}}", list: "{{names}}", text: "n is {{count}}", fixed: 7, gone: "{{word}}"}
    command: [echo]
`);
    const [plain, given] = tasks[0]?.deps ?? [];
    expect(plain?.inputs({ count: 1 })).toEqual({});
    expect(given?.inputs({ count: 1, names: ['a'] })).toEqual({
      n: 1,
      list: ['a'],
      text: 'n is 1',
      fixed: 7,
    });
  });
});

const FAILED: readonly { name: string; command: string; inputs?: Inputs; failure: object }[] = [
  {
    name: 'a status that is not 0, with the last lines of standard error',
    command: `'seq 30 >&2; echo "no good" >&2; echo >&2; exit 3'`,
    failure: {
      code: 'command-failed',
      exitCode: 1,
      message: 'the command failed with status 3: no good',
      detail: ['22', '23', '24', '25', '26', '27', '28', '29', '30'],
      facts: { status: 3 },
    },
  },
  {
    name: 'a status that is not 0, and not a word',
    command: "'exit 1'",
    failure: { message: 'the command failed with status 1, and said nothing' },
  },
  {
    name: 'a program that is not there',
    command: '[no-such-program-anywhere]',
    failure: {
      code: 'command-not-found',
      exitCode: 1,
      message: 'command "no-such-program-anywhere" of Kitchen/cook is not found',
      next: 'install it, or correct its name in the workflow',
    },
  },
  {
    name: 'a program that the shell does not find',
    command: "'no-such-program-anywhere x'",
    failure: {
      code: 'command-not-found',
      message: expect.stringMatching(
        /failed with status 127: .*no-such-program-anywhere.*not found/,
      ),
    },
  },
  {
    name: 'a program that may not be run',
    command: '[./workflow.yaml]',
    failure: {
      code: 'command-not-found',
      message: expect.stringMatching(/workflow.yaml" of Kitchen\/cook may not be run/),
    },
  },
  {
    name: 'a signal, which may pass',
    command: "'kill -9 $$'",
    failure: {
      message: 'the command was ended by SIGKILL, and said nothing',
      facts: { kind: 'killed' },
    },
  },
  {
    name: 'text that is longer than the system gives to a command',
    command: '[printf, "{{word}}"]',
    inputs: { word: 'x'.repeat(200_000) },
    failure: { code: 'input-too-long', next: expect.stringContaining('an input of type file') },
  },
  {
    name: 'a NUL character',
    command: '[printf, "{{word}}"]',
    inputs: { word: 'a\0b' },
    failure: {
      code: 'bad-input',
      message: 'an input of Kitchen/cook holds a NUL character, which no command takes',
    },
  },
];

describe('a command fails with', () => {
  for (const { name, command, inputs, failure } of FAILED)
    test(name, async () => {
      const ran = await run(task(command), inputs);
      expect(ran.failure).toBeInstanceOf(Failure);
      expect(ran.failure).toMatchObject(failure);
      expect(ran.failure?.at).toEqual({ file: join(ran.folder, 'w/workflow.yaml'), line: 12 });
      if (existsSync(join(ran.folder, 'jobs/Default.files')))
        expect(readdirSync(join(ran.folder, 'jobs/Default.files'))).toEqual([]);
    });

  test('the whole of standard error in the log', async () => {
    const { log } = await run(task("'seq 3000 >&2; exit 1'"));
    expect(log.join('\n').split('\n')).toHaveLength(3000);
  });
});

const REFUSED: readonly {
  name: string;
  yaml: string;
  line: number;
  message: RegExp;
  next?: RegExp;
}[] = [
  { name: 'no YAML', yaml: 'tasks:\n  a: {b\n', line: 3, message: /the workflow is no valid YAML/ },
  {
    name: 'a file of something else',
    yaml: '- a\n',
    line: 1,
    message: /a workflow is a mapping with tasks, not a list/,
  },
  { name: 'no tasks', yaml: 'title: x\n', line: 1, message: /tasks are a mapping/ },
  {
    name: 'two tasks of one name',
    yaml: 'tasks:\n  a:\n    command: [x]\n  b:\n    command: [x]\n  a:\n    command: [x]\n',
    line: 6,
    message: /"a" stands twice here/,
    next: /rename or remove/,
  },
  {
    name: 'a key that has no meaning',
    yaml: 'tasks:\n  a:\n    comand: [x]\n',
    line: 3,
    message: /the key "comand" has no meaning/,
    next: /did you mean "command"/,
  },
  {
    name: 'a task without a command',
    yaml: 'tasks:\n  a:\n    title: x\n'.replace('title: x', 'description: x'),
    line: 2,
    message: /command is a list of words or a text/,
  },
  {
    name: 'a name of a task that is no name',
    yaml: 'tasks:\n  "a b":\n    command: [x]\n',
    line: 2,
    message: /a name of a task has letters/,
  },
  {
    name: 'an input of no known type',
    yaml: 'tasks:\n  a:\n    command: [x]\n    inputs:\n      n:\n        description: N\n        type: integr\n',
    line: 7,
    message: /there is no input type "integr"/,
    next: /did you mean "integer"/,
  },
  {
    name: 'a select without values',
    yaml: 'tasks:\n  a:\n    command: [x]\n    inputs:\n      n: {type: select}\n',
    line: 5,
    message: /is a select and needs its values/,
  },
  {
    name: 'values of what is no select',
    yaml: 'tasks:\n  a:\n    command: [x]\n    inputs:\n      n: {type: integer, values: [1]}\n',
    line: 5,
    message: /has values, so its type is select, not integer/,
  },
  {
    name: 'a default of the wrong type',
    yaml: 'tasks:\n  a:\n    command: [x]\n    inputs:\n      n: {type: integer,\n        default: three}\n',
    line: 6,
    message: /the default does not fit: input "n" cannot be "three": it takes a whole number/,
  },
  {
    name: 'a placeholder of no input',
    yaml: 'tasks:\n  a:\n    inputs: {word: string}\n    command:\n      - echo\n      - "{{wrod}}"\n',
    line: 6,
    message: /\{\{wrod\}\} is no input of this task/,
    next: /did you mean "word"/,
  },
  {
    name: 'a placeholder of no input in a script',
    yaml: 'tasks:\n  a:\n    command: echo {{word}}\n',
    line: 3,
    message: /\{\{word\}\} is no input/,
    next: /there are none/,
  },
  {
    name: 'a placeholder of no input for a dependency',
    yaml: 'tasks:\n  a:\n    command: [x]\n    deps:\n      - task: O/b\n        inputs:\n          n: "{{m}}"\n',
    line: 7,
    message: /\{\{m\}\} is no input/,
  },
  {
    name: 'a list inside other text',
    yaml: 'tasks:\n  a:\n    inputs: {n: string_array}\n    command: [echo, "x{{n}}"]\n',
    line: 4,
    message: /is a list and cannot stand inside other text/,
  },
  {
    name: 'a list inside quotes',
    yaml: `tasks:\n  a:\n    inputs: {n: string_array}\n    command: 'echo "{{n}}"'\n`,
    line: 4,
    message: /is a list and stands inside quotes/,
  },
  {
    name: 'an input as the command of a list',
    yaml: 'tasks:\n  a:\n    inputs: {n: string}\n    command: ["{{n}}", x]\n',
    line: 4,
    message: /\{\{n\}\} is the command itself/,
  },
  {
    name: 'an input as the command of a script',
    yaml: `tasks:\n  a:\n    inputs: {n: string}\n    command: 'echo a | {{n}} b'\n`,
    line: 4,
    message: /stands where the shell takes a command/,
  },
  {
    name: 'an input behind eval',
    yaml: `tasks:\n  a:\n    inputs: {n: string}\n    command: 'x=1 eval {{n}}'\n`,
    line: 4,
    message: /stands where the shell takes a command/,
  },
  {
    name: 'text in arithmetic',
    yaml: `tasks:\n  a:\n    inputs: {n: string}\n    command: 'echo $((1 + {{n}}))'\n`,
    line: 4,
    message: /stands in arithmetic and is no number/,
  },
  ...[
    `[sh, -c, "echo {{n}}"]`,
    `[/bin/bash, -ec, "echo {{n}}"]`,
    `[env, A=1, python3, -c, "print('{{n}}')"]`,
    `[perl, -ne, "print if /{{n}}/"]`,
    `[node, --eval, "{{n}}"]`,
    `[awk, -F, ",", "/{{n}}/"]`,
    `[sed, "s/a/{{n}}/", file]`,
    `[timeout, 5s, env, A=b, gawk, "{{n}}"]`,
    `[sed, -i, -e, "s/a/{{n}}/", file]`,
    `'sh -c "echo {{n}}"'`,
    `'true | ssh host; timeout 3 sh -c {{n}}'`,
    `"awk -F , '/{{n}}/' file"`,
    `'x=$(python3 -u -c "print({{n}})")'`,
    `|\n      python3 - <<E\n      print({{n}})\n      E`,
  ].map((command) => ({
    name: `an input in the text of a program: ${command}`,
    yaml: `tasks:\n  a:\n    inputs: {n: string}\n    command: ${command}\n`,
    line: 4,
    message: /\{\{n\}\} stands in the text of a program/,
    next: /as INPUT_n, or give it as an argument/,
  })),
  {
    name: 'a here-document that expands nothing',
    yaml: `tasks:\n  a:\n    inputs: {n: string}\n    command: |\n      cat <<'E'\n      {{n}}\n      E\n`,
    line: 4,
    message: /in a here-document that the shell takes as it is/,
  },
  {
    name: 'two inputs that are one variable',
    yaml: 'tasks:\n  a:\n    command: [x]\n    inputs:\n      a-b: string\n      a_b: string\n',
    line: 6,
    message: /would both be the variable \$INPUT_a_b/,
  },
  {
    name: 'a result of no known type',
    yaml: 'tasks:\n  a:\n    command: [x]\n    result: picture\n',
    line: 4,
    message: /result is one of string, text/,
  },
  {
    name: 'a dependency on an unknown task',
    yaml: 'tasks:\n  bake:\n    command: [x]\n    deps:\n      - Other/x\n      - wisk\n  whisk:\n    command: [x]\n',
    line: 6,
    message: /task "bake" depends on "wisk", which Kitchen does not have/,
    next: /did you mean "whisk"/,
  },
  {
    name: 'dependencies in a circle',
    yaml: 'tasks:\n  a: {command: [x], deps: [b]}\n  b: {command: [x], deps: [Kitchen/c]}\n  c:\n    command: [x]\n    deps: [a]\n',
    line: 2,
    message: /in a circle: a → b → c → a/,
  },
  {
    name: 'two dependencies of one name',
    yaml: 'tasks:\n  a:\n    command: [x]\n    deps: [O/b, P/b]\n',
    line: 4,
    message: /two dependencies are called "b"/,
  },
];

describe('a workflow that is wrong: file and line of', () => {
  for (const { name, yaml, line, message, next } of REFUSED)
    test(name, async () => {
      const folder = temporaryFolder();
      const failure = await load(yaml, folder).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Failure);
      expect(failure).toMatchObject({
        code: 'bad-workflow',
        exitCode: 3,
        at: { file: join(folder, 'w/workflow.yaml'), line },
      });
      expect((failure as Failure).message).toMatch(message);
      if (next !== undefined) expect((failure as Failure).next).toMatch(next);
    });

  test('text that is not UTF-8', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'w'));
    writeTree(folder, { 'w/workflow.yaml': Uint8Array.of(0x61, 0xff) });
    const failed = loadYaml(join(folder, 'w/workflow.yaml'), 'Kitchen', createWorld(folder));
    await expect(failed).rejects.toMatchObject({ message: 'the workflow is not UTF-8 text' });
  });
});

test('a definition becomes tasks with typed inputs', async () => {
  const { tasks, ...workflow } = await load(`name: Kitchen
title: A kitchen
description: |
  Cooks.
tasks:
  cook:
    description: Cooks one thing
    return_path: true
    result: json
    inputs:
      dish: {type: select, values: [soup, 1, true], description: What}
      guests: {type: integer, default: 4}
      spices: {type: string_array, default: [salt]}
      recipe: {type: file, required: false}
      note:
      hint: text
    command: [echo]
  stir:
    exec: true
    deps: [cook]
    command: echo
`);
  const base = { description: '', required: true };
  expect(workflow).toMatchObject({ name: 'Kitchen', title: 'A kitchen', description: 'Cooks.' });
  expect(tasks[0]).toMatchObject({
    description: 'Cooks one thing',
    result: 'json',
    returnPath: true,
    exec: false,
  });
  expect(tasks[0]?.inputs).toEqual([
    { ...base, name: 'dish', type: 'select', values: ['soup', '1', 'true'], description: 'What' },
    { ...base, name: 'guests', type: 'integer', default: 4, required: false },
    { ...base, name: 'spices', type: 'string_array', default: ['salt'], required: false },
    { ...base, name: 'recipe', type: 'file', required: false },
    { ...base, name: 'note', type: 'string' },
    { ...base, name: 'hint', type: 'text' },
  ]);
  expect(tasks[1]).toMatchObject({
    exec: true,
    result: 'string',
    returnPath: false,
    deps: [{ name: 'cook', workflow: 'Kitchen', task: 'cook' }],
  });
});

test('a stop ends a command that will not end, and everything that it started', async () => {
  const folder = temporaryFolder();
  const [cook] = (
    await load(
      `tasks:\n  cook:\n    command: |\n      trap '' TERM\n      setsid sleep 300 &\n      echo $! $$ > new; mv new pids\n      while :; do sleep 0.2; done`,
      folder,
    )
  ).tasks;
  const stop = new AbortController();
  const settled = Promise.resolve(cook?.run({}, testJob(folder, {}, stop.signal).job)).catch(
    (error: unknown) => error,
  );
  while (!existsSync(join(folder, 'pids'))) await new Promise((resolve) => setTimeout(resolve, 20));
  const pids = readFileSync(join(folder, 'pids'), 'utf8').trim().split(' ');
  const reason = new Error('stop');
  stop.abort(reason);
  expect(await settled).toBe(reason);
  const runs = (pid: string) =>
    existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  expect(pids.filter(runs)).toEqual([]);
});
