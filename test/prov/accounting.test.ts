// Counting requests: the pitfalls that stored data can lead into, each with what must come out. Copies count once, twins stay two, what is not
// known is not 0.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tokensFromUsage } from '../../src/chat/meta.ts';
import { parse } from '../../src/chat/parse.ts';
import { print } from '../../src/chat/print.ts';
import { provenance } from '../../src/prov/collect.ts';
import { project } from '../../src/prov/project.ts';
import { type Tree, temporaryFolder, writeTree } from '../helpers/folder.ts';
import { job, provPorts, rounds } from '../helpers/prov.ts';

async function count(files: Tree, ...paths: readonly string[]) {
  const folder = temporaryFolder(files);
  const roots = paths.length > 0 ? paths : ['root.chat'];
  const found = await provenance(roots, provPorts(folder));
  const warnings = found.warnings.map(({ reason }) => reason);
  return { ...found, warnings, whole: found.totals.deduplicated_total };
}

/** A chat of metas, each followed by an answer. */
const metas = (...lines: readonly string[]): string =>
  `user: q\n\n${lines.map((line) => `meta: ${line}\n\nassistant: a\n\n`).join('')}`;

/** A chat whose one tool output carries receipts. */
const receipts = (entries: readonly unknown[], key = 'meta'): string =>
  `user: q\n\nfunction_call: {"name":"ask","arguments":{"agent":"B"},"id":"c"}\n\nfunction_call_output: ${JSON.stringify({ id: 'c', content: 'x', [key]: entries })}\n\n`;

describe('rule 1: cached tokens are a part of the prompt', () => {
  test('and are never added to it', async () => {
    const { whole } = await count({
      'root.chat': metas('pt=100 ct=10 tt=110 cct=40 cwt=5 inference_id=a'),
    });
    expect(whole.tokens).toEqual({ pt: 100, ct: 10, tt: 110, cct: 40, cwt: 5, rt: null });
  });
});

describe('rule 1 and older records, whose prompt left cached tokens out', () => {
  test('are told, since no prompt is smaller than a part of it', async () => {
    const { warnings, events } = await count({
      'root.chat': metas('pt=10 ct=1 tt=11 cct=8 cwt=3 inference_id=a'),
    });
    expect(warnings).toEqual(['token_mismatch']);
    expect(events[0]?.tokens).toMatchObject({ pt: 10, cct: 8, cwt: 3 });
  });
});

describe('rule 2: what providers mean by input', () => {
  test('is told alike: cached tokens are in the prompt, and there is a total', () => {
    const inside = {
      prompt_tokens: 100,
      completion_tokens: 10,
      total_tokens: 110,
      prompt_tokens_details: { cached_tokens: 40 },
    };
    const outside = {
      input_tokens: 60,
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: 5,
      output_tokens: 10,
    };
    expect(tokensFromUsage(inside)).toEqual({ pt: 100, ct: 10, tt: 110, cct: 40 });
    expect(tokensFromUsage(outside)).toEqual({ pt: 105, ct: 10, tt: 115, cct: 40, cwt: 5 });
  });
});

describe('rule 5: reasoning is a part of the completion', () => {
  test('and is not added to it', async () => {
    const { whole } = await count({ 'root.chat': metas('pt=1 ct=10 rt=7 inference_id=a') });
    expect(whole.tokens).toMatchObject({ ct: 10, tt: 11, rt: 7 });
  });

  // Metas are read in a short way and in a long one; without an id it is the long one.
  test.each(['inference_id=a', ''])(
    'nor are cached tokens, where the total is not told: %j',
    async (id) => {
      const { whole } = await count({
        'root.chat': metas(`pt=20 ct=10 rt=7 cct=5 cwt=3 ${id}`.trim()),
      });
      expect(whole.tokens).toEqual({ pt: 20, ct: 10, tt: 30, rt: 7, cct: 5, cwt: 3 });
    },
  );

  test('and cannot be more than it', async () => {
    const { whole, warnings } = await count({ 'root.chat': metas('ct=5 rt=9 inference_id=a') });
    expect(whole.tokens).toMatchObject({ ct: 5, rt: null });
    expect(warnings).toEqual(['bad_token_count']);
  });
});

