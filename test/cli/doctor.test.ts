// What `chat doctor` finds in made-up surroundings.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../src/doctor/types.ts';
import { createClock } from '../../src/world/clock.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { type RunOptions, runCli } from '../helpers/run.ts';

interface Report {
  readonly code: number;
  readonly findings: readonly Finding[];
}

async function doctor(options: RunOptions = {}): Promise<Report> {
  const { code, stdout } = await runCli(['doctor', '--json'], options);
  return { code, findings: JSON.parse(stdout).findings };
}

const inArea = ({ findings }: Report, area: string) =>
  findings.filter((finding) => finding.area === area);

const found: readonly (readonly [string, RunOptions, string, Partial<Finding>])[] = [
  [
    'a file where a folder of the program should be is a fault',
    { files: { 'home/.config/scout': '' } },
    'folder',
    { status: 'fail', message: expect.stringContaining('.config/scout is not a folder') },
  ],
  [
    'the folder of SCOUT_HOME is the one that counts',
    { env: { SCOUT_HOME: '/nowhere/to/be' } },
    'folder',
    { message: expect.stringContaining('/nowhere/to/be') },
  ],
  [
    'what was fetched before there was a ~/.scout is told to be out of use',
    {
      files: { 'home/.scout/etc/AI/lab.yaml': 'backend: local\n', 'home/.local/share/scout/': '' },
    },
    'folder',
    {
      status: 'warn',
      message: expect.stringMatching(/share\/scout is not used, since \S+\.scout is there$/),
      next: expect.stringMatching(/^move what you need of it to \S+\.scout, or/),
    },
  ],
  [
    'an endpoint file that is not right is named with its line',
    { files: { 'etc/AI/lab.yaml': 'backend: openai\nurl: nonsense\n' } },
    'endpoint',
    {
      status: 'warn',
      message: expect.stringContaining('lab cannot be used'),
      next: expect.stringContaining('lab.yaml:2'),
    },
  ],
  [
    'a default endpoint that is not right is a fault',
    { files: { 'etc/AI/default.yaml': 'model: x\n' } },
    'endpoint',
    { status: 'fail', message: expect.stringContaining('default would be used') },
  ],
  [
    'a key that is not set is a fault of the endpoint that would be used',
    {
      env: { ASK_ENDPOINT: 'lab' },
      files: {
        'etc/AI/lab.yaml':
          'backend: openai\nurl: http://127.0.0.1:9/v1\nmodel: x\nkey_env: LAB_KEY\n',
      },
    },
    'key',
    { status: 'fail', message: 'of lab: LAB_KEY is not set', next: 'export LAB_KEY=…' },
  ],
  [
    'an endpoint that is not there is a fault',
    { env: { ASK_ENDPOINT: 'nope' } },
    'endpoint',
    { status: 'fail', message: expect.stringContaining('"nope" would be used') },
  ],
  [
    'without anything set up the embedded model is missing',
    { env: { ASK_ENDPOINT: 'local' } },
    'model',
    { status: 'fail', next: 'chat model pull SmolLM2-135M-Instruct' },
  ],
  [
    'with another endpoint it is only worth knowing',
    {
      env: { ASK_ENDPOINT: 'lab' },
      files: { 'etc/AI/lab.yaml': 'backend: openai\nurl: http://127.0.0.1:9/v1\nmodel: x\n' },
    },
    'model',
    { status: 'warn' },
  ],
  [
    'a proxy is shown without its password',
    { env: { HTTPS_PROXY: 'http://me:secret@proxy.example:8080' } },
    'proxy',
    { status: 'ok', message: 'HTTPS_PROXY: http://***@proxy.example:8080' },
  ],
  [
    'a proxy that is none is a fault',
    { env: { http_proxy: 'socks5://proxy.example' } },
    'proxy',
    { status: 'fail', message: expect.stringContaining('is not the address of a proxy') },
  ],
  [
    'certificates that cannot be read are named',
    { env: { NODE_EXTRA_CA_CERTS: '/nowhere.pem' } },
    'certificates',
    { status: 'warn', message: 'NODE_EXTRA_CA_CERTS: /nowhere.pem cannot be read' },
  ],
  [
    'certificates that every request would miss are a fault',
    { env: { SSL_CERT_FILE: '/nowhere.pem' } },
    'certificates',
    { status: 'fail', message: 'SSL_CERT_FILE: /nowhere.pem cannot be read' },
  ],
  [
    'a lock of a process that is gone is told apart',
    {
      files: {
        'a.chat.lock': JSON.stringify({
          pid: 4_194_305,
          host: 'here',
          started: '',
          space: '',
          token: 'x',
        }),
      },
    },
    'lock',
    {
      status: 'warn',
      message: 'a.chat: left by process 4194305 on here, which is not running here',
    },
  ],
  [
    'a lock of a living process is in order',
    {
      files: {
        'a.chat.lock': JSON.stringify({
          pid: process.pid,
          host: 'here',
          started: '',
          space: '',
          token: 'x',
        }),
      },
    },
    'lock',
    { status: 'ok', message: `a.chat: held by process ${process.pid} on here` },
  ],
  [
    'lock files of other programs are none of ours',
    { files: { 'yarn.lock': '{}', 'b.lock': 'text' } },
    'lock',
    { status: 'ok', message: 'none in this folder' },
  ],
  [
    'an old Node is a fault',
    { world: { platform: { os: 'linux', arch: 'x64', node: '20.17.9' } } },
    'node',
    { status: 'fail', next: 'install Node 20.18 or later' },
  ],
];

