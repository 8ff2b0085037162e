// Short names of jobs and chats, agents by the place of their chats, and addresses by the end of their paths.

import { describe, expect, test } from 'vitest';
import { agentOf } from '../../../src/prov/render/bills.ts';
import { bordersOf, conversationOf } from '../../../src/prov/render/families.ts';
import { jobName, label } from '../../../src/prov/render/labels.ts';
import { addressName, placeNames } from '../../../src/prov/render/places.ts';
import type { ChatNode } from '../../../src/prov/types/graph.ts';

const chat = (path: string): ChatNode => ({ kind: 'chat', path, facts: undefined });

describe('a job is named without what says nothing', () => {
  const digest = '0123456789abcdef0123456789abcdef';
  const rows: readonly (readonly [string, string])[] = [
    ['Default', 'Default'],
    [`Default_${digest}`, '01234567'],
    [`Default_${digest}.json`, '01234567.json'],
    [`report_${digest}.chat`, 'report_01234567.chat'],
    ['Default_q.chat', 'q.chat'],
    ['Default_12345678', '12345678'],
    ['deadbeefcafe', 'deadbeefcafe'],
    [`x${digest}`, `x${digest}`],
  ];
  for (const [name, short] of rows)
    test(`${name} is ${short}`, () => expect(jobName(name)).toBe(short));
});

describe('a chat is named from what it belongs to', () => {
  const rows = [
    { path: '/a/b/x.chat', parent: undefined, text: 'b/x.chat' },
    { path: '/z/x.chat', parent: undefined, text: '/z/x.chat' },
    { path: '/a/j.files/log/w/agent.chat', parent: '/a/j', text: 'log/w/agent.chat' },
    { path: '/a/k/x.chat', parent: '/a/j', text: 'k/x.chat' },
  ];
  for (const { path, parent, text } of rows)
    test(`${path} below ${parent ?? 'nothing'} is ${text}`, () => {
      const above = parent === undefined ? undefined : chat(parent);
      expect(label(chat(path), above, { long: false, cwd: '/a' })).toBe(text);
      expect(label(chat(path), above, { long: true, cwd: '/a' })).toBe(path);
    });
});

describe('the agent of a chat, its conversation, and the borders around it', () => {
  const rows = [
    { path: '/p.chat', agent: null, conversation: undefined, borders: [] },
    {
      path: '/p.chat.files/Researcher.chat',
      agent: 'Researcher',
      conversation: undefined,
      borders: [],
    },
    {
      path: '/p.chat.files/agent.society/Worker/a/agent.chat',
      agent: 'Worker',
      conversation: 'Worker/a',
      borders: ['/p.chat'],
    },
    {
      path: '/p.chat.files/agent.society/Worker/a/society/Critic/b/agent.chat',
      agent: 'Critic',
      conversation: 'Critic/b',
      borders: ['/p.chat', 'Worker/a'],
    },
    { path: '/j.files/log/agent.chat', agent: 'agent', conversation: 'agent', borders: ['/j'] },
    {
      path: '/j.files/log/worker_1/agent.chat',
      agent: 'worker_1',
      conversation: 'worker_1',
      borders: ['/j'],
    },
    {
      path: '/j.files/log/planner.chat',
      agent: 'planner',
      conversation: 'planner',
      borders: ['/j'],
    },
    { path: '/j.files/resets/2026.chat', agent: null, conversation: undefined, borders: [] },
    { path: '/society/x.chat', agent: null, conversation: undefined, borders: [] },
    // A project in a folder that is called so stood in a border of a society that does not exist.
    { path: '/home/me/society/x.chat', agent: null, conversation: undefined, borders: [] },
    {
      path: '/home/me/society/x.chat.files/x.society/Worker/a/agent.chat',
      agent: 'Worker',
      conversation: 'Worker/a',
      borders: ['/home/me/society/x.chat'],
    },
  ];
  for (const { path, agent, conversation, borders } of rows)
    test(path, () => {
      expect(agentOf(path)).toBe(agent);
      expect(conversationOf(chat(path))).toBe(conversation);
      expect(bordersOf(chat(path)).map(({ owner }) => owner)).toEqual(borders);
    });
});

test('files of one name are told apart by as much of their paths as it takes', () => {
  const name = placeNames(
    ['/a/x/agent.chat', '/b/x/agent.chat', '/b/y/agent.chat', '/c/t.chat'],
    false,
  );
  expect(['/a/x/agent.chat', '/b/x/agent.chat', '/b/y/agent.chat', '/c/t.chat'].map(name)).toEqual([
    'a/x/agent.chat',
    'b/x/agent.chat',
    'y/agent.chat',
    't.chat',
  ]);
  expect(addressName(['/c/t.chat', 3, 'meta', 1], name)).toBe('t.chat:3[meta,1]');
  expect(addressName(['/c/t.chat', 3], placeNames(['/c/t.chat'], true))).toBe('/c/t.chat:3');
});
