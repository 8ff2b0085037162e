// Corners of reading that the vectors leave open, and faults of other tools, named after their symptoms.

import { describe, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import type { Warning } from '../../src/types.ts';

interface Case {
  readonly name: string;
  readonly text: string;
  /** `role: content` each. */
  readonly messages: readonly string[];
}

const read = (text: string) => parse(text).map(({ role, content }) => `${role}: ${content}`);

const group = (title: string, cases: readonly Case[]) =>
  describe(title, () => {
    for (const { name, text, messages } of cases) {
      test(name, () => {
        expect(read(text)).toEqual(messages);
      });
    }
  });

group('current role', [
  {
    name: 'an inline message leaves the role of a block in force',
    text: 'assistant:\n\none\nmeta: a=1\ntwo\n',
    messages: ['assistant: one', 'meta: a=1', 'assistant: two'],
  },
  {
    name: 'an inline agent gives the following text to the user',
    text: 'assistant:\n\none\nagent: Baker\ntwo\n',
    messages: ['assistant: one', 'agent: Baker', 'user: two'],
  },
  {
    name: 'an agent block keeps the following text',
    text: 'agent:\n\nBaker\n',
    messages: ['agent: Baker'],
  },
  {
    name: 'an inline message directly behind a block header leaves that block empty',
    text: 'clear:\nuser: a\n',
    messages: ['clear: ', 'user: a'],
  },
]);

group('headers', [
  { name: 'two colons', text: 'a::b\n', messages: ['a: :b'] },
  {
    name: 'one slash is content, two are an address',
    text: 'a:/b\nc://d\n',
    messages: ['a: /b', 'user: c://d'],
  },
  {
    name: 'vertical tab and form feed are white space',
    text: 'user:\v\f\nx\n',
    messages: ['user: x'],
  },
  { name: 'a no-break space is content', text: 'user:\u00a0\n', messages: ['user: \u00a0'] },
  {
    name: 'a header may end the text',
    text: 'user: a\nassistant:',
    messages: ['user: a', 'assistant: '],
  },
]);

group('fences', [
  {
    name: 'a longer fence closes',
    text: '```\na: 1\n`````\nb: 2\n',
    messages: ['user: ```\na: 1\n`````', 'b: 2'],
  },
  {
    name: 'a shorter one does not',
    text: '````\n```\na: 1\n````\nb: 2\n',
    messages: ['user: ````\n```\na: 1\n````', 'b: 2'],
  },
  {
    name: 'an info string never closes',
    text: '```\n```js\na: 1\n```\nb: 2\n',
    messages: ['user: ```\n```js\na: 1\n```', 'b: 2'],
  },
  {
    name: 'tildes do not close backticks',
    text: '```\n~~~\na: 1\n```\n',
    messages: ['user: ```\n~~~\na: 1\n```'],
  },
  {
    name: 'an info string of tildes may hold backticks',
    text: '~~~ ```\na: 1\n~~~\n',
    messages: ['user: ~~~ ```\na: 1\n~~~'],
  },
  {
    name: 'four spaces make no fence',
    text: 'x\n    ```\na: 1\n',
    messages: ['user: x\n    ```', 'a: 1'],
  },
  { name: 'a tab makes no fence', text: 'x\n\t```\na: 1\n', messages: ['user: x\n\t```', 'a: 1'] },
  {
    name: 'white space behind a closing fence',
    text: '```\na: 1\n``` \t\nb: 2\n',
    messages: ['user: ```\na: 1\n```', 'b: 2'],
  },
  { name: 'two backticks are text', text: '``\na: 1\n', messages: ['user: ``', 'a: 1'] },
]);

group('square blocks', [
  {
    name: 'brackets in a bracket block',
    text: '[[ a\n[[1], 2]\nb: 1\nx ]]\nc: 1\n',
    messages: ['user: a\n[[1], 2]\nb: 1\nx', 'c: 1'],
  },
  {
    name: 'indentation before the marker stays',
    text: 'x\n  [[ a\nb ]]  \ny\n',
    messages: ['user: x\n   a\nb   \ny'],
  },
  {
    name: 'a marker line of its own is dropped',
    text: 'x\n[[\na: 1\n]]\ny\n',
    messages: ['user: x\na: 1\ny'],
  },
  {
    name: 'a fence inside means nothing',
    text: '[[\n```\n]]\na: 1\n',
    messages: ['user: ```', 'a: 1'],
  },
  {
    name: 'four brackets',
    text: '[[[[\na: 1\n]]]]\nb: 1\n',
    messages: ['user: [[\na: 1\n]]', 'b: 1'],
  },
]);

group('carriage returns', [
  {
    name: 'those before a line feed are a line end',
    text: 'a\r\r\nb\rc\r',
    messages: ['user: a\nb\rc'],
  },
  {
    name: 'also behind a removed mark',
    text: '[[ x\na\r]]\nb\r]]\r\nc\n',
    messages: ['user: x\na\nb\r]]\nc'],
  },
]);

group('tags', [
  {
    name: 'same-named tags nest',
    text: '<a>\n<a>\n</a>\nx: 1\n</a>\ny: 1\n',
    messages: ['user: <a>\n<a>\n</a>\nx: 1\n</a>', 'y: 1'],
  },
  {
    name: 'an open tag inside a closed one is text',
    text: '<a>\n<b>\nx: 1\n</a>\ny: 1\n',
    messages: ['user: <a>\n<b>\nx: 1\n</a>', 'y: 1'],
  },
  {
    name: 'an open tag may hold a closed one',
    text: '<a>\n<a>\nx: 1\n</a>\ny: 1\n',
    messages: ['user: <a>\n<a>\nx: 1\n</a>', 'y: 1'],
  },
  {
    name: 'the count may come back within a line',
    text: '<a>\n</a><a>\nx: 1\n',
    messages: ['user: <a>\n</a><a>', 'x: 1'],
  },
  {
    name: 'tags behind text on a line count',
    text: '<a>\nx <a> y\n</a>\nx: 1\nz </a>\ny: 1\n',
    messages: ['user: <a>\nx <a> y\n</a>\nx: 1\nz </a>', 'y: 1'],
  },
  {
    name: 'tags on an escaped line do not',
    text: '<a>\n\\</a>\nx: 1\n</a>\ny: 1\n',
    messages: ['user: <a>\n\\</a>\nx: 1\n</a>', 'y: 1'],
  },
  {
    name: 'a closing tag in what looks like a fence closes',
    text: '<a>\n```\n</a>\n```\nx: 1\n```\n',
    messages: ['user: <a>\n```\n</a>\n```\nx: 1\n```'],
  },
  {
    name: 'a tag may close in another message',
    text: 'user:\n\n<a>\n\nassistant:\n\n</a>\n',
    messages: ['user: <a>\n\nassistant:\n\n</a>'],
  },
  {
    name: 'attributes may hold a tag',
    text: '<a n="<b>">\nx: 1\n</a>\n',
    messages: ['user: <a n="<b>">\nx: 1\n</a>'],
  },
  {
    name: 'attributes end before a closing tag',
    text: '<a n </a>\nx: 1\n',
    messages: ['user: <a n </a>', 'x: 1'],
  },
  {
    name: 'a tag at the start of the file, behind a byte order mark',
    text: '\ufeff<a>\nx: 1\n</a>\n',
    messages: ['user: <a>\nx: 1\n</a>'],
  },
  {
    name: 'names are told apart by case',
    text: '<A>\nx: 1\n</a>\n',
    messages: ['user: <A>', 'x: 1', 'user: </a>'],
  },
]);

group('command output', [
  {
    name: 'a prompt is one word',
    text: 'see sh:-- ls {{{\nx: 1\n',
    messages: ['user: see sh:-- ls {{{', 'x: 1'],
  },
  {
    name: 'it may be indented',
    text: '  sh:-- ls {{{\nx: 1\n  sh:-- ls }}}\ny: 1\n',
    messages: ['user: <cmd_output cmd="ls">\nx: 1\n</cmd_output>', 'y: 1'],
  },
  {
    name: 'the command ends at the last braces',
    text: 'sh:-- a {{{ b {{{\nsh:-- x }}}\n',
    messages: ['user: <cmd_output cmd="a {{{ b">\n</cmd_output>'],
  },
  {
    name: 'brackets inside mean nothing',
    text: 'sh:-- ls {{{\n[[\n]]\nx: 1\nsh:-- ls }}}\ny: 1\n',
    messages: ['user: <cmd_output cmd="ls">\n[[\n]]\nx: 1\n</cmd_output>', 'y: 1'],
  },
]);

group('escapes', [
  {
    name: 'before each kind of special line',
    text: '\\```\n\\[[\n\\<a>\n\\sh:-- ls {{{\n\\x </a>\n\\x: 1\n',
    messages: ['user: ```\n[[\n<a>\nsh:-- ls {{{\nx </a>\nx: 1'],
  },
  { name: 'an indented special line', text: '\\  ```\n\\  [[\n', messages: ['user: ```\n  [['] },
  {
    name: 'a backslash before anything else is text',
    text: '\\alpha\n\\User: x\n\\http://x\n \\x: 1\n\\    ```\n',
    messages: ['user: \\alpha\n\\User: x\n\\http://x\n \\x: 1\n\\    ```'],
  },
  { name: 'one backslash of many is removed', text: '\\\\\\x: 1\n', messages: ['user: \\\\x: 1'] },
]);

// Reports about other tools.
group('faults', [
  {
    name: 'an address at the start of a line becomes a message',
    text: 'assistant:\n\nSee\nhttp://host.example/a\nthanks\n',
    messages: ['assistant: See\nhttp://host.example/a\nthanks'],
  },
  {
    name: 'a matrix opens a block that never closes, and loses its brackets',
    text: 'user:\n\n[[1, 2], [3, 4]]\n\nassistant:\n\nfine\n',
    messages: ['user: [[1, 2], [3, 4]]', 'assistant: fine'],
  },
  {
    name: 'code on one line between three backticks opens a fence',
    text: 'user:\n\n```x```\nassistant:\n\nfine\n',
    messages: ['user: ```x```', 'assistant: fine'],
  },
  {
    name: 'a fence inside a list swallows the next turn',
    text: 'user:\n\n- a\n\n  ```\n  b: 1\n  ```\n\nassistant:\n\nfine\n',
    messages: ['user: - a\n\n  ```\n  b: 1\n  ```', 'assistant: fine'],
  },
  {
    name: 'a byte order mark hides the first header',
    text: '\ufeffsystem: a\nuser: b\n',
    messages: ['system: a', 'user: b'],
  },
  {
    name: 'carriage returns end up in values',
    text: 'endpoint: local\r\nfunction_call: {"a":1}\r\nuser:\r\n\r\nx\r\ny\r\n',
    messages: ['endpoint: local', 'function_call: {"a":1}', 'user: x\ny'],
  },
  {
    name: 'a file without a last newline loses its last line',
    text: 'user: a\nassistant: b',
    messages: ['user: a', 'assistant: b'],
  },
  { name: 'an empty file has a message', text: '', messages: [] },
  {
    name: 'text behind an inline header goes to the block before it',
    text: 'system: be brief\nhello there\nuser: q\n',
    messages: ['system: be brief', 'user: hello there', 'user: q'],
  },
  {
    name: 'characters that look like line ends cut a line',
    text: 'user: a\u2028system: b\u0085c\vd\fe\n',
    messages: ['user: a\u2028system: b\u0085c\vd\fe'],
  },
]);

describe('places', () => {
  test('messages know file and line', () => {
    const text = '\n\ntext\n\nuser:\n\n<a>\n\n</a>\nmodel: m\n\nmore\n\\x:\nassistant: b\n[[\nc\n';
    expect(parse(text, { file: 'f.chat' }).map(({ role, origin }) => [role, origin])).toEqual(
      [
        ['user', 3],
        ['user', 5],
        ['model', 10],
        ['user', 12],
        ['assistant', 14],
        ['user', 16],
      ].map(([role, line]) => [role, { file: 'f.chat', line }]),
    );
  });

  test('without a file there is the line alone', () => {
    expect(parse('a: 1\n')).toEqual([{ role: 'a', content: '1', origin: { line: 1 } }]);
  });

  for (const [kind, opener] of [
    ['code fence', '```js'],
    ['"[[" block', '[[ x'],
    ['command output block', 'sh:-- ls {{{'],
  ] as const) {
    test(`a ${kind} that is never closed swallows the rest in silence`, () => {
      const warnings: Warning[] = [];
      parse(`user:\n\n${opener}\nassistant: a\n`, {
        file: 'f.chat',
        warn: (each) => warnings.push(each),
      });
      expect(warnings).toEqual([
        {
          code: 'unclosed-block',
          message: `the ${kind} that opens here is never closed: everything below is part of it`,
          origin: { file: 'f.chat', line: 3 },
        },
      ]);
    });
  }

  test('a tag that is never closed is text, without a warning', () => {
    const warnings: Warning[] = [];
    parse('<a>\nuser: x\n', { warn: (each) => warnings.push(each) });
    expect(warnings).toEqual([]);
  });
});
