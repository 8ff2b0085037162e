// Bad input: each problem is told once, with its place and reason, and the rest is still there.

import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { provenance } from '../../src/prov/collect.ts';
import { temporaryFolder, writeTree } from '../helpers/folder.ts';
import { job, provPorts, rounds } from '../helpers/prov.ts';

/** Provenance of paths in a folder, and what was told, as `reason place`. */
async function provIn(folder: string, ...paths: readonly string[]) {
  const found = await provenance(paths, provPorts(folder));
  const told = found.warnings.map(
    ({ reason, source }) => `${reason} ${source?.slice(folder.length + 1)}`,
  );
  return { ...found, told, total: found.totals.deduplicated_total.tokens.tt };
}

describe('a path that is', () => {
  test('nothing at all', async () => {
    const folder = temporaryFolder({ 'a.chat': rounds('a') });
    const { told, total, warnings } = await provIn(folder, 'missing.chat', 'a.chat');
    expect(told).toEqual(['unreadable missing.chat']);
    expect(warnings[0]?.message).toBe('cannot use "missing.chat": nothing is there');
    expect(total).toBe(110);
  });

  test('neither a chat nor a job: a pipe, which nobody waits for', async () => {
    const folder = temporaryFolder({ 'a.chat': rounds('a') });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const { told, total } = await provIn(folder, 'pipe', 'a.chat');
    expect(told).toEqual(['unreadable pipe']);
    expect(total).toBe(110);
  });

  test('a folder without any', async () => {
    const folder = temporaryFolder({ 'a.chat': rounds('a'), 'empty/notes.txt': 'x' });
    const { told, total } = await provIn(folder, 'empty', 'a.chat');
    expect(told).toEqual(['unreadable empty']);
    expect(total).toBe(110);
  });

  test('wrong for a strict caller, who gets a Failure', async () => {
    const folder = temporaryFolder();
    await expect(
      provenance(['missing.chat'], provPorts(folder), { strict: true }),
    ).rejects.toMatchObject({ message: 'cannot use "missing.chat": nothing is there' });
  });
});

describe('a log that is', () => {
  const place = 'var/jobs/W/t/a.files/agent.society/B/one/agent.chat';
  const society = () => {
    const folder = temporaryFolder(job('W/t/a', { files: { 'agent.chat': rounds('own') } }));
    mkdirSync(join(folder, place, '..'), { recursive: true });
    return folder;
  };

  test('binary', async () => {
    const folder = society();
    writeFileSync(join(folder, place), Buffer.from([0x89, 0x50, 0, 0xff, 0x0a, 0, 0xfe, 0x0a]));
    const { told, total } = await provIn(folder, 'var/jobs/W/t/a');
    expect(told).toEqual([`binary ${place}`]);
    expect(total).toBe(110);
  });

  test('a link to a pipe: nothing is taken out of it', async () => {
    const folder = society();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    symlinkSync(pipe, join(folder, place));
    // Open for reading too, so that nobody waits.
    const end = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      writeSync(end, rounds('waiting'));
      const { told, total } = await provIn(folder, 'var/jobs/W/t/a');
      expect(told).toEqual(['unreadable pipe']);
      expect(total).toBe(110);
      expect(readSync(end, Buffer.alloc(1000))).toBe(rounds('waiting').length);
    } finally {
      closeSync(end);
    }
  });

  test('good but for zero bytes in a text: what it records counts', async () => {
    const folder = society();
    writeFileSync(join(folder, place), `user:\n\nzero \0 byte\n\n${rounds('b')}`);
    const { told, total } = await provIn(folder, 'var/jobs/W/t/a');
    expect(told).toEqual([`binary ${place}`]);
    expect(total).toBe(220);
  });

  test('not UTF-8 in one place', async () => {
    const folder = society();
    writeFileSync(
      join(folder, place),
      Buffer.concat([Buffer.from([0xff]), Buffer.from(`\n${rounds('b')}`)]),
    );
    const { told, total } = await provIn(folder, 'var/jobs/W/t/a');
    expect(told).toEqual([`bad_utf_8 ${place}`]);
    expect(total).toBe(220);
  });

  test('UTF-16', async () => {
    const folder = society();
    writeFileSync(join(folder, place), Buffer.from(`\ufeff${rounds('b')}`, 'utf16le'));
    const { told, total } = await provIn(folder, 'var/jobs/W/t/a');
    expect(told).toEqual([`unreadable ${place}`]);
    expect(total).toBe(110);
  });

  test('larger than one text can be', async () => {
    const folder = society();
    writeFileSync(join(folder, place), '');
    truncateSync(join(folder, place), 600_000_000);
    const { told, total, warnings } = await provIn(folder, 'var/jobs/W/t/a');
    expect(told).toEqual([`too_large ${place}`]);
    expect(warnings[0]?.message).toContain('600 MB');
    expect(total).toBe(110);
  });

  test('a link that leads nowhere', async () => {
    const folder = society();
    symlinkSync('gone', join(folder, place));
    const { told, total } = await provIn(folder, 'var/jobs/W/t/a');
    expect(told).toEqual([`unreadable ${place}`]);
    expect(total).toBe(110);
  });

  test('cut off inside of a code block: what follows is hidden, and that is told', async () => {
    const folder = society();
    writeFileSync(join(folder, place), `user: q\n\nassistant:\n\n\`\`\`js\nx\n\n${rounds('b')}`);
    const { told, total, warnings } = await provIn(folder, 'var/jobs/W/t/a');
    expect(told).toEqual([`unclosed_block ${place}`]);
    expect(warnings[0]?.message).toMatch(/^line 5: /);
    expect(total).toBe(110);
  });
});

