// Answers in a format: checked, asked for again once with what is wrong, and what does not fit is kept and told.

import { afterEach, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { fakeHome } from '../helpers/agents.ts';
import { type FakeServer, startFakeServer } from '../helpers/fake-server.ts';
import { openaiStream } from '../helpers/openai-replies.ts';
import { runCli } from '../helpers/run.ts';

let server: FakeServer;
afterEach(() => server?.close());

const SCHEMA = '{"name": "string", "age": "integer"}';

async function ask(format: string, answers: readonly string[], args: readonly string[] = []) {
  server = await startFakeServer(answers.map((text) => openaiStream(text)));
  return runCli(['ask', '-c', 'x.chat', 'Who?', '--format', format, ...args], {
    files: fakeHome(server.url),
  });
}

const WRONG = '{"name": "Ada", "born": 1815}';
const RIGHT = '{"name": "Ada", "age": 36}';

test('an answer that fits is asked for once', async () => {
  const { code, stdout, stderr } = await ask(SCHEMA, [RIGHT]);
  expect([code, stdout, stderr, server.requests.length]).toEqual([0, `${RIGHT}\n`, '', 1]);
});

for (const [name, wrong, problem] of [
  ['has other fields', WRONG, /must have required property 'age'; .*\("born"\)/],
  ['is no JSON', 'Ada, 36', /it is no JSON: /],
  ['stands in a fence', `\`\`\`json\n${RIGHT}\n\`\`\``, /it stands in a fence/],
] as const)
  test(`an answer that ${name} is asked for again with what is wrong, and only the second is printed`, async () => {
    const { code, stdout, stderr, read } = await ask(SCHEMA, [wrong, RIGHT]);
    expect([code, stdout, server.requests.length]).toEqual([0, `${RIGHT}\n`, 2]);
    expect(stderr).toMatch(problem);
    const messages = server.requests[1]?.json.messages;
    expect(messages.at(-1).content).toMatch(problem);
    expect(messages.at(-2)).toEqual({ role: 'assistant', content: wrong });
    const roles = parse(read('x.chat') ?? '').map(({ role }) => role);
    expect(roles).toEqual(['user', 'meta', 'assistant', 'meta', 'assistant']);
  });

test('an answer that does not fit twice is exit 1, kept and printed', async () => {
  const { code, stdout, stderr, read } = await ask(SCHEMA, [WRONG, '{"age": "old"}', RIGHT]);
  expect([code, stdout, server.requests.length]).toEqual([1, '{"age": "old"}\n', 2]);
  expect(stderr).toMatch(
    /error: the answer does not fit its format, also when asked again: .*\/age must be integer/,
  );
  expect(stderr).toContain('kept in x.chat: 2 complete rounds');
  expect(read('x.chat')).toContain('{"age": "old"}');
});

test('an answer that a pattern of the format would be matched against for ever is kept, and told', async () => {
  const slow = JSON.stringify({ a: `${'a'.repeat(60)}!` });
  const format = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
  const { code, stdout, stderr, read } = await ask(JSON.stringify(format), [slow, '{"a": "aa"}']);
  expect([code, stdout, server.requests.length]).toEqual([0, '{"a": "aa"}\n', 2]);
  expect(stderr).toContain('it could not be checked in 5 seconds: a pattern of the format');
  expect(read('x.chat')).toContain(slow);
});

test('with json alone any JSON fits', async () => {
  const { code, stdout } = await ask('json', ['[1, 2]']);
  expect([code, stdout]).toEqual([0, '[1, 2]\n']);
});

test('a schema that is none is told before anything is asked', async () => {
  const { code, stderr } = await ask(
    '{"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}}',
    [RIGHT],
  );
  expect([code, server.requests.length]).toEqual([2, 0]);
  expect(stderr).toContain('the format is no schema that can be checked');
});

test('a schema of a later draft, and formats that nothing checks, are no trouble', async () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'array',
    prefixItems: [{ type: 'string', format: 'date' }],
  };
  expect((await ask(JSON.stringify(schema), ['["x"]'])).code).toBe(0);
});

test('what failed is not cached', async () => {
  const first = await ask(SCHEMA, [WRONG, WRONG, RIGHT]);
  const again = await runCli(['ask', 'Who?', '--format', SCHEMA], { folder: first.folder });
  expect([first.code, again.code, again.stdout]).toEqual([1, 0, `${RIGHT}\n`]);
});
