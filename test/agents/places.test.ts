// Names of files in a start chat mean what lies in the folder of the agent, wherever the chats lie that say them later.

import { chmodSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { askedIn, callsReply, fakeHome, outputsOf, textReply } from '../helpers/agents.ts';
import { type FakeServer, startFakeServer } from '../helpers/fake-server.ts';
import { temporaryFolder, writeTree } from '../helpers/folder.ts';
import { runCli } from '../helpers/run.ts';
import { serverCommand } from '../mcp/asking.ts';

let server: FakeServer;
afterEach(() => server?.close());

const WORKFLOW =
  'tasks:\n  shout:\n    description: Shouts\n    inputs: {text: {type: string}}\n    command: [echo, "{{text}}!"]\n';
const TABLE = '#: type=list\n#Country\tCapital\nFrance\tParis\n';
const node = serverCommand('odd.js', 'ok');

/** The boss has the worker do everything; the worker uses every tool that it has. */
async function society(): Promise<FakeServer> {
  return startFakeServer((request) => {
    const { system, question, outputs, tools } = askedIn(request);
    if (outputs.length > 0 || tools.length === 0) return textReply('done');
    if (system === 'boss')
      return callsReply([
        { name: 'ask', args: { agent: 'Worker', prompt: question, conversation: 'w' } },
      ]);
    const args = { shout: { text: 'hey' }, capitals: { entities: ['France'] }, work: {} };
    return callsReply(
      Object.entries(args)
        .filter(([name]) => tools.includes(name))
        .map(([name, each]) => ({ name, args: each })),
    );
  });
}

test('tools that an agent names by a path are handed on, and are there again for the next process', async () => {
  server = await society();
  const folder = temporaryFolder({
    ...fakeHome(server.url),
    'Agent/Boss/start_chat': `system: boss\n\nsocialize: true\n\ntool: ./wf\n\nintroduce: ./wf\n\nkb: "./a table"\n\nmcp: stdio ./serve ok\n`,
    'Agent/Boss/wf/workflow.yaml': WORKFLOW,
    'Agent/Boss/a table/capitals.tsv': TABLE,
    'Agent/Boss/serve': `#!/bin/sh\nexec ${node}\n`,
    'Agent/Worker/start_chat': 'system: worker\n',
    'deep/in/': '',
  });
  chmodSync(`${folder}/Agent/Boss/serve`, 0o755);
  for (const question of ['one', 'two']) {
    const asked = await runCli(['agent', 'ask', 'Boss', '-c', 'deep/in/x.chat', question], {
      folder,
    });
    expect([asked.code, asked.stderr.match(/error|warning/g)]).toEqual([0, null]);
    const kept = asked.read('deep/in/x.chat.files/Boss.society/Worker/w/agent.chat');
    const outputs = outputsOf(parse(kept ?? '')).slice(-3);
    expect(outputs.map(({ name }) => name).sort()).toEqual(['capitals', 'shout', 'work']);
    expect(outputs.filter(({ exception }) => exception !== undefined)).toEqual([]);
  }
});

test('a workflow that a chat names by a path is looked for beside the chat', async () => {
  server = await society();
  const asked = await runCli(['ask', 'deep/x.chat'], {
    files: {
      ...fakeHome(server.url),
      'deep/x.chat': 'tool: ./wf\n\nuser: hello\n',
      'deep/wf/workflow.yaml': WORKFLOW,
    },
  });
  expect(asked.stderr).not.toContain('error');
  expect(outputsOf(parse(asked.read('deep/x.chat') ?? ''))).toMatchObject([{ content: 'hey!\n' }]);
});

test('an agent hands over to one that it names by a path from its folder', async () => {
  server = await startFakeServer((request) => {
    const { system, outputs } = askedIn(request);
    if (system === 'near') return textReply('near by');
    return outputs.length > 0
      ? textReply('done')
      : callsReply([{ name: 'hand_off_to_Near', args: { message: 'go' } }]);
  });
  const asked = await runCli(['agent', 'ask', 'Boss', '-c', 'x.chat', 'Go.'], {
    files: {
      ...fakeHome(server.url),
      'Agent/Boss/start_chat': 'system: boss\n\ndelegate: ./helpers/Near is near\n',
      'Agent/Boss/helpers/Near/start_chat': 'system: near\n',
    },
  });
  expect(asked.code).toBe(0);
  expect(outputsOf(parse(asked.read('x.chat') ?? ''))).toMatchObject([{ content: 'near by' }]);
});

test('a conversation goes on after its start chat was changed, also when that names a file', async () => {
  server = await society();
  const files = (system: string) => ({
    ...fakeHome(server.url),
    'Agent/Boss/start_chat': 'system: boss\n\nsocialize: true\n',
    'Agent/Worker/start_chat': `system: ${system}\n\nfile: notes.md\n`,
    'Agent/Worker/notes.md': 'remember the heater\n',
  });
  const folder = temporaryFolder(files('worker'));
  const ask = () => runCli(['agent', 'ask', 'Boss', '-c', 'x.chat', 'Go.'], { folder });
  await ask();
  writeTree(folder, files('busy worker'));
  const again = await ask();
  const outputs = outputsOf(parse(again.read('x.chat') ?? ''));
  expect(outputs.map(({ exception }) => exception)).toEqual([undefined, undefined]);
});
