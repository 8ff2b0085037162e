// Chains of many nodes in a picture: their ends, and what lies between as one node that says what it stands for.

import { describe, expect, test } from 'vitest';
import { job } from '../helpers/prov.ts';
import { runCli } from '../helpers/run.ts';

interface Step {
  readonly name: string;
  readonly status?: string;
}

/** Jobs of which each depends on the one before it, with one request in each. */
const chain = (steps: readonly Step[]) =>
  Object.assign(
    {},
    ...steps.map(({ name, status = 'done' }, index) =>
      job(name, {
        info: {
          status,
          dependencies: steps.slice(Math.max(0, index - 1), index).map((step) => step.name),
        },
        result: status === 'done' ? 'x\n' : null,
        files: {
          'log/agent.chat': `user: q\n\nmeta: pt=100 ct=10 inference_id=${name}\n\nassistant: a\n`,
        },
      }),
    ),
  );
const same = (count: number): readonly Step[] =>
  Array.from({ length: count }, (_, index) => ({ name: `Walk/step/s${index}` }));

async function graph(steps: readonly Step[], ...argv: readonly string[]) {
  const last = steps.at(-1)?.name ?? '';
  const { stdout: text } = await runCli(['prov', last, '--dot', '-', ...argv], {
    files: chain(steps),
  });
  const labels = [...text.matchAll(/^ +label = "(.*)";$/gm)].map(([, label]) => label);
  return { text, boxes: labels.filter((label) => !label?.startsWith('workflow ')) };
}

describe('a chain of 200 jobs made a picture that was endless', () => {
  test('shows both ends, and what lies between as one with its sums', async () => {
    const { text, boxes } = await graph(same(200));
    expect(boxes.sort()).toEqual(
      [
        '… Walk/step ×194 …\\n21.3k · 194 requests',
        ...['s0', 's1', 's2', 's197', 's198', 's199'].map(
          (name) => `Walk/step ${name}\\n110 · 1 request`,
        ),
      ].sort(),
    );
    expect(text).toContain('200 nodes drawn as 7: the middle of each long chain is one ×N');
    expect(text.match(/ -> /g)).toHaveLength(6);
  });

  test('is whole when so many nodes are asked for', async () => {
    const { text, boxes } = await graph(same(200), '--max-nodes', '200');
    expect(boxes).toHaveLength(200);
    expect(text).not.toContain('drawn as');
  });

  test('is not folded further than its middle when it is too large', async () => {
    expect((await graph(same(60), '--max-nodes', '20')).boxes).toHaveLength(7);
  });

  test('that is short is whole', async () => {
    expect((await graph(same(20))).boxes).toHaveLength(20);
  });

  test('shows what failed, with its neighbours', async () => {
    const steps = same(80).map((step, index) =>
      index === 40 ? { ...step, status: 'error' } : step,
    );
    const { boxes } = await graph(steps);
    expect(boxes.filter((label) => label?.includes('×'))).toHaveLength(2);
    expect(boxes).toContain('Walk/step s40\\nerror · 110 · 1 request');
    for (const near of ['s38', 's39', 's41', 's42'])
      expect(boxes.join()).toContain(`Walk/step ${near}\\n`);
  });

  test('of tasks by turns is one chain, one after the other are several', async () => {
    const turns = await graph(
      Array.from({ length: 90 }, (_, index) => ({ name: `Walk/t${index % 3}/s${index}` })),
    );
    expect(turns.boxes.filter((label) => label?.includes('×'))).toEqual([
      '… 3 tasks ×84 …\\n9.2k · 84 requests',
    ]);
    const parts = await graph(
      Array.from({ length: 90 }, (_, index) => ({
        name: `Walk/t${Math.floor(index / 30)}/s${index}`,
      })),
    );
    expect(parts.boxes.filter((label) => label?.includes('×')).sort()).toEqual([
      '… Walk/t0 ×25 …\\n2.8k · 25 requests',
      '… Walk/t1 ×26 …\\n2.9k · 26 requests',
      '… Walk/t2 ×25 …\\n2.8k · 25 requests',
    ]);
  });
});
