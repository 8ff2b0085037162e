// A project with workflows, served by the built program, and the protocol library's own client as an independent one.

import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { environment, packageFolder } from './built.ts';
import { type Heard, heard, until } from './children.ts';
import { type Tree, temporaryFolder } from './folder.ts';

/** Tasks that last, fail, print what no client wants to see, and tell how far they are. */
const ODD = `
import { defineWorkflow, input, z } from 'scout-chat';
console.log('noise while it is loaded');
const sleep = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
export default defineWorkflow({
  tasks: {
    loud: {
      description: 'Prints where it should not',
      run() {
        console.log('noise of a task');
        process.stdout.write('{"jsonrpc":"2.0","id":2,"result":{}}\\n');
        return 'quiet';
      },
    },
    steps: {
      description: 'Tells how far it is',
      inputs: { until: z.int().default(3) },
      async run({ until }, job) {
        for (let done = 1; done <= until; done++) {
          job.progress(done, until, 'steps');
          await sleep(150);
        }
        return 'there';
      },
    },
    fail: { description: 'Fails', run() { throw new Error('no flour'); } },
    above: { description: 'Needs what fails', deps: ['fail'], run: () => 'never' },
    now: { description: 'Is not kept', exec: true, inputs: { a: z.int() }, result: 'json', run: ({ a }) => ({ a }) },
    read: { description: 'Reads a file', inputs: { list: input.file() }, run: ({ list }) => list },
    picture: { description: 'Some bytes', result: 'binary', run: () => new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]) },
  },
});
`;

const HANG = `
tasks:
  hang:
    description: Starts children, one in a group of its own and one that will not listen, and never ends
    inputs: { name: { type: string, default: x } }
    command: |
      sleep 987 &
      setsid sleep 987 &
      sh -c 'trap "" TERM; sleep 987; sleep 987' &
      echo {{name}} >> began
      wait
  above: { description: Needs it, deps: [hang], command: "true" }
`;

/** A folder with the example workflows and the odd ones. */
export function project(files: Tree = {}): string {
  const folder = temporaryFolder({
    'workflows/Odd.ts': ODD,
    'workflows/Sh.yaml': HANG,
    'var/jobs/': '',
    'home/': '',
    ...files,
  });
  cpSync(join(packageFolder, 'fixtures/workflows'), join(folder, 'workflows'), { recursive: true });
  return folder;
}

const variables = (folder: string) =>
  environment({ HOME: join(folder, 'home'), TEST_FOLDER: folder });

const program = (args: readonly string[]) => [
  join(packageFolder, 'bin/chat.js'),
  'task',
  'serve',
  ...args,
];

export interface Connected {
  readonly client: Client;
  /** What the server wrote to standard error so far. */
  stderr(): string;
  readonly pid: number | null;
}

/** A client that starts the server, as programs do. */
export async function connect(
  folder: string,
  args: readonly string[],
  options: ConstructorParameters<typeof Client>[1] = {},
): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: program(args),
    cwd: folder,
    env: variables(folder),
    stderr: 'pipe',
  });
  let text = '';
  transport.stderr?.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  const client = new Client({ name: 'test', version: '1' }, options);
  onTestFinished(() => client.close());
  await client.connect(transport);
  inTurn(transport);
  return { client, stderr: () => text, pid: transport.pid };
}

/** The client drops progress that comes in one piece with the answer of its call, which a busy machine makes likely; one after the other, all is seen. */
function inTurn(transport: StdioClientTransport): void {
  const { onmessage } = transport;
  let delivered = Promise.resolve();
  transport.onmessage = (message) => {
    delivered = delivered.then(() => onmessage?.(message));
  };
}

/** The server as a child, its streams in the test's hands. */
export function start(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Heard {
  const child = spawn(process.execPath, program(args), {
    cwd: folder,
    env: { ...variables(folder), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return heard(child);
}

/** A server over HTTP, its address, and clients for it. */
export async function startHttp(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const started = start(folder, ['--http', ...args], env);
  await until(() => / at http:\S+\n/.test(started.stderr()) || started.child.exitCode !== null);
  const [, url = ''] = / at (http:\S+)\n/.exec(started.stderr()) ?? [];
  if (!args.includes('--token-env')) await until(() => started.stderr().includes('Bearer'));
  const token = /Bearer (\S+)/.exec(started.stderr())?.[1] ?? env.TOKEN ?? '';
  return {
    ...started,
    url,
    token,
    async client(options: ConstructorParameters<typeof Client>[1] = {}): Promise<Client> {
      const client = new Client({ name: 'test', version: '1' }, options);
      onTestFinished(() => client.close());
      const headers = { authorization: `Bearer ${token}` };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
      );
      return client;
    },
  };
}

/** How many runs of the task that never ends have begun. */
export function began(folder: string): number {
  const file = join(folder, 'began');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

/** Status of a stored job, as its `.info` has it. */
export function statusOf(folder: string, job: string): unknown {
  const info = join(folder, 'var/jobs', `${job}.info`);
  return JSON.parse(readFileSync(info, 'utf8')).status;
}
