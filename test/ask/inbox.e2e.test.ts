// The inbox when the asking process dies: a note may be lost with it, and never comes twice.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { callsReply, textReply } from '../helpers/agents.ts';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import { writeTree } from '../helpers/folder.ts';

let home: AskHome | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

const WORKFLOW =
  'tasks:\n  greet:\n    inputs: {name: {type: string}}\n    command: ["printf", "Hello {{name}}"]\n';

const notesIn = (messages: readonly { readonly content: unknown }[]): readonly string[] =>
  messages.flatMap(({ content }) =>
    typeof content === 'string' && /^note \d+$/.test(content) ? [content] : [],
  );

const names = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder) : [];

it('a note that was taken by a run that is killed in its request is not in the next run', async () => {
  let arrived = () => {};
  const second = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  home = await askHome((_, index) => {
    if (index === 0) {
      writeTree(home?.folder ?? '', { 'x.chat.files/inbox/a.txt': 'note 1' });
      return callsReply([{ name: 'greet', args: { name: 'Ada' }, id: 'c1' }]);
    }
    if (index > 1) return textReply('Went on.');
    arrived();
    return { ending: 'hang', body: [] };
  });
  writeTree(home.folder, {
    'workflows/Say.yaml': WORKFLOW,
    'x.chat': 'tool: Say\n\nuser: greet\n',
  });
  const { child, ended } = home.start(['ask', '--no-cache', '--jobs', 'jobs', 'x.chat']);
  await second;
  child.kill('SIGKILL');
  await ended;
  expect((await home.start(['ask', '--no-cache', '--jobs', 'jobs', 'x.chat']).ended).code).toBe(0);
  const seen = home.server.requests.map(({ json }) => notesIn(json.messages));
  expect(seen).toEqual([[], ['note 1'], []]);
  expect(readFileSync(home.file('x.chat'), 'utf8')).not.toContain('note 1');
  expect(names(home.file('x.chat.files/inbox_removed'))).toEqual(['a.txt']);
});

it('comes once at most, whenever the process is killed', async () => {
  home = await askHome(() => ({ ...textReply('Yes.'), delay: 30 }));
  const inbox = home.file('x.chat.files/inbox');
  mkdirSync(inbox, { recursive: true });
  writeFileSync(home.file('x.chat'), 'system: s\n');
  const trials = 20;
  let latest = 300;
  for (let trial = 0; trial < trials; trial++) {
    writeFileSync(join(inbox, `${trial}.txt`), `note ${trial}`);
    const before = home.server.requests.length;
    const { child, ended } = home.start(['ask', '--no-cache', '-q', 'x.chat', `question ${trial}`]);
    const timer = setTimeout(() => child.kill('SIGKILL'), latest * (0.5 + 0.5 * Math.random()));
    await ended;
    clearTimeout(timer);
    // The moments follow the machine's speed: some come before the request and some behind it.
    latest *= home.server.requests.length > before ? 0.9 : 1.15;
  }
  const runs = new Map<string, string>();
  for (const { json, headers } of home.server.requests)
    for (const note of notesIn(json.messages)) {
      const run = headers['session-id'] ?? '';
      expect([note, runs.get(note) ?? run]).toEqual([note, run]);
      runs.set(note, run);
    }
  expect(runs.size).toBeGreaterThan(3);
  const removed = names(home.file('x.chat.files/inbox_removed'));
  expect([...names(inbox), ...removed].sort()).toEqual(
    Array.from({ length: trials }, (_, trial) => `${trial}.txt`).sort(),
  );
  // What was delivered had been taken away before.
  expect([...runs.keys()].every((note) => removed.includes(`${note.slice(5)}.txt`))).toBe(true);
}, 600_000);