const TLS = join(import.meta.dirname, '../../fixtures/tls');
const PEM = readFileSync(join(TLS, 'loopback.crt'), 'utf8');
const DER = Buffer.from(PEM.replace(/-----.*-----/g, ''), 'base64');
const DAMAGED = PEM.replace(/\n[A-Za-z0-9+/]{8}/, '\nAAAAAAAA');

/** What the file holds, how it is found where it is needed, and the words for it. */
const certificates: readonly (readonly [string, string | Uint8Array, string, RegExp])[] = [
  ['one', PEM, 'ok', /ca\.pem \(1 certificate\)$/],
  ['several, with words in between', `CA one\n${PEM}\nCA two\n${PEM}`, 'ok', /\(2 certificates\)$/],
  ['a key', readFileSync(join(TLS, 'loopback.key'), 'utf8'), 'fail', / holds no certificate$/],
  ['words', 'certificate\n', 'fail', / holds no certificate$/],
  [
    'beginnings without an end',
    '-----BEGIN CERTIFICATE-----\n'.repeat(500_000),
    'fail',
    / holds no certificate$/,
  ],
  ['DER', DER, 'fail', / is a certificate in DER, where PEM is needed$/],
  ['bytes that begin as DER', new Uint8Array([0x30, 1, 2]), 'fail', / holds no certificate$/],
  ['a damaged one', `${PEM}${DAMAGED}`, 'warn', /: certificate 2 of 2 cannot be read, so/],
  ['nothing', '', 'warn', / is empty$/],
];

describe('chat doctor, a certificate file that', () => {
  for (const [name, content, status, message] of certificates)
    test(`holds ${name}`, async () => {
      const folder = temporaryFolder({ 'ca.pem': content });
      const file = join(folder, 'ca.pem');
      for (const [env, level] of [
        [{ SSL_CERT_FILE: file }, status],
        [{ NODE_EXTRA_CA_CERTS: file }, status === 'fail' ? 'warn' : status],
        [{ SSL_CERT_FILE: join(TLS, 'loopback.crt'), NODE_EXTRA_CA_CERTS: file }, status],
      ] as const) {
        const findings = inArea(await doctor({ env }), 'certificates');
        expect(findings.at(-1)).toMatchObject({
          status: level,
          message: expect.stringMatching(message),
        });
      }
    });

  test('is a folder, or one that may not be read', async () => {
    const folder = temporaryFolder({});
    const findings = async (file: string) =>
      inArea(await doctor({ env: { SSL_CERT_FILE: file } }), 'certificates');
    expect(await findings(folder)).toMatchObject([
      { status: 'fail', message: expect.stringMatching(/ is a folder, not a file$/) },
    ]);
    expect(await findings('/dev/zero')).toMatchObject([
      { status: 'fail', message: 'SSL_CERT_FILE: /dev/zero cannot be read' },
    ]);
  });

  test('has expired, or counts only later', async () => {
    const at = async (date: string) => {
      const world = { clock: { ...createClock(), now: () => new Date(date) } };
      const env = { SSL_CERT_FILE: join(TLS, 'loopback.crt') };
      return inArea(await doctor({ env, world }), 'certificates');
    };
    expect(await at('2200-01-01')).toMatchObject([
      {
        status: 'warn',
        message: expect.stringMatching(/\(1 certificate expired on 2126-.*loopback/),
      },
    ]);
    expect(await at('2020-01-01')).toMatchObject([
      { status: 'warn', message: expect.stringMatching(/\(1 certificate not valid before 2026-/) },
    ]);
  });
});

describe('chat doctor:', () => {
  for (const [name, options, area, finding] of found)
    test(name, async () => {
      const report = await doctor(options);
      expect(inArea(report, area)).toContainEqual(expect.objectContaining(finding));
      const broken = report.findings.some(({ status }) => status === 'fail');
      expect(report.code).toBe(broken ? 1 : 0);
    });

  test('one check that cannot be carried out does not hide the others', async () => {
    const files = { stat: async () => Promise.reject(new Error('no disk')) };
    const report = await doctor({ world: { files: files as never } });
    expect(inArea(report, 'terminal')).toHaveLength(1);
    expect(report.findings).toContainEqual({
      area: 'endpoint',
      status: 'fail',
      message: expect.stringContaining('cannot be looked at'),
    });
  });

  test('the key appears nowhere and nothing is sent to the provider', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const yaml = `backend: openai\nurl: http://127.0.0.1:${port}/v1\nmodel: x\nkey: KEY-mock-123\n`;
    const options = {
      env: { ASK_ENDPOINT: 'lab', OPENAI_API_KEY: 'KEY-mock-123' },
      files: { 'etc/AI/lab.yaml': yaml },
    };
    for (const argv of [['doctor'], ['doctor', '--json'], ['doctor', '--debug', '-v']]) {
      const { stdout, stderr } = await runCli(argv, options);
      expect(stdout + stderr).not.toContain('KEY-mock');
      expect(stdout).toContain('set in the file');
    }
    expect(requests).toBe(0);
  });

  test('as text, each line begins with its status, and colour only touches that', async () => {
    const options = { env: { ASK_ENDPOINT: 'local' } };
    const plain = await runCli(['doctor'], options);
    const coloured = await runCli(['doctor', '--color', 'always'], options);
    for (const line of plain.stdout.trimEnd().split('\n'))
      expect(line).toMatch(/^(?:ok {4}|warn {2}|fail {2}| {20}next: )\S/);
    expect(coloured.stdout).toMatch(/^\x1b\[32mok {2}\x1b\[0m/);
    expect(plain.code).toBe(1);
  });

  test('control characters of names are drawn, not obeyed', async () => {
    const { stdout } = await runCli(['doctor'], { env: { ASK_ENDPOINT: 'x\x1b[2J' } });
    expect(stdout).not.toContain('\x1b');
  });
});
