// A walk whose logs are read beside it finds what a walk without that finds, whatever becomes of the reader.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { collect } from '../../src/prov/collect.ts';
import { findRoots } from '../../src/prov/roots.ts';
import type { ProvPorts } from '../../src/prov/types/ports.ts';
import type { Problem } from '../../src/prov/types/warnings.ts';
import { createClock } from '../../src/world/clock.ts';
import { createFiles } from '../../src/world/files.ts';
import { packageFolder } from '../helpers/built.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { countedReader } from '../helpers/log-reader.ts';
import { provPorts } from '../helpers/prov.ts';

const JOBS = 900;
let store = '';

beforeAll(() => {
  store = join(temporaryFolder(), 'store');
  const generator = join(packageFolder, 'fixtures/prov/gen_store.mjs');
  const made = spawnSync(process.execPath, [generator, store, `${JOBS}`, 'deep']);
  if (made.status !== 0) throw new Error(String(made.stderr));
  const logs = readdirSync(store, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('agent.chat'))
    .sort();
  const at = (index: number) => join(store, logs[index] ?? '');
  writeFileSync(at(3), new Uint8Array([117, 0, 10, 255]));
  rmSync(at(5));
  symlinkSync('nowhere.chat', at(5));
  rmSync(at(7));
  mkdirSync(at(7));
  writeFileSync(at(9), 'meta: pt=many ct=-3 inference_id=odd\n\nassistant: x\n');
  rmSync(at(11));
  symlinkSync(at(12), at(11));
  const long = new Date(Date.now() - 3_600_000);
  for (const name of readdirSync(store, { recursive: true, encoding: 'utf8' }).reverse())
    if (name !== logs[5]) utimesSync(join(store, name), long, long);
});

async function found(changes: Partial<ProvPorts> = {}, index?: string) {
  const ports = provPorts(store, changes);
  const problems: Problem[] = [];
  const onError = (problem: Problem) => problems.push(problem);
  const roots = await findRoots([join(store, 'root.chat')], ports, onError);
  const indexed =
    index === undefined
      ? {}
      : { index: { folder: index, files: createFiles(), clock: createClock() } };
  const graph = await collect(roots, ports, { onError, ...indexed });
  return {
    nodes: graph.nodes.map(({ kind, path, facts }) => [kind, path, facts]),
    edges: graph.edges.map(({ from, to, relation, first, own, detail }) => [
      from.path,
      to.path,
      relation,
      first,
      own,
      detail,
    ]),
    warnings: problems.map(({ warning }) => warning),
  };
}

describe('a large walk', () => {
  test('finds the same with its logs read beside it, warnings in the same order', async () => {
    const { workers, counts } = countedReader();
    const plain = await found();
    expect(await found({ workers })).toEqual(plain);
    expect(counts.started).toBe(1);
    expect(counts.answered).toBeGreaterThan(5);
    expect(new Set(plain.warnings.map(({ reason }) => reason))).toEqual(
      new Set(['binary', 'unreadable', 'bad_token_count']),
    );
  });

  test.each([0, 1, 4])('finds the same when the reader dies after %i answers', async (most) => {
    const { workers, counts } = countedReader(most);
    expect(await found({ workers })).toEqual(await found());
    expect(counts.answered).toBe(most);
  });

  test('finds the same when this build has no reader', async () => {
    expect(
      await found({
        workers: { cores: () => 4, start: () => undefined },
      }),
    ).toEqual(await found());
  });

  test('keeps an index that shows a change in a log that was read beside it', async () => {
    const { workers } = countedReader();
    const index = join(temporaryFolder(), 'index');
    const first = await found({ workers }, index);
    expect(readdirSync(index)).toHaveLength(1);
    expect(await found({}, index)).toEqual(first);
    const chat = first.nodes.findLast(
      ([kind, path]) => kind === 'chat' && String(path).endsWith('agent.chat'),
    );
    writeFileSync(
      String(chat?.[1]),
      'meta: pt=5 ct=1 tt=6 inference_id=new\n\nassistant: changed\n',
    );
    const second = await found({ workers }, index);
    expect(second).toEqual(await found());
    expect(second).not.toEqual(first);
  });
});