describe('rule 8: a request without usage', () => {
  test('is counted as a request, and as unknown', async () => {
    const { whole } = await count({
      'root.chat': metas('inference_id=a model=m', 'pt=1 ct=1 tt=2 inference_id=b'),
    });
    expect(whole).toMatchObject({ events: 2, unknown: 1, tokens: { pt: 1, ct: 1, tt: 2 } });
  });

  test.each(['ct=1 tt=2', 'pt=1 tt=2', 'pt=1'])('in part is unknown, too: %s', async (counts) => {
    const { whole } = await count({ 'root.chat': metas(`${counts} inference_id=a`) });
    expect(whole).toMatchObject({ events: 1, unknown: 1 });
  });

  test('is not 0 when there is no other', async () => {
    const { whole, events } = await count({ 'root.chat': metas('inference_id=a') });
    const unknown = { pt: null, ct: null, tt: null, cct: null, cwt: null, rt: null };
    expect(whole.tokens).toEqual(unknown);
    expect(events[0]?.tokens).toEqual(unknown);
  });

  test('while no request at all is 0', async () => {
    const { whole } = await count({ 'root.chat': 'user: q\n' });
    expect(whole.tokens).toEqual({ pt: 0, ct: 0, tt: 0, cct: 0, cwt: 0, rt: 0 });
  });
});

describe('rule 9: the same request in several places of a log', () => {
  test('counts once', async () => {
    const { whole, events } = await count({ 'root.chat': rounds('a', 'a', 'b') });
    expect(whole).toMatchObject({ events: 2, tokens: { tt: 220 } });
    expect(events[0]?.evidence.map(({ address }) => address[1])).toEqual([1, 4]);
  });
});

describe('rule 10: forks, resumes and copies', () => {
  test('add what is new in them alone', async () => {
    const { whole } = await count(
      {
        'a.chat': rounds('1', '2'),
        'fork.chat': rounds('1', '2', 'fork'),
        'resumed.chat': rounds('1', '2', 'resumed', 'again'),
        'copy.chat': rounds('1', '2'),
      },
      'a.chat',
      'fork.chat',
      'resumed.chat',
      'copy.chat',
    );
    expect(whole).toMatchObject({ events: 5, tokens: { tt: 550 } });
  });

  test('are recognised in a projection, whose reasoning was stripped', async () => {
    const log = 'user: q\n\nmeta: pt=1 ct=1 tt=2 reas=because x = 3\n\nassistant: a\n';
    const answer = print(project('/jobs/W/t/x', parse(log).slice(1)));
    const { whole } = await count(
      { 'log.chat': log, 'result.chat': `user: q\n\n${answer}` },
      'log.chat',
      'result.chat',
    );
    expect(whole.events).toBe(1);
  });

  test('are counted once for every node that reaches them', async () => {
    const folder = temporaryFolder();
    const dependencies = ['b', 'c'].map((name) => join(folder, 'var/jobs/W/t', name));
    writeTree(folder, {
      ...job('W/t/a', { info: { dependencies }, files: { 'agent.chat': rounds('a', 'shared') } }),
      ...job('W/t/b', { files: { 'agent.chat': rounds('b', 'shared') } }),
      ...job('W/t/c', { files: { 'agent.chat': rounds('c', 'shared') } }),
    });
    const { nodeTotals } = await provenance(['W/t/a'], provPorts(folder));
    const [top, left, right] = nodeTotals;
    expect(top?.direct.events).toBe(2);
    expect(top?.aggregate.events).toBe(4);
    expect(left?.aggregate.events).toBe(2);
    expect(right?.aggregate.events).toBe(2);
  });
});

