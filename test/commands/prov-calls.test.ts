// Tool calls that failed, or that have no result, as every view of chat prov shows them.

import { describe, expect, test } from 'vitest';
import { createClock } from '../../src/world/clock.ts';
import { runCli } from '../helpers/run.ts';

const call = (id: string) => `function_call: {"name":"no_such","arguments":{},"id":"${id}"}\n\n`;
const output = (id: string, more: string) =>
  `function_call_output: {"name":"no_such","id":"${id}",${more}}\n\n`;
const FAILED = `"content":"{\\"exception\\":\\"there is no tool\\"}","exception":"there is no tool"`;

const TALK = {
  'talk.chat': `user: q\n\nmeta: pt=10 ct=2 tt=12 inference_id=a\n\n${call('1')}${output('1', FAILED)}${call('2')}${output('2', '"content":"fine"')}${call('3')}user: go on\n`,
  'good.chat': `user: q\n\nmeta: pt=10 ct=2 tt=12 inference_id=a\n\n${call('1')}${output('1', '"content":"fine"')}assistant: x\n`,
};

async function view(...args: readonly string[]): Promise<string> {
  const world = { clock: createClock() };
  const { stdout, code } = await runCli(['prov', ...args], { files: TALK, world });
  expect(code).toBe(0);
  return stdout;
}

describe('a call of a tool that is not there disappears from the report', () => {
  const rows: readonly (readonly [string, readonly string[], string])[] = [
    ['the tree', [], 'talk.chat [1 of 3 calls failed, 1 open]'],
    ['the component view', ['-c'], '[1 of 3 calls failed, 1 open]'],
    ['the flow', ['-f'], 'talk.chat [1 of 3 calls failed, 1 open]'],
    ['the picture', ['--dot', '-'], '1 of 3 calls failed, 1 open'],
    ['the evidence', ['-e'], 'calls               failed  1 of 3 calls failed, 1 open'],
    ['the document', ['--json'], '"calls":{"total":3,"failed":1,"open":1}'],
    ['the lines', ['--ndjson'], '"calls":{"total":3,"failed":1,"open":1}'],
  ];
  test.each(rows)('not from %s', async (_, args, expected) => {
    expect(await view('talk.chat', ...args)).toContain(expected);
  });

  test('and where all went well nothing is said', async () => {
    for (const args of [[], ['-c'], ['-f'], ['--dot', '-']])
      expect(await view('good.chat', ...args)).not.toContain('call');
    expect(await view('good.chat', '-e')).toContain(
      'every tool call has a result, and none failed',
    );
  });
});
