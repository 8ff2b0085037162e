// A run that is stopped while a tool of the model is at work.

import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
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

/** One that ended and waits for its parent to notice (a zombie) is not alive. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

test('Ctrl-C in a tool run: no process stays, the job is aborted, the text and what it cost are kept, and the chat can be asked again', async () => {
  const usage = { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 };
  const call = chunk({
    tool_calls: [
      { index: 0, id: 'c1', type: 'function', function: { name: 'wait', arguments: '{}' } },
    ],
  });
  home = await askHome((_request, index) =>
    index === 0
      ? {
          headers: SSE,
          body: [
            ...chatChunks(['I will wait.'], { finish: null, done: false }),
            call,
            chunk({}, 'tool_calls'),
            chunk({}, null, { usage }),
            DONE,
          ],
        }
      : { headers: SSE, body: chatChunks(['Better not.']) },
  );
  writeTree(home.folder, {
    'workflows/Slow.yaml':
      'tasks:\n  wait:\n    command: sleep 61 & echo $! > "$FILES/child"; echo $$ > "$FILES/pid"; wait\n',
    'x.chat': 'tool: Slow wait\n\nuser: wait\n',
    'var/jobs/': '',
  });
  const files = home.file('var/jobs/Slow/wait/Default.files');
  const started = (): number[] => {
    try {
      return ['pid', 'child']
        .map((name) => Number(readFileSync(path.join(files, name), 'utf8')))
        .filter((pid) => pid > 1);
    } catch {
      return [];
    }
  };
  const run = home.start(['ask', '--no-cache', 'x.chat']);
  while (started().length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  const pids = started();
  run.child.kill('SIGINT');
  expect((await run.ended).code).toBe(130);
  expect(pids.map(isAlive)).toEqual([false, false]);
  const store = home.file('var/jobs/Slow/wait');
  expect(readdirSync(store).sort()).toEqual(['Default.files', 'Default.info']);
  expect(JSON.parse(readFileSync(path.join(store, 'Default.info'), 'utf8')).status).toBe('aborted');
  const kept = parse(readFileSync(home.file('x.chat'), 'utf8')).slice(2);
  expect(kept.map(({ role }) => role)).toEqual(['meta', 'skip']);
  expect(kept[0]?.content).toContain('pt=11 ct=4 tt=15');
  expect(kept[0]?.content).toContain('orphan=true');
  expect(kept[1]?.content).toBe('[partial: interrupted]\nI will wait.');
  expect((await home.start(['ask', '--no-cache', 'x.chat']).ended).code).toBe(0);
  expect(home.server.requests.at(-1)?.json.messages).toEqual([{ role: 'user', content: 'wait' }]);
});