describe('rule 11: twins', () => {
  test('of equal size and text stay two, by their ids', async () => {
    const { whole } = await count(
      { 'a.chat': rounds('a'), 'b.chat': rounds('b') },
      'a.chat',
      'b.chat',
    );
    expect(whole).toMatchObject({ events: 2, tokens: { tt: 220 } });
  });

  test('without ids, after other words, stay two, and are labelled', async () => {
    const { events } = await count(
      {
        'a.chat': `user: one\n\nmeta: pt=1 ct=1 tt=2\n\nassistant: x\n`,
        'b.chat': `user: two\n\nmeta: pt=1 ct=1 tt=2\n\nassistant: x\n`,
      },
      'a.chat',
      'b.chat',
    );
    expect(events.map(({ deduplication }) => deduplication)).toEqual([
      'legacy_lineage',
      'legacy_lineage',
    ]);
  });

  test('of receipts without ids are never merged, and are labelled', async () => {
    const { events, totals } = await count({
      'root.chat': receipts([
        { pt: 1, ct: 1, tt: 2 },
        { pt: 1, ct: 1, tt: 2 },
      ]),
    });
    expect(events.map(({ deduplication }) => deduplication)).toEqual([
      'receipt_unresolved',
      'receipt_unresolved',
    ]);
    expect(totals.receipt_only.tokens.tt).toBe(4);
  });

  test('of ids that look like numbers are told apart from other ids and recognised in JSON', async () => {
    const { events } = await count({
      'root.chat': `${metas('tt=2 inference_id=12')}${receipts([
        { tt: 2, inference_id: 12 },
        { tt: 2, inference_id: '12' },
        { tt: 2, inference_id: '13' },
      ])}`,
    });
    expect(events.map(({ inference_id }) => inference_id)).toEqual(['12', '13']);
  });
});

describe('ids and models that are numbers but for how they are written', () => {
  test('stay apart: rounds 1.1 and 1.10 were billed as one, and 007 of a chat was another than that of its receipt', async () => {
    const { events, whole } = await count({
      'root.chat': `${metas(
        'tt=2 inference_id=1.1',
        'tt=2 inference_id=1.10',
        'tt=2 provider_response_id=007 model=4.10',
        'tt=2 inference_id=12345678901234567890',
      )}${receipts([{ tt: 2, provider_response_id: '007' }])}`,
    });
    expect(whole).toMatchObject({ events: 4, tokens: { tt: 8 } });
    expect(events.map(({ identity }) => identity[1])).toEqual([
      '1.1',
      '1.10',
      '007',
      '12345678901234567890',
    ]);
    expect(events[2]).toMatchObject({ model: '4.10', evidence: [{}, {}] });
  });
});

describe('rule 12: the time', () => {
  test('is no part of what identifies a request', async () => {
    const at = (time: string) => `user: q\n\nmeta: tt=2 timestamp=${time}\n\nassistant: a\n`;
    const { whole } = await count(
      { 'a.chat': at('2026-01-01T00:00:00.000Z'), 'b.chat': at('2026-01-02T00:00:00.000Z') },
      'a.chat',
      'b.chat',
    );
    expect(whole.events).toBe(1);
  });
});

describe('rule 13: what only sums up others', () => {
  test('is no request: the mark of a projection, whatever counts it has', async () => {
    const { events } = await count({
      'root.chat':
        'user: q\n\nmeta: job=W/t/x pt=100 ct=100 tt=200 inference_id=z\n\nassistant: a\n',
      ...job('W/t/x'),
    });
    expect(events).toEqual([]);
  });

  test('is no request: a receipt that names a job', async () => {
    const { events, edges } = await count({
      'root.chat': receipts([{ job: 'W/t/x', pt: 100, tt: 100, inference_id: 'z' }]),
      ...job('W/t/x'),
    });
    expect(events).toEqual([]);
    expect(edges.map(({ relation }) => relation)).toEqual(['agent_job']);
  });
});

describe('rule 14: retries', () => {
  test('each have their own record, and one without usage does not hide the next', async () => {
    const { whole } = await count({
      'root.chat':
        'user: q\n\nmeta: inference_id=failed orphan=true\n\nmeta: pt=1 ct=1 tt=2 inference_id=ok\n\nassistant: a\n',
    });
    expect(whole).toMatchObject({ events: 2, unknown: 1, tokens: { tt: 2 } });
  });
});

describe('rule 16: an answer from a cache', () => {
  test('makes no request: it has no meta of its own', async () => {
    const { events } = await count({ 'root.chat': 'user: q\n\nassistant: from the cache\n' });
    expect(events).toEqual([]);
  });
});

