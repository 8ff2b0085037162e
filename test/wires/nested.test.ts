// Values nested a hundred thousand deep, which no stack can walk: refused as what is no JSON, wherever they come from.

import { describe, expect, it, test } from 'vitest';
import { parseArguments } from '../../src/ask/call.ts';
import { misfit } from '../../src/ask/fitting.ts';
import { parsedJson } from '../../src/json.ts';
import { runCli } from '../helpers/run.ts';
import { askChat, bareServer, fakeFor } from './asking.ts';
import { WIRE_NAMES } from './home.ts';

const DEPTH = 100_000;
const LISTS = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
const OBJECTS = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`;

describe('JSON of others', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}1${']'.repeat(depth - 1)}}`;
  it('may be nested five hundred deep', () => {
    expect(JSON.stringify(parsedJson(nested(500)))).toBe(nested(500));
    expect(() => parsedJson(nested(501))).toThrow(SyntaxError);
  });
  it('may hold any number of brackets side by side, and in texts', () => {
    const wide = JSON.stringify([...Array(2000).fill([{}]), '[{"\\'.repeat(2000), '\\', '"[']);
    expect(JSON.stringify(parsedJson(wide))).toBe(wide);
    expect(() => parsedJson(`["\\\\\\"",${nested(501)}]`)).toThrow('500 deep');
  });
});

const CHAT = `function_call: {"name":"x","arguments":${OBJECTS},"id":"c1"}

function_call_output: {"name":"x","content":${LISTS},"id":"c1"}

provider_content: {"backend":"anthropic","blocks":${LISTS}}

user: What flies?
`;

for (const wire of WIRE_NAMES)
  test(`a chat whose tool messages are nested too deep for the stack is asked on ${wire} without them`, async () => {
    const fake = await fakeFor(wire, [{ text: 'birds' }]);
    const { code, stderr, answer, text } = await askChat(wire, fake.url, { chat: CHAT });
    expect({ code, answer }).toEqual({ code: 0, answer: 'birds' });
    expect(stderr).toContain('no JSON object');
    expect(text.startsWith(CHAT)).toBe(true);
  });

test('an answer that is nested too deep for the stack is refused as no JSON', async () => {
  const server = await bareServer({ body: OBJECTS });
  const { code, stderr } = await askChat('openai', server.url);
  expect(code).toBe(4);
  expect(stderr).toContain('sent JSON that cannot be read');
  expect(stderr).not.toContain('stack');
});

test('arguments that are nested too deep for the stack are told to the model', () => {
  expect(parseArguments(OBJECTS)).toHaveProperty('problem');
});

test('an answer in JSON that is nested too deep for the stack does not fit its format', async () => {
  expect(await misfit(LISTS, 'json')).toContain('500 deep');
});

test('a format that is nested too deep for the stack is a wrong use', async () => {
  const { code, stderr } = await askChat('openai', 'http://127.0.0.1:9', {
    chat: `format: ${OBJECTS}\n\nuser: hi\n`,
  });
  expect(code).toBe(2);
  expect(stderr).toContain('500 deep');
});

for (const argv of [
  ['task', 'info', 'jobs/W/t/n'],
  ['task', 'info', '--json', 'jobs/W/t/n'],
  ['compile', 'j.chat'],
])
  test(`an .info that is nested too deep for the stack is one that cannot be read, for ${argv.join(' ')}`, async () => {
    const info = `{"status":"done","inputs":{"a":${LISTS}},"dependencies":${LISTS},"exception":${OBJECTS}}`;
    const files = { 'jobs/W/t/n': 'x', 'jobs/W/t/n.info': info, 'j.chat': 'job: jobs/W/t/n\n' };
    const { stdout, stderr } = await runCli(argv, { files });
    expect(stderr + stdout).not.toContain('unexpected');
    expect(stderr + stdout).not.toBe('');
  });
