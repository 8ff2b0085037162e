// Values of inputs in commands: whatever they hold, they stay values.

import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Inputs } from '../../src/workflows/types.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { testJob } from './job.ts';
import { load, run, task } from './kitchen.ts';

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
