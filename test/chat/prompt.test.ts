// What of a chat reaches a provider, and what stops before.

import { describe, expect, test } from 'vitest';
import { options } from '../../src/chat/options.ts';
import { NOT_FINISHED } from '../../src/chat/pairs.ts';
import { parse } from '../../src/chat/parse.ts';
import { prompt } from '../../src/chat/prompt.ts';
import type { Chat, Warning } from '../../src/types.ts';
import { deepFreeze, failureOf, placeOf, plain } from '../helpers/compiling.ts';

function promptOf(text: string, backend = 'openai') {
  const warnings: Warning[] = [];
  const { chat } = options(parse(text, { file: 'f.chat' }));
  const messages = prompt(deepFreeze(chat), { backend, warn: (warning) => warnings.push(warning) });
  return { messages: plain(messages), warnings };
}

const call = (id: string, name = 'count') =>
  `function_call: {"name":"${name}","arguments":{},"id":"${id}"}\n`;
const output = (id: string, content = 'x') =>
  `function_call_output: {"id":"${id}","content":"${content}"}\n`;
const parts = (chat: Chat) =>
  chat.map(({ role, content }) => {
    if (!role.startsWith('function_call')) return role;
    const value = JSON.parse(content);
    return `${role === 'function_call' ? 'call' : 'output'} ${value.id}${value.content === NOT_FINISHED ? ' open' : ''}`;
  });

test('bookkeeping, options and blank turns are left out, order is kept', () => {
  const { messages, warnings } = promptOf(
    'system: s\n\nmodel: m\n\nuser:\n\nmeta: pt=1\n\nassistant:\n\nskip: [partial]\n\nuser: q\n\nassistant: a\n\nprevious_response_id: r\n\nuser: r\n',
  );
  expect(messages).toEqual([
    { role: 'system', content: 's' },
    { role: 'user', content: 'q' },
    { role: 'assistant', content: 'a' },
    { role: 'user', content: 'r' },
  ]);
  expect(warnings).toEqual([]);
});

describe('nothing to ask', () => {
  const cases: readonly { name: string; text: string; code: string; line: string }[] = [
    { name: 'an empty chat', text: '', code: 'nothing-to-ask', line: 'undefined' },
    {
      name: 'a chat with only a system message',
      text: '\nsystem: s\n',
      code: 'nothing-to-ask',
      line: 'f.chat:2',
    },
    {
      name: 'a chat that ends in an answer',
      text: 'user: q\n\nassistant: a\n',
      code: 'already-answered',
      line: 'f.chat:3',
    },
    {
      name: 'an answer with a blank user turn after it',
      text: 'user: q\n\nassistant: a\n\nuser:\n',
      code: 'already-answered',
      line: 'f.chat:3',
    },
    {
      name: 'an answer with a system note after it',
      text: 'user: q\n\nassistant: a\n\nsystem: note\n',
      code: 'already-answered',
      line: 'f.chat:3',
    },
    {
      name: 'an answer with an output after it that has no call',
      text: `user: q\n\nassistant: a\n\n${output('k')}`,
      code: 'already-answered',
      line: 'f.chat:3',
    },
  ];
  for (const { name, text, code, line } of cases)
    test(`${name} is an error before any request`, async () => {
      const failure = await failureOf(() => promptOf(text));
      expect(failure).toMatchObject({ code, exitCode: 2 });
      expect(placeOf(failure)).toBe(line);
    });

  const asked: readonly { name: string; text: string }[] = [
    { name: 'a chat that ends in a tool output', text: `user: q\n\n${call('a')}\n${output('a')}` },
    { name: 'a chat whose last answer is blank', text: 'user: q\n\nassistant:\n' },
    { name: 'a picture alone', text: 'image: https://host.example/a.png\n' },
    { name: 'a question before a late system message', text: 'user: q\n\nsystem: s\n' },
  ];
  for (const { name, text } of asked) test(`${name} is asked`, () => void promptOf(text));
});

describe('unknown roles', () => {
  test('stop before any request with file, line, the nearest role and the escape', async () => {
    const failure = await failureOf(() => promptOf('user: q\n\nasistant: hm\n'));
    expect(failure).toMatchObject({
      code: 'unknown-role',
      exitCode: 2,
      message: 'unknown role "asistant"',
    });
    expect(placeOf(failure)).toBe('f.chat:3');
    expect(failure.next).toBe('did you mean "assistant:"? if it is text, write `\\asistant:`');
  });

  test('with an empty content they reach nobody', () => {
    expect(promptOf('xyzzy:\n\nuser: q\n').messages).toHaveLength(1);
  });

  test('roles that this version does not serve are left out with one warning each', () => {
    const { messages, warnings } = promptOf('tool: A\ntool: B\nsocialize: true\nuser: q\n');
    expect(messages).toEqual([{ role: 'user', content: 'q' }]);
    expect(warnings.map(({ origin, code }) => [origin?.line, code])).toEqual([
      [1, 'role-not-served'],
      [3, 'role-not-served'],
    ]);
  });
});