describe('rule 17: the model that served', () => {
  test('is that of the record that is counted', async () => {
    const { events } = await count({
      'root.chat': `${receipts([{ tt: 2, inference_id: 'a', model: 'asked' }])}${metas('tt=2 inference_id=a model=served endpoint=e timestamp=2026-01-01T00:00:00.000Z')}`,
    });
    expect(events).toMatchObject([
      { model: 'served', endpoint: 'e', timestamp: '2026-01-01T00:00:00.000Z' },
    ]);
  });
});

describe('a record that lacks model, endpoint or time', () => {
  test('has them from another of the same request: it was unpriced, and on no day', async () => {
    const { events } = await count({
      'root.chat': `${metas('tt=2 inference_id=a')}${receipts([
        { tt: 2, inference_id: 'a' },
        {
          tt: 2,
          inference_id: 'a',
          model: 'm',
          endpoint: 'e',
          timestamp: '2026-01-01T00:00:00.000Z',
        },
        { tt: 2, inference_id: 'a', model: 'n' },
        { tt: 2, inference_id: 'b' },
      ])}`,
    });
    expect(events).toMatchObject([
      { model: 'm', endpoint: 'e', timestamp: '2026-01-01T00:00:00.000Z' },
      { model: null, endpoint: null, timestamp: null },
    ]);
  });
});

describe('rule 18: running totals', () => {
  test('are never added, neither those of a chat nor those of a process', async () => {
    const { whole } = await count({
      'root.chat': metas(
        'pt=1 ct=1 tt=2 pt_c=1 ct_c=1 tt_c=2 tt_s=50 inference_id=a',
        'pt=3 ct=1 tt=4 pt_c=4 ct_c=2 tt_c=6 tt_s=54 inference_id=b',
      ),
    });
    expect(whole.tokens).toMatchObject({ pt: 4, ct: 2, tt: 6 });
  });

  test('are never added in records without an id either, wherever in them they stand', async () => {
    const { whole } = await count({
      'root.chat': metas(
        'pt_c=50 pt=1 ct=1 tt=2 pt_s=70 cct_c=9 rt_s=9',
        'tt_s=54 pt=3 ct=1 tt=4 pt_c=4 ct_c=2 tt_c=6',
      ),
    });
    expect(whole.tokens).toEqual({ pt: 4, ct: 2, tt: 6, cct: null, cwt: null, rt: null });
  });

  test('are never added in receipts', async () => {
    const entry = { pt: 1, ct: 1, tt: 2, pt_c: 30, tt_c: 30, tt_s: 40, cwt_c: 8 };
    const text = Object.entries(entry).map(([name, value]) => `${name}=${value}`);
    for (const each of [
      receipts([entry]),
      receipts([{ role: 'meta', content: text.join(' ') }], 'agent_meta'),
    ]) {
      const { whole } = await count({ 'root.chat': each });
      expect(whole.tokens).toEqual({ pt: 1, ct: 1, tt: 2, cct: null, cwt: null, rt: null });
    }
  });

  test('make no request by themselves', async () => {
    const { events } = await count({ 'root.chat': metas('pt_c=10 tt_c=30', 'tt_s=9') });
    expect(events).toEqual([]);
  });
});

describe('rule 19: scopes of evidence', () => {
  test('overlap: what a log and a receipt tell of is in both, and once in the whole', async () => {
    const folder = temporaryFolder();
    writeTree(folder, {
      'root.chat': `${receipts([
        { pt: 100, ct: 10, tt: 110, inference_id: 'both' },
        { pt: 5, ct: 1, tt: 6, inference_id: 'receipt' },
        { job: 'W/t/a' },
      ])}${rounds('own')}`,
      ...job('W/t/a', { files: { 'agent.chat': rounds('both') } }),
    });
    const { totals } = await provenance(['root.chat'], provPorts(folder));
    const sums = Object.entries(totals).map(([scope, { tokens }]) => [scope, tokens.tt]);
    expect(Object.fromEntries(sums)).toEqual({
      deduplicated_total: 226,
      chat_evidence: 220,
      receipt_evidence: 116,
      receipt_only: 6,
    });
  });

  test('receipts count for the chat that has them as reachable, not as its own', async () => {
    const { nodeTotals } = await count({
      'root.chat': `${receipts([{ tt: 6, inference_id: 'r' }])}${rounds('own')}`,
    });
    expect(nodeTotals[0]?.direct.tokens.tt).toBe(110);
    expect(nodeTotals[0]?.aggregate.tokens.tt).toBe(116);
  });
});

