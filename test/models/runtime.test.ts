import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RUNTIME_VERSION, runtimeEntry } from '../../src/models/places.ts';
import { installRuntime, runtimeState } from '../../src/models/runtime.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { createWorld } from '../helpers/run.ts';

/** A machine with a program in npm's place that does what the script says, in the folder of the installation. */
function prepare(npm: string | undefined, machine = { os: 'linux', arch: 'x64' }) {
  const folder = temporaryFolder({ 'bin/': '' });
  const bin = join(folder, 'bin');
  if (npm !== undefined) {
    writeFileSync(
      join(bin, 'npm'),
      `#!/bin/sh\nPATH=/usr/bin:/bin\necho "$@" >> "${folder}/calls"\n${npm}\n`,
    );
    chmodSync(join(bin, 'npm'), 0o755);
  }
  const nodeFolder = dirname(process.execPath);
  const world = createWorld(folder, {
    env: { PATH: npm === undefined ? '/nonexistent' : `${bin}:${nodeFolder}` },
  });
  const platform = { ...world.platform, ...machine };
  const models = join(folder, 'share', 'models');
  const notes: string[] = [];
  const ports = { ...world, platform };
  return {
    models,
    folder,
    notes,
    state: () => runtimeState(models, ports),
    install: () => installRuntime(models, ports, (text) => notes.push(text)),
    place: join(folder, 'share', 'runtime', `node-llama-cpp-${RUNTIME_VERSION}-linux-x64`),
    calls: () =>
      existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8') : '',
  };
}

/** A package that stands for the runtime; `loads` is its code. */
const fake = (loads: string) => `
mkdir -p node_modules/node-llama-cpp/dist
echo '{"name":"node-llama-cpp","type":"module","exports":"./dist/index.js"}' > node_modules/node-llama-cpp/package.json
cat > node_modules/node-llama-cpp/dist/index.js <<'END'
${loads}
END`;
const good = fake('export const getLlama = async (options) => ({ dispose() {}, options });');

describe('installing the runtime', () => {
  it('fetches the main package and the one binary that fits, and runs no script of theirs', async () => {
    const machine = prepare(good);
    expect(await machine.state()).toMatchObject({ kind: 'missing', platform: 'linux-x64' });
    expect(await machine.install()).toBe(true);
    expect(machine.calls().trim().split(' ')).toEqual(
      expect.arrayContaining([
        'install',
        '--ignore-scripts',
        '--omit=optional',
        `node-llama-cpp@${RUNTIME_VERSION}`,
        `@node-llama-cpp/linux-x64@${RUNTIME_VERSION}`,
      ]),
    );
    expect(await machine.state()).toEqual({
      kind: 'installed',
      platform: 'linux-x64',
      folder: machine.place,
    });
    expect(existsSync(runtimeEntry(machine.place))).toBe(true);
    expect(readdirSync(dirname(machine.place))).toEqual([machine.place.split('/').at(-1)]);
  });

  it('does nothing when it is there', async () => {
    const machine = prepare(good);
    await machine.install();
    expect(await machine.install()).toBe(false);
    expect(machine.calls().trim().split('\n')).toHaveLength(1);
  });

  it('is done once when two want it at once', async () => {
    const machine = prepare(`sleep 0.2\n${good}`);
    const done = await Promise.all([machine.install(), machine.install()]);
    expect([...done].sort()).toEqual([false, true]);
    expect(machine.calls().trim().split('\n')).toHaveLength(1);
    expect(machine.notes.join()).toContain('installing the runtime');
  });

  it('removes what a killed installation left', async () => {
    const machine = prepare(good);
    mkdirSync(`${machine.place}.new-abc123/node_modules`, { recursive: true });
    await machine.install();
    expect(readdirSync(dirname(machine.place))).toEqual([machine.place.split('/').at(-1)]);
  });

  const rows: readonly {
    name: string;
    npm?: string;
    os?: string;
    failure: Record<string, unknown>;
  }[] = [
    {
      name: 'a binary that does not load',
      npm: fake('export const getLlama = async () => { throw new Error("no binary"); };'),
      failure: {
        code: 'runtime-unsupported',
        exitCode: 3,
        message: expect.stringContaining('no binary'),
      },
    },
    {
      name: 'a binary that ends its process',
      npm: fake('export const getLlama = async () => process.kill(process.pid, "SIGILL");'),
      failure: {
        code: 'runtime-unsupported',
        exitCode: 3,
        message: expect.stringContaining('SIGILL'),
      },
    },
    {
      name: 'a registry that does not answer',
      npm: 'echo "npm error code ENOTFOUND" >&2; echo "npm error request to https://u:secret@host/x failed" >&2; exit 1',
      failure: {
        code: 'runtime-download-failed',
        exitCode: 4,
        detail: ['code ENOTFOUND', 'request to https://host/x failed'],
      },
    },
    {
      name: 'a full disk',
      npm: 'echo "npm error code ENOSPC" >&2; exit 1',
      failure: { code: 'disk-full', exitCode: 1 },
    },
    { name: 'no npm', failure: { code: 'npm-missing', exitCode: 3 } },
    {
      name: 'a system without a binary',
      npm: good,
      os: 'aix',
      failure: { code: 'runtime-unsupported', exitCode: 3 },
    },
  ];
  for (const { name, npm, os = 'linux', failure } of rows)
    it(`${name}: is told, and nothing is left`, async () => {
      const machine = prepare(npm, { os, arch: 'x64' });
      await expect(machine.install()).rejects.toMatchObject(failure);
      expect(existsSync(machine.place)).toBe(false);
      const runtime = dirname(machine.place);
      expect(existsSync(runtime) ? readdirSync(runtime) : []).toEqual([]);
    });
});