test('what a provider must get back is for that backend alone', () => {
  const text =
    'user: q\n\nprovider_content: {"backend":"openai","blocks":[1]}\n\nprovider_content: {"backend":"anthropic","blocks":[2]}\n\nprovider_content: broken\n\nassistant: a\n\nuser: r\n';
  const kept = (backend: string) =>
    promptOf(text, backend)
      .messages.filter(({ role }) => role === 'provider_content')
      .map(({ content }) => content);
  expect(kept('openai')).toEqual(['{"backend":"openai","blocks":[1]}']);
  expect(kept('local')).toEqual([]);
});

describe('a call with no result in the history', () => {
  const cases: readonly {
    name: string;
    text: string;
    parts: readonly string[];
    warnings: number;
  }[] = [
    {
      name: 'a chat that ends in an open call',
      text: `user: q\n\n${call('k1')}`,
      parts: ['user', 'call k1', 'output k1 open'],
      warnings: 1,
    },
    {
      name: 'an open call and a new question',
      text: `user: q\n\n${call('k1')}\nuser: r\n`,
      parts: ['user', 'call k1', 'output k1 open', 'user'],
      warnings: 1,
    },
    {
      name: 'an output whose call was deleted',
      text: `user: q\n\n${output('k1')}\nuser: r\n`,
      parts: ['user', 'user'],
      warnings: 1,
    },
    {
      name: 'two calls and one output',
      text: `user: q\n\n${call('a')}\n${call('b')}\n${output('b')}`,
      parts: ['user', 'call a', 'call b', 'output b', 'output a open'],
      warnings: 1,
    },
    {
      name: 'pairs in order stay in place',
      text: `user: q\n\n${call('a')}\n${output('a')}\n${call('b')}\n${output('b')}`,
      parts: ['user', 'call a', 'output a', 'call b', 'output b'],
      warnings: 0,
    },
    {
      name: 'a batch in any order stays in place',
      text: `user: q\n\n${call('a')}\n${call('b')}\n${output('b')}\n${output('a')}`,
      parts: ['user', 'call a', 'call b', 'output b', 'output a'],
      warnings: 0,
    },
    {
      name: 'an output that stands too late comes to its call',
      text: `user: q\n\n${call('a')}\nuser: r\n\n${output('a')}`,
      parts: ['user', 'call a', 'output a', 'user'],
      warnings: 0,
    },
    {
      name: 'a second output of one call',
      text: `user: q\n\n${call('a')}\n${output('a')}\n${output('a')}`,
      parts: ['user', 'call a', 'output a'],
      warnings: 1,
    },
    {
      name: 'calls that cannot be read',
      text: `user: q\n\nfunction_call: {"name":\n\nfunction_call: {"name":"f"}\n\n${output('c')}`,
      parts: ['user'],
      warnings: 3,
    },
    {
      name: 'a numeric id',
      text: 'user: q\n\nfunction_call: {"name":"f","id":7}\n\nfunction_call_output: {"tool_call_id":7,"content":"v"}\n',
      parts: ['user', 'call 7', 'output undefined'],
      warnings: 0,
    },
  ];
  for (const { name, text, parts: expected, warnings } of cases)
    test(name, () => {
      const found = promptOf(text);
      expect(parts(found.messages)).toEqual(expected);
      expect(found.warnings).toHaveLength(warnings);
    });

  test('the same id twice in one conversation: each output belongs to the call of its turn', () => {
    const text = `user: q\n\n${call('call_0', 'lost')}\nuser: r\n\n${call('call_0', 'found')}\n${output('call_0', 'yes')}`;
    const contents = promptOf(text).messages.map(({ content }) => content);
    expect(contents[2]).toContain(NOT_FINISHED);
    expect(contents[5]).toContain('yes');
  });

  test('an mcp_call goes as a call', () => {
    const { messages } = promptOf(
      'user: q\n\nmcp_call: {"name":"ls","arguments":{},"id":"c1"}\n\nuser: r\n',
    );
    expect(parts(messages)).toEqual(['user', 'call c1', 'output c1 open', 'user']);
  });

  test('an empty tool result is sent as something that is not empty', () => {
    const text = `user: q\n\n${call('a')}\n${output('a', '')}\n${call('b')}\nfunction_call_output: {"id":"b","content":null}\n`;
    const results = promptOf(text)
      .messages.filter(({ role }) => role.endsWith('output'))
      .map(({ content }) => JSON.parse(content).content);
    expect(results).toEqual(['(empty)', 'success']);
  });
});