describe('records that disagree', () => {
  const cases: readonly (readonly [string, string, string, object])[] = [
    [
      'on a count',
      'pt=1 ct=1 tt=2',
      'pt=9 ct=1 tt=2',
      { conflict: true, incomplete_evidence: false },
    ],
    [
      'on the id of the provider',
      'tt=2 provider_response_id=x',
      'tt=2 provider_response_id=y',
      { conflict: true, incomplete_evidence: false },
    ],
    [
      'on nothing, one lacks the id of the provider',
      'tt=2 provider_response_id=x',
      'tt=2',
      { conflict: false, incomplete_evidence: true },
    ],
    [
      'on nothing, one lacks a count',
      'pt=1 tt=2',
      'tt=2',
      { conflict: false, incomplete_evidence: false },
    ],
    [
      'on what may differ',
      'tt=2 cct=1 rt=0',
      'tt=2 cct=2 rt=1',
      { conflict: false, incomplete_evidence: false },
    ],
  ];
  for (const [name, one, other, expected] of cases)
    test(`${name}: one event, of the first record`, async () => {
      const { events, warnings, whole } = await count(
        { 'a.chat': metas(`${one} inference_id=i`), 'b.chat': metas(`${other} inference_id=i`) },
        'a.chat',
        'b.chat',
      );
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject(expected);
      expect(whole.tokens.tt).toBe(2);
      const isConflict = 'conflict' in expected && expected.conflict === true;
      expect(warnings).toEqual(isConflict ? ['identity_conflict'] : []);
      expect(whole.conflicts).toBe(isConflict ? 1 : 0);
    });

  test('name what is disputed and where it is counted', async () => {
    const folder = temporaryFolder({
      'a.chat': metas('pt=1 ct=1 tt=2 inference_id=i'),
      'b.chat': metas('pt=9 ct=1 tt=10 inference_id=i'),
    });
    const { warnings } = await provenance(['a.chat', 'b.chat'], provPorts(folder));
    expect(warnings[0]?.message).toBe(
      `2 records of inference_id i disagree (pt 1 or 9, tt 2 or 10); it is counted once, as in ${folder}/a.chat:1`,
    );
  });

  test('are an error for a strict caller', async () => {
    const folder = temporaryFolder({
      'a.chat': metas('tt=2 inference_id=i'),
      'b.chat': metas('tt=3 inference_id=i'),
    });
    await expect(
      provenance(['a.chat', 'b.chat'], provPorts(folder), { strict: true }),
    ).rejects.toMatchObject({ code: 'identity-conflict', exitCode: 1 });
  });
});

describe('counts that are no sane numbers', () => {
  const cases: readonly (readonly [string, number | null, boolean])[] = [
    ['pt=NaN', null, true],
    ['pt=-7', null, true],
    ['pt=12abc', null, true],
    ['pt=1e309', null, true],
    ['pt=', null, true],
    ['pt=1.5', null, true],
    ['pt=99999999999999999999', null, true],
    ['pt=0012', 12, false],
    ['pt="10"', 10, false],
  ];
  for (const [text, pt, isTold] of cases)
    test(`${text} is ${pt === null ? 'told with its place and not counted' : pt}`, async () => {
      const { events, warnings, whole } = await count({
        'root.chat': metas(`${text} ct=4 tt=4 inference_id=a`, 'pt=1 ct=1 tt=2 inference_id=b'),
      });
      expect(events[0]?.tokens).toMatchObject({ pt, ct: 4, tt: 4 });
      expect(whole.tokens).toMatchObject({ pt: (pt ?? 0) + 1, ct: 5, tt: 6 });
      expect(warnings).toEqual(isTold ? ['bad_token_count'] : []);
    });

  test('numbers in texts of a receipt are read', async () => {
    const { events } = await count({
      'root.chat': receipts([{ pt: '10', ct: 2, inference_id: 'a' }]),
    });
    expect(events[0]?.tokens).toMatchObject({ pt: 10, ct: 2, tt: 12 });
  });
});
