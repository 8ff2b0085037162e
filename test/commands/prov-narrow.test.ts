// chat prov on narrow terminals: what matters most stays, and no number is cut.

import { describe, expect, test } from 'vitest';
import { cells } from '../../src/terminal/width.ts';
import { job } from '../helpers/prov.ts';
import { runCli } from '../helpers/run.ts';

const metas = [
  'pt=1361566 ct=112701 tt=1474267 cct=163314 cwt=109286 rt=101029 inference_id=a model=a-model-with-a-long-name-2026-11-01 timestamp=2026-11-01T00:00:00Z',
  'pt=2212119 ct=105871 tt=2317990 cct=196805 cwt=133472 rt=100250 inference_id=b model=small timestamp=2026-11-01T00:00:00Z',
];
const files = {
  'talk.chat': metas.map((meta) => `user: q\n\nmeta: ${meta}\n\nassistant: a\n\n`).join(''),
  'etc/prices.yaml':
    'date: 2026-11-01\nsource: the page that says what everything costs\nmodels:\n  small: {input: 1, output: 2, cache_read: 0.1, cache_write: 1.25}\n',
};
const view = async (columns: number, ...argv: readonly string[]) => {
  const terminal = { columns, colour: false };
  const { stdout } = await runCli(['prov', 'talk.chat', ...argv], { files, terminal });
  expect(Math.max(...stdout.split('\n').map(cells))).toBeLessThanOrEqual(columns);
  return stdout;
};

describe('the table of --by', () => {
  test.each([80, 60, 40])(
    'keeps the cost in %i columns, and says what it has no room for',
    async (columns) => {
      const table = await view(columns, '--by', 'model', '--cost');
      const [head = '', first = '', , total = ''] = table.split('\n');
      expect(head).toMatch(/ total .* cost$/);
      expect(first).toMatch(/ 2317990 .* 2\.2801$/);
      expect(total).toMatch(/ 3792257 .* ≥2\.2801$/);
      expect(table).toMatch(/^no room for\b.*reasoning/ms);
    },
  );

  test('has every column where there is room, and says nothing then', async () => {
    const table = await view(120, '--by', 'model', '--cost');
    expect(table).toMatch(/^model .*prompt .*reasoning +cost$/m);
    expect(table).not.toContain('no room');
  });
});

test('prices stand with their day and source in 80 columns', async () => {
  expect(await view(80, '--by', 'model', '--cost')).toContain(
    '  small  input 1, output 2, cache_read 0.1, cache_write 1.25\n      2026-11-01, the page that says what everything costs\n',
  );
});

test.each([60, 40, 30])(
  'no price and no reason for one that is missing is cut in %i columns',
  async (columns) => {
    const text = await view(columns, '--by', 'model', '--cost');
    const prices = text.slice(text.indexOf('prices')).split(/\s+/).join(' ');
    expect(prices).toContain('input 1, output 2, cache_read 0.1, cache_write 1.25 2026-11-01, the');
    expect(prices).toContain('1 request: no price for a-model-with-a-');
    expect(text).not.toMatch(/ $/m);
  },
);

test('checks of the evidence cut no count in 60 columns', async () => {
  const text = await view(60, '-e');
  const checks = text.slice(text.indexOf('checks'));
  for (const count of [
    'pt=3573685',
    'ct=218572',
    'tt=3792257',
    'cct=360119',
    'cwt=242758',
    'rt=201279',
  ])
    expect(checks.split(count)).toHaveLength(3);
});

test.each([50, 40, 20])('the evidence cut counts and statuses in %i columns', async (columns) => {
  const text = await view(columns, '-e');
  const events = text.slice(0, text.indexOf('checks'));
  expect(events.match(/ {2}[ab] {2}counted once$/gm)).toHaveLength(2);
  for (const count of ['pt=1361566', 'ct=112701', 'tt=1474267', 'cwt=133472', 'rt=100250'])
    expect(events.split(/\s+/)).toContain(count);
});

test('that a job failed is shown on narrow terminals, and its name gives way', async () => {
  const name = 'W/t/a-name-of-many-letters';
  const files = job(name, { info: { status: 'error' }, result: null });
  const terminal = { columns: 18, colour: false };
  const { stdout } = await runCli(['prov', name], { files, terminal });
  expect(stdout).toBe('job 0 W…rs [error]\n');
});

test('a society that the result and the log of a job both lead to is one log of it', async () => {
  const info = { type: 'chat', workflow: 'W', task_name: 't' };
  const talk = 'user: q\n\nmeta: pt=1 ct=1 inference_id=x\n\nassistant: a\n';
  const tree = { 'Boss.chat': talk, 'Boss.society/Mia/q/agent.chat': talk.replace('=x', '=y') };
  const { stdout } = await runCli(['prov', 'W/t/x.chat', '-f'], {
    files: job('W/t/x.chat', { info, files: tree, result: talk }),
  });
  expect(stdout).toMatch(/^\[1\] → \[2\] log$/m);
});
