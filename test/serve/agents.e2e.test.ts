// A served task that asks a model: as with `chat task run`, and stopped in the middle as everything else.

import { existsSync, readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { askedIn, textReply } from '../helpers/agents.ts';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import { until } from '../helpers/children.ts';
import type { Answers } from '../helpers/fake-server.ts';
import { writeTree } from '../helpers/folder.ts';

let home: AskHome | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

const FLOW = `import { chatTask, defineWorkflow } from 'scout-chat';
export default defineWorkflow({ tasks: { ask: chatTask({ run: (job) => job.agent() }) } });
`;

async function serving(answers: Answers) {
  home = await askHome(answers);
  writeTree(home.folder, { 'workflows/Flow.ts': FLOW, 'var/jobs/': '' });
  const server = home.start(['task', 'serve', 'Flow'], { stdin: 'pipe' });
  const call = (id: number, chat: string) =>
    server.child.stdin?.write(
      `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'ask', arguments: { chat } } })}\n`,
    );
  return { server, call, folder: home.folder };
}

test('gives the answer of the model as text, and the chat as a resource', async () => {
  const { server, call } = await serving((request) => textReply(`re ${askedIn(request).question}`));
  call(1, 'user: Go.\n');
  await until(() => server.stdout().includes('\n'));
  const { result } = JSON.parse(server.stdout());
  expect(result.content).toMatchObject([
    { type: 'text', text: 're Go.' },
    { type: 'resource_link', mimeType: 'text/plain', uri: expect.stringMatching(/\.chat$/) },
  ]);
  expect(readFileSync(new URL(result.content[1].uri), 'utf8')).toContain('re Go.');
  server.child.stdin?.end();
  expect(await server.ended).toEqual({ code: 0, signal: null });
});

test('is stopped while the model thinks when its client goes away', async () => {
  let asked = false;
  const { server, call, folder } = await serving(() => {
    asked = true;
    return { body: [{ until: new Promise(() => {}) }] };
  });
  call(1, 'user: Go.\n');
  await until(() => asked);
  server.child.stdin?.end();
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(existsSync(`${folder}/var/jobs/Flow/ask`)).toBe(true);
  expect(server.stderr()).toContain('aborted');
});
