// The document prov/1: every key, exact values, and the same line by line.

import { describe, expect, test } from 'vitest';
import { job } from '../helpers/prov.ts';
import { chat, meta, run } from '../helpers/prov-runs.ts';

describe('the document', () => {
  const files = {
    'root.chat': `${chat(meta('a'))}function_call: {"name":"ask","arguments":{},"id":"c1"}\n\nfunction_call_output: {"id":"c1","content":"x","meta":[{"inference_id":"r","pt":1,"ct":2,"tt":3},{"job":"W/t/Default"}]}\n`,
    ...job('W/t/Default', { files: { 'agent.chat': chat('inference_id=u model=m') } }),
  };

  test('has every key of prov/1, absolute paths, and null for what is not known', async () => {
    const { stdout, folder } = await run(['root.chat', '--json', '--since', '2020-01-01'], {
      files,
    });
    const document = JSON.parse(stdout);
    expect(Object.keys(document)).toEqual([
      'schema',
      'tool',
      'generated_at',
      'root',
      'options',
      'nodes',
      'edges',
      'events',
      'totals',
      'warnings',
    ]);
    expect(document).toMatchObject({
      schema: 'prov/1',
      tool: { name: 'scout-chat', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      generated_at: '2026-11-30T12:00:00.000Z',
      root: { kind: 'chat', path: 'root.chat' },
      options: { paths: ['root.chat'], since: '2020-01-01', until: null },
      events: [],
    });
    expect(folder).not.toBe('');
  });

  test('tells nodes, edges and events as they are', async () => {
    const { stdout } = await run(['root.chat', '--json'], { files });
    const { nodes, edges, events, totals, warnings } = JSON.parse(stdout);
    const none = { pt: null, ct: null, tt: null, cct: null, cwt: null, rt: null };
    expect(nodes).toMatchObject([
      {
        kind: 'chat',
        label: 'root.chat',
        status: null,
        hidden: false,
        direct: { pt: 100, ct: 20, tt: 120, cct: null },
      },
      {
        kind: 'job',
        label: 'W/t Default',
        status: 'done',
        hidden: false,
        direct: none,
        aggregate: none,
      },
      { kind: 'chat', label: 'agent.chat', status: null, hidden: true },
    ]);
    expect(edges).toEqual([
      {
        from: { kind: 'chat', path: 'root.chat' },
        to: { kind: 'job', path: 'var/jobs/W/t/Default' },
        relation: 'agent_job',
        first_visit: true,
        detail: {
          address: ['root.chat', 4, 'meta', 1],
          call_id: 'c1',
          tool_name: 'ask',
          job: 'W/t/Default',
        },
      },
      {
        from: { kind: 'job', path: 'var/jobs/W/t/Default' },
        to: { kind: 'chat', path: 'var/jobs/W/t/Default.files/agent.chat' },
        relation: 'log',
        first_visit: true,
        detail: null,
      },
    ]);
    expect(events.map(({ inference_id }: { inference_id: string }) => inference_id)).toEqual([
      'a',
      'u',
      'r',
    ]);
    expect(Object.keys(events[0])).toEqual([
      'inference_id',
      'identity',
      'deduplication',
      'tokens',
      'model',
      'timestamp',
      'conflict',
      'incomplete_evidence',
      'evidence',
    ]);
    expect(events[2].evidence).toEqual([
      {
        origin: 'agent_meta',
        source: 'root.chat',
        address: ['root.chat', 4, 'meta', 0],
        call_id: 'c1',
        tool_name: 'ask',
      },
    ]);
    expect(totals.receipt_only).toEqual({ pt: 1, ct: 2, tt: 3, cct: null, cwt: null, rt: null });
    expect(warnings).toEqual([]);
  });

  test('a line an object holds the same', async () => {
    const whole = JSON.parse((await run(['root.chat', '--json'], { files })).stdout);
    const lines = (await run(['root.chat', '--ndjson'], { files })).stdout.trimEnd().split('\n');
    const objects = lines.map((line) => JSON.parse(line));
    const of = (type: string) =>
      objects.filter((each) => each.type === type).map(({ type: _type, ...rest }) => rest);
    expect(of('node')).toEqual(whole.nodes);
    expect(of('edge')).toEqual(whole.edges);
    expect(of('event')).toEqual(whole.events);
    expect(of('totals')).toEqual([whole.totals]);
    expect(objects[0]).toMatchObject({ type: 'prov', schema: 'prov/1', root: whole.root });
    expect(objects.at(-1).type).toBe('totals');
  });

  test('warnings stand in it and on standard error', async () => {
    const broken = {
      'x.chat': chat(meta('a'), meta('a', ' response=1').replace('ct=20', 'ct=21')),
    };
    const { stdout, stderr } = await run(['x.chat', '--json'], { files: broken });
    expect(JSON.parse(stdout).warnings).toMatchObject([
      { reason: 'identity_conflict', source: 'x.chat' },
    ]);
    expect(stderr).toMatch(/^warning: 2 records of inference_id a disagree/);
  });
});
