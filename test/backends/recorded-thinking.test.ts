// A recorded run with thinking and calls plays again: what only the provider can read of its own answers is not asked for.

import { expect, test } from 'vitest';
import { anthropicStream } from '../helpers/anthropic-replies.ts';
import type { Script } from '../helpers/fake-server.ts';
import { called, message, reasoning, responsesStream } from '../helpers/responses-replies.ts';
import { runCli } from '../helpers/run.ts';
import { served } from '../helpers/served.ts';

const WORKFLOW = 'tasks:\n  clock:\n    command: ["printf", "12"]\n';

interface Row {
  readonly backend: string;
  readonly base: string;
  readonly answers: readonly Script[];
}

const THOUGHT = { type: 'thinking', thinking: 'When? ', signature: 's1' };
const CALL = { type: 'tool_use', id: 't1', name: 'clock', input: {} };
const ROWS: readonly Row[] = [
  {
    backend: 'anthropic',
    base: '',
    answers: [anthropicStream([THOUGHT, CALL]), anthropicStream([THOUGHT, 'At noon.'])],
  },
  {
    backend: 'responses',
    base: '/v1',
    answers: [
      responsesStream([reasoning('rs_1', 'When?'), called('c1', 'clock', '{}')]),
      responsesStream([reasoning('rs_2', 'So.'), message('At noon.')]),
    ],
  },
];

test.each(ROWS)(
  'a recording with thinking has no reply to its own prompt: $backend',
  async (row) => {
    const server = await served(row.answers);
    const chat = 'tool: Tools\n\nuser: What time is it?\n';
    const files = {
      'a.chat': chat,
      'b.chat': chat,
      'workflows/Tools.yaml': WORKFLOW,
      'home/.scout/etc/AI/it.yaml': `backend: ${row.backend}\nurl: ${server.url}${row.base}\nmodel: m\n`,
    };
    const recorded = await runCli(
      ['ask', '--no-cache', '-e', 'it', '--record', 'run.jsonl', 'a.chat'],
      { files },
    );
    expect(recorded.stdout).toBe('At noon.\n');
    await server.close();

    const { folder } = recorded;
    const replayed = ['ask', '--no-cache', '-b', 'replay', '-o', 'recording=run.jsonl', 'b.chat'];
    const again = await runCli(replayed, { folder });
    expect([again.stderr, again.code]).toEqual([expect.not.stringContaining('no reply'), 0]);
    expect(again.stdout).toBe('At noon.\n');
  },
);
