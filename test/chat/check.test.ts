// What `print --check` finds, and what it leaves alone.

import { describe, expect, test } from 'vitest';
import { check } from '../../src/chat/check.ts';
import { settingProblem } from '../../src/config/settings.ts';

const FILES = ['there.txt', 'src', 'other.chat'];

async function findings(text: string): Promise<string[]> {
  const found = await check(text, {
    file: 'f.chat',
    option: settingProblem,
    find: async (name, from) => {
      expect(from).toBe('f.chat');
      if (name.startsWith('https://')) return { kind: 'url' };
      return FILES.includes(name) ? { kind: 'path' } : { kind: 'missing', nearest: ['there.txt'] };
    },
  });
  return found.map(
    ({ origin, code, message }) => `${origin.file}:${origin.line} ${code} ${message}`,
  );
}

describe('found:', () => {
  for (const [name, text, expected] of [
    [
      'an unclosed block',
      'user:\n\n```\nx\n',
      ['3 unclosed-block the code fence that opens here is never closed'],
    ],
    [
      'an unknown role',
      'usr: x\n',
      ['1 unknown-role unknown role "usr": did you mean "user:"? as text it is written "\\usr:"'],
    ],
    [
      'an unknown role that is like none',
      'user:\n\nweather: x\n',
      ['3 unknown-role unknown role "weather": as text'],
    ],
    ['a header in upper case', 'User: x\n', ['1 header-like "User:" is text, not a header']],
    ['an indented header', 'user:\n\nx\n  assistant:\n', ['4 header-like "  assistant:" is text']],
    ['a space before the colon', '\ufeffuser : x\r\n', ['1 header-like "user :" is text']],
    [
      'header-like lines around blocks',
      'User: a\n```\nUser: b\n```\nUser: c\n\\user: d\nUser: e\nuser:\nUser: f\n',
      ['1 header-like', '5 header-like', '7 header-like', '9 header-like'],
    ],
    [
      'a missing file',
      'file: ther.txt\nimport: x.chat\nfile: there.txt\n',
      [
        '1 missing-include "ther.txt" (file) is not there; did you mean "there.txt"?',
        '2 missing-include "x.chat" (import)',
      ],
    ],
    [
      'a format that is not there',
      'format: schema.json\n',
      ['1 missing-include "schema.json" (format)'],
    ],
    ['an include without a name', 'file:\nuser: x\n', ['1 missing-include "file:" names nothing']],
    [
      'bad JSON of a call',
      'function_call: {"name":\n',
      ['1 bad-json "function_call:" takes JSON: '],
    ],
    [
      'a call that is no object',
      'function_call_output: [1]\n',
      ['1 bad-json "function_call_output:" takes a JSON object, not "[1]"'],
    ],
    ['a call without a name', 'mcp_call: {}\n', ['1 bad-json "mcp_call:" has no "name"']],
    [
      'an option that sets nothing',
      'option: temperature=0\n',
      ['1 bad-option "option:" takes a name and a value'],
    ],
    [
      'an option that is no number',
      'sticky_option: temperature warm\n',
      ['1 bad-option the option "temperature" takes a number from 0 on, not "warm"'],
    ],
    [
      'an option that nobody knows',
      'option: temprature 0\n',
      ['1 bad-option unknown option "temprature" has no effect; did you mean "temperature"?'],
    ],
    [
      'an option out of its range',
      'sticky_option: max_tokens -5\n',
      ['1 bad-option the option "max_tokens" takes a whole number from 1 on, not "-5"'],
    ],
    [
      'a flag that is neither true nor false',
      'persist: maybe\noption: stream maybe\n',
      [
        '1 bad-option the option "persist" takes true or false',
        '2 bad-option the option "stream" takes true or false',
      ],
    ],
    [
      'an option that no chat may set',
      'option: key x\n',
      ['1 bad-option "key" cannot be set in a chat'],
    ],
    ['a format that is no JSON', 'format: {"a"\n', ['1 bad-option the format is no valid JSON']],
    [
      'a meta without pairs',
      'meta: some text\n',
      ['1 bad-meta "meta:" takes key=value pairs, not "some text"'],
    ],
    ['text before the pairs of a meta', 'meta: some pt=1\n', ['1 bad-meta']],
    [
      'bad counts in a meta',
      'meta: pt=NaN ct=-1 tt=3\n',
      ['1 bad-meta "pt=NaN" is not counted', '1 bad-meta "ct=-1" is not counted'],
    ],
    [
      'all of them in the order of lines',
      'usr: a\nfile: gone\nUser: x\nmeta: x\n',
      ['1 unknown-role', '2 missing-include', '3 header-like', '4 bad-meta'],
    ],
  ] as const) {
    test(name, async () => {
      const found = await findings(text);
      expect(found.length).toBe(expected.length);
      for (const [index, start] of expected.entries())
        expect(found[index]?.startsWith(`f.chat:${start}`)).toBe(true);
    });
  }
});

describe('left alone:', () => {
  for (const [name, text] of [
    ['an empty file', ''],
    [
      'a usual chat',
      'system: x\n\nuser:\n\nNote: y\n- model: z\nhttp://a\n\nmeta: pt=1 model=x\n\nassistant:\n\n```\nUser: x\n```\n',
    ],
    [
      'names that are there',
      'file: there.txt\ndirectory: src\nimport: other.chat\nimage: https://host.example/a.png\n',
    ],
    [
      'known options',
      'option: temperature 0.5\noption: model nil\nformat: json\nformat: {"a":"string"}\n',
    ],
    [
      'tool messages',
      'function_call: {"name":"x","arguments":{}}\nfunction_call_output: {"content":"x"}\n',
    ],
    ['lines inside blocks', '<a>\nUser: x\n</a>\n[[\n user: x\n]]\n'],
    ['a tag that is never closed', '<a>\n'],
  ] as const) {
    test(name, async () => {
      expect(await findings(text)).toEqual([]);
    });
  }
});
