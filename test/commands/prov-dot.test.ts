// The graph as DOT: what is folded, what is left out, and how failures are marked.

import { describe, expect, test } from 'vitest';
import { job } from '../helpers/prov.ts';
import { chat, meta, run } from '../helpers/prov-runs.ts';

describe('the graph as DOT', () => {
  const many = Object.assign(
    {},
    ...Array.from({ length: 30 }, (_, index) =>
      job(`Map/score/s${index}`, { files: { 'agent.chat': chat(meta(`s${index}`)) } }),
    ),
    job('Map/sum/Default', {
      info: { dependencies: Array.from({ length: 30 }, (_, index) => `Map/score/s${index}`) },
      files: { 'log/helper/agent.chat': chat(meta('h')) },
    }),
  );
  const graph = async (...argv: string[]) =>
    (await run(['Map/sum/Default', '--dot', '-', ...argv], { files: many })).stdout;
  const labels = (text: string) =>
    [...text.matchAll(/^ +label = "(.*)";$/gm)].map(([, label]) => label);

  test('has every node when there are few enough', async () => {
    const text = await graph();
    expect(labels(text)).toHaveLength(34);
    expect(text).not.toContain('drawn as');
  });

  test('folds nodes that are alike, adds up their tokens, and says so', async () => {
    const text = await graph('--max-nodes', '10');
    expect(labels(text)).toEqual([
      'workflow Map',
      'Map/sum Default\\ndone',
      'Map/score ×30\\n3.6k · 30 requests',
      'society of Map/sum Default',
      'helper\\n120 · 1 request',
    ]);
    expect(text).toContain(
      '32 nodes drawn as 3: those alike in task or agent, status and neighbours are one ×N',
    );
    expect(text).toContain('peripheries = 2');
  });

  test('folds what failed apart from what did not', async () => {
    const failed = { result: null, info: { status: 'error' } };
    const names = Array.from({ length: 9 }, (_, index) => `Map/score/s${index}`);
    const files = Object.assign(
      job('Map/sum/Default', { info: { dependencies: names } }),
      ...names.map((name, index) => job(name, index < 3 ? failed : {})),
    );
    for (const most of ['5', '4', '3']) {
      const { stdout } = await run(['Map/sum/Default', '--dot', '-', '--max-nodes', most], {
        files,
      });
      expect(labels(stdout)).toEqual(
        expect.arrayContaining(['Map/score ×3\\nerror', 'Map/score ×6\\ndone']),
      );
    }
  });

  test('folds more than 500 nodes without being asked, and no fewer', async () => {
    const store = (count: number) => {
      const names = Array.from({ length: count - 1 }, (_, index) => `Map/score/s${index}`);
      const jobs = names.map((name) => job(name));
      return Object.assign(job('Map/sum/Default', { info: { dependencies: names } }), ...jobs);
    };
    for (const [count, boxes] of [
      [500, 500],
      [501, 2],
    ] as const) {
      const { stdout } = await run(['Map/sum/Default', '--dot', '-'], { files: store(count) });
      expect(stdout.match(/^ +"n\d+" \[$/gm)).toHaveLength(boxes);
    }
  });

  test('shortens a long name in the middle; its tooltip has the whole path', async () => {
    const name = `Map/${'a_long_name_'.repeat(8)}/the_end`;
    const { stdout } = await run([name, '--dot', '-'], { files: job(name) });
    const [label = ''] = labels(stdout).slice(-1);
    expect(label).toMatch(/^Map\/a_long.*….*the_end\\ndone$/);
    expect([...label.replace(/\\n.*/, '')].length).toBeLessThanOrEqual(40);
    expect(stdout).toMatch(new RegExp(`tooltip = ".*/${name}"`));
  });

  test('shows what was asked for alone, and says what it leaves out', async () => {
    const text = await graph('--only', 'chat');
    expect(labels(text)).toEqual([
      'Map/sum Default\\ndone',
      'society of Map/sum Default',
      'helper\\n120 · 1 request',
    ]);
    expect(text).toContain('30 nodes other than chat not shown');
    expect(labels(await graph('--only', 'Map/score'))).toHaveLength(32);
    expect(await graph('--depth', '0')).toContain('31 nodes deeper than 0 not shown');
  });

  test('keeps the way of the data through nodes that are not shown', async () => {
    const files = {
      ...job('W/a/Default'),
      ...job('X/b/Default', { info: { dependencies: ['W/a/Default'] } }),
      ...job('W/c/Default', { info: { dependencies: ['X/b/Default'] } }),
    };
    const { stdout } = await run(['W/c/Default', '--dot', '-', '--only', 'W'], { files });
    expect(stdout).toMatch(
      /"n2" -> "n1" \[\n {4}style = "dotted";\n {4}arrowhead = "odot";\n {4}tooltip = "through nodes/,
    );
    expect(stdout).toContain('through others');
  });

  test('marks what failed by its border and in words, with the reason in the tooltip', async () => {
    const files = job('W/a/Default', {
      result: null,
      info: { status: 'error', exception: { class: 'E', message: 'no "oven" <here>' } },
    });
    const { stdout } = await run(['W/a/Default', '--dot', '-'], { files });
    expect(stdout).toContain('label = "W/a Default\\nerror"');
    expect(stdout).toContain('penwidth = 3');
    expect(stdout).toContain('no &quot;oven&quot; &lt;here&gt;');
    expect(stdout).toContain('URL = "./var/jobs/W/a/Default.info"');
  });

  test('is the same in every run', async () => {
    expect(await graph()).toBe(await graph());
  });
});
