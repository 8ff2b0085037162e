// YAML workflows that are refused, with file and line.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { loadYaml } from '../../src/workflows/yaml.ts';
import { temporaryFolder, writeTree } from '../helpers/folder.ts';
import { createWorld } from '../helpers/run.ts';
import { load } from './kitchen.ts';

const REFUSED: readonly {
  name: string;
  yaml: string;
  line: number;
  message: RegExp;
  next?: RegExp;
}[] = [
  { name: 'no YAML', yaml: 'tasks:\n  a: {b\n', line: 3, message: /the workflow is no valid YAML/ },
  {
    name: 'a default that holds itself, which was an unexpected TypeError',
    yaml: 'tasks:\n  a:\n    inputs: {x: {type: string, default: &a [*a]}}\n    command: [echo]\n',
    line: 1,
    message: /the workflow is no valid YAML: it is nested more than 500 deep/,
  },
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

describe('a text becomes no command', () => {
  const refused = [
    '["{{ n }}"]',
    '["./{{n}}"]',
    '[sudo, -n, "{{n}}"]',
    '[env, A=1, "{{n}}"]',
    '[find, ., -exec, "{{n}}", ;]',
    '[ssh, -p, "22", host, ls, "{{n}}"]',
    `'xargs -0 {{n}}'`,
    `'ls | xargs -n 1 "{{n}}"'`,
    `'timeout 5s nice -n 3 {{n}}'`,
    `'nohup {{n}} &'`,
    `'time {{n}}'`,
    `'watch -n 5 {{n}}'`,
    `'ssh host cat {{n}}'`,
    `'source {{n}}'`,
    `'trap {{n}} EXIT'`,
    `'let {{n}}'`,
    `'bash <<< {{n}}'`,
    `'sh <<< "echo {{n}}"'`,
    `'case a in a) {{n}};; esac'`,
    `'f() { {{n}}; }; f'`,
  ];
  for (const command of refused)
    test(command, async () => {
      const yaml = `tasks:\n  a:\n    inputs: {n: string}\n    command: ${command}\n`;
      await expect(load(yaml)).rejects.toMatchObject({ code: 'bad-workflow' });
    });
});

describe('a text may stand beside a command', () => {
  const allowed = [
    '[sudo, -u, "{{n}}", ls]',
    '[env, "A={{n}}", ls]',
    '[find, ., -name, "{{n}}"]',
    '[ssh, -p, "{{n}}", host, ls]',
    `'xargs -n {{n}} echo'`,
    `'timeout {{n}} ls'`,
    `'watch -n {{n}} ls'`,
    `'cat <<< {{n}}'`,
    `'case {{n}} in a) echo {{n}};; b) echo {{n}};; esac'`,
    `'f() { echo {{n}}; }; f'`,
    `'echo $(ls) {{n}}'`,
    `'grep -e {{n}} f | sudo tee {{n}}'`,
  ];
  for (const command of allowed)
    test(command, async () => {
      const yaml = `tasks:\n  a:\n    inputs: {n: string}\n    command: ${command}\n`;
      expect((await load(yaml)).tasks).toHaveLength(1);
    });
});
