// Both ends are ours: a chat has a served workflow among its tools, and a scripted model calls it.

import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import { packageFolder } from '../helpers/built.ts';
import { writeTree } from '../helpers/folder.ts';
import { chatChunks, chunk, DONE } from '../helpers/openai-replies.ts';

let home: AskHome | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

const SSE = { 'content-type': 'text/event-stream' };

test('a chat calls a task through the protocol, and the job is in the store', async () => {
  home = await askHome((_request, index) => {
    const args = JSON.stringify({ text: 'a b a' });
    const call = {
      index: 0,
      id: 'c1',
      type: 'function',
      function: { name: 'count', arguments: args },
    };
    return {
      headers: SSE,
      body:
        index === 0
          ? [chunk({ tool_calls: [call] }), chunk({}, 'tool_calls'), DONE]
          : chatChunks(['Three words.']),
    };
  });
  cpSync(join(packageFolder, 'fixtures/workflows'), home.file('workflows'), { recursive: true });
  writeTree(home.folder, {
    'x.chat': 'mcp: stdio chat task serve Words\n\nuser: count\n',
    'var/jobs/': '',
  });
  const run = home.start(['ask', '--no-cache', 'x.chat']);
  expect([(await run.ended).code, run.stdout()], run.stderr()).toEqual([0, 'Three words.\n']);
  const output = parse(readFileSync(home.file('x.chat'), 'utf8')).find(
    ({ role }) => role === 'function_call_output',
  );
  const { content } = JSON.parse(output?.content ?? '{}');
  expect(content).toContain('{"words":3,"different":2,"most":{"a":2,"b":1}}');
  expect(content).toContain('var/jobs/Words/count/Default_');
});