describe('an .info that is', () => {
  const broken: readonly (readonly [string, string | Uint8Array])[] = [
    ['cut off', '{"status":"done","workf'],
    ['empty', ''],
    ['no object', '[1, 2]'],
    ["in Ruby's binary form", new Uint8Array([4, 8, 0x7b, 0])],
  ];
  for (const [name, content] of broken)
    test(`${name}: the job is there, as its path and its logs tell`, async () => {
      const folder = temporaryFolder(job('W/t/a', { files: { 'agent.chat': rounds('a') } }));
      writeFileSync(join(folder, 'var/jobs/W/t/a.info'), content);
      const { told, total, nodes } = await provIn(folder, 'var/jobs/W/t/a');
      expect(told).toEqual(['broken_info var/jobs/W/t/a.info']);
      expect(nodes[0]?.facts).toMatchObject({ workflow: 'W', task: 't', status: 'done' });
      expect(total).toBe(110);
    });

  test('full of line ends that JSON does not know', async () => {
    const info = { workflow: 'a\u2028b', task_name: 'c\u0085d' };
    const folder = temporaryFolder(job('W/t/a', { info }));
    const { told, nodes } = await provIn(folder, 'var/jobs/W/t/a');
    expect(told).toEqual([]);
    expect(nodes[0]?.facts).toMatchObject({ workflow: 'a\u2028b', task: 'c\u0085d' });
  });

  test('of other types than ours in every field', async () => {
    const info = {
      status: 7,
      workflow: null,
      type: {},
      dependencies: { a: 1 },
      start: [],
      issued: 0,
    };
    const folder = temporaryFolder(job('W/t/a', { info }));
    const { told, nodes } = await provIn(folder, 'var/jobs/W/t/a');
    expect(told).toEqual([]);
    expect(nodes[0]?.facts).toMatchObject({ workflow: 'W', dependencies: [] });
  });
});

test('every problem of a store is told once, however often it is met', async () => {
  const folder = temporaryFolder();
  const dependencies = [join(folder, 'var/jobs/W/t/bad'), join(folder, 'var/jobs/W/t/gone')];
  writeTree(folder, {
    ...job('W/t/a', { info: { dependencies } }),
    ...job('W/t/b', { info: { dependencies } }),
    'var/jobs/W/t/bad': 'x',
    'var/jobs/W/t/bad.info': '{',
    'root.chat':
      'user: q\n\nmeta: job=W/t/a\n\nmeta: job=W/t/b\n\nmeta: pt=NaN ct=1 inference_id=x\n\nassistant: x\n',
  });
  const { told } = await provIn(folder, 'root.chat', 'root.chat', 'var/jobs/W/t/b');
  expect(told).toEqual([
    'bad_token_count root.chat',
    'unresolved_job_reference var/jobs/W/t/b.info',
    'broken_info var/jobs/W/t/bad.info',
    'unresolved_job_reference var/jobs/W/t/a.info',
  ]);
});

describe('receipts that are malformed', () => {
  const cases: readonly (readonly [
    string,
    unknown,
    readonly (readonly [string, ...unknown[]])[],
  ])[] = [
    ['a text', { meta: 'pt=1' }, [['not_an_array']]],
    ['an object', { meta: { pt: 1 } }, [['not_an_array']]],
    ['null, even beside older ones', { meta: null, agent_meta: [] }, [['not_an_array']]],
    [
      'no objects',
      { meta: ['x', 5, [], null] },
      [0, 1, 2, 3].map((i) => ['not_a_hash', 'meta', i] as const),
    ],
    [
      'without fields',
      { meta: [{}, { pt: null }] },
      [
        ['empty_meta', 'meta', 0],
        ['empty_meta', 'meta', 1],
      ],
    ],
    [
      'older, of another role',
      { agent_meta: [{ role: 'user', content: 'pt=1' }] },
      [['invalid_role', 'agent_meta', 0]],
    ],
    [
      'older, of a content that is no text',
      { agent_meta: [{ role: 'meta', content: 1 }] },
      [['invalid_content', 'agent_meta', 0]],
    ],
    [
      'older, without any pair',
      { agent_meta: [{ role: 'meta', content: 'no pair' }] },
      [['unparseable_meta', 'agent_meta', 0]],
    ],
    [
      'of counts that are none',
      { meta: [{ pt: -1, tt: 'x', ct: [], inference_id: 'a' }] },
      [0, 0, 0].map((i) => ['bad_token_count', 'meta', i] as const),
    ],
  ];
  for (const [name, fields, expected] of cases)
    test(`${name}: are told with their address, and nothing is guessed`, async () => {
      const output = JSON.stringify({ id: 'c', content: 'x', ...(fields as object) });
      const folder = temporaryFolder({
        'root.chat': `user: q\n\nfunction_call: {"name":"ask","id":"c"}\n\nfunction_call_output: ${output}\n\n${rounds('after')}`,
      });
      const { warnings, total } = await provIn(folder, 'root.chat');
      expect(warnings.map(({ reason, address }) => [reason, ...(address ?? []).slice(2)])).toEqual(
        expected,
      );
      expect(
        warnings.every(
          ({ address, call_id, tool_name }) =>
            address?.[1] === 2 && call_id === 'c' && tool_name === 'ask',
        ),
      ).toBe(true);
      expect(total).toBe(110);
    });

  test('text that mentions them is none', async () => {
    const output = JSON.stringify({ id: 'c', content: '{"meta":[{"pt":1,"inference_id":"x"}]}' });
    const folder = temporaryFolder({
      'root.chat': `user: q\n\nfunction_call: {"name":"ask","id":"c"}\n\nfunction_call_output: ${output}\n\nassistant: "meta": [{"pt": 1}]\n`,
    });
    const { warnings, events } = await provIn(folder, 'root.chat');
    expect([warnings, events]).toEqual([[], []]);
  });
});
