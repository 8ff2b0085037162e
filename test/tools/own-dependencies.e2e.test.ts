// A tool whose workflow no search finds, called by a scripted model.

import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import { writeTree } from '../helpers/folder.ts';
import { chatChunks, chunk, DONE } from '../helpers/openai-replies.ts';

let home: AskHome | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

const SSE = { 'content-type': 'text/event-stream' };

test('a tool of a workflow that is named by its path finds its own tasks as dependencies', async () => {
  const call = chunk({
    tool_calls: [
      { index: 0, id: 'c1', type: 'function', function: { name: 'mixed', arguments: '{}' } },
    ],
  });
  home = await askHome((_request, index) => ({
    headers: SSE,
    body: index === 0 ? [call, chunk({}, 'tool_calls'), DONE] : chatChunks(['Done.']),
  }));
  writeTree(home.folder, {
    'elsewhere/Bake.yaml':
      'tasks:\n  base: { command: "printf rye" }\n  mixed: { deps: [base], command: "cat $DEP_base; printf \' and water\'" }\n',
    'x.chat': 'tool: ./elsewhere/Bake.yaml mixed\n\nuser: bake\n',
    'var/jobs/': '',
  });
  expect((await home.start(['ask', '--no-cache', 'x.chat']).ended).code).toBe(0);
  const output = parse(readFileSync(home.file('x.chat'), 'utf8')).find(
    ({ role }) => role === 'function_call_output',
  );
  expect(JSON.parse(output?.content ?? '{}').content).toBe('rye and water');
});
