import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_MODEL } from '../../src/models/catalogue.ts';
import { startFakeServer } from '../helpers/fake-server.ts';
import { runCli } from '../helpers/run.ts';
import { ggufHeader } from '../helpers/wheel.ts';

const place = 'home/.local/share/scout/share/models';

describe('chat model list', () => {
  it('works with nothing installed', async () => {
    const { code, stdout, stderr } = await runCli(['model', 'list']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^NAME +SIZE +LICENCE +STATE +FILE$/);
    expect(lines[1]).toMatch(
      new RegExp(`^${DEFAULT_MODEL} +98\\.4 MB +Apache-2\\.0 +not pulled \\(default\\) +-$`),
    );
    expect(lines.at(-1)).toMatch(
      /^runtime: node-llama-cpp 3\.21\.1 .*not installed \("chat model pull" installs it\)$/,
    );
  });

  it('shows files that were put into the folder, with control characters made visible', async () => {
    const { stdout } = await runCli(['model', 'list'], {
      files: {
        [`${place}/my\u001b[31m.gguf`]: ggufHeader(3, 0, 0),
        [`${place}/${DEFAULT_MODEL}.gguf`]: 'half',
      },
    });
    expect(stdout).toContain('damaged (default)');
    expect(stdout).toMatch(/my.*\[31m +24 bytes +- +pulled/);
    expect(stdout).not.toContain('\u001b');
  });

  it('prints JSON for a script', async () => {
    const { stdout, folder } = await runCli(['model', 'list', '--json'], {
      files: { [`${place}/mine.gguf`]: ggufHeader(3, 0, 0) },
    });
    expect(JSON.parse(stdout.replaceAll('"home/', `"${folder}/home/`))).toMatchObject({
      folder: `${folder}/${place}`,
      models: [
        {
          name: DEFAULT_MODEL,
          state: 'not pulled',
          default: true,
          license: 'Apache-2.0',
          size: 98_362_432,
        },
        { name: 'mine', state: 'pulled', default: false, path: `${folder}/${place}/mine.gguf` },
      ],
      runtime: { version: '3.21.1', kind: 'missing' },
    });
  });

  it('asks an endpoint for its models', async () => {
    const server = await startFakeServer({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: [{ id: 'small' }, { id: 'large' }] }),
    });
    onTestFinished(() => server.close());
    const files = { 'etc/AI/here.yaml': `backend: openai\nurl: ${server.url}/v1\n` };
    const { code, stdout } = await runCli(['model', 'list', '-e', 'here'], { files });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'small\nlarge\n' });
    const json = await runCli(['model', 'list', '-e', 'here', '--json'], { files });
    expect(JSON.parse(json.stdout)).toEqual([{ id: 'small' }, { id: 'large' }]);
  });

  it('lists the pulled models as those of the embedded endpoint', async () => {
    const files = { [`${place}/mine.gguf`]: ggufHeader(3, 0, 0) };
    const { stdout } = await runCli(['model', 'list', '-e', 'local'], { files });
    expect(stdout).toBe('mine\n');
  });
});

describe('chat model pull', () => {
  const rows: readonly { name: string; argument: string; says: RegExp }[] = [
    {
      name: 'an unknown name',
      argument: 'nothing',
      says: /there is no model "nothing".*\n.*name one of: SmolLM2/,
    },
    {
      name: 'a path',
      argument: './a.gguf',
      says: /is a path.*\n.*chat ask -b local -m \.\/a\.gguf/,
    },
  ];
  for (const { name, argument, says } of rows)
    it(`refuses ${name} as wrong use`, async () => {
      const { code, stdout, stderr } = await runCli(['model', 'pull', argument]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(says);
    });

  it('says what is missing when there is no npm, and changes nothing', async () => {
    const { code, stdout, stderr, read } = await runCli(['model', 'pull'], {
      env: { PATH: '/nonexistent' },
    });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/npm cannot be started.*\n.*next: put npm on the PATH/);
    expect(read(`${place}/${DEFAULT_MODEL}.gguf`)).toBeUndefined();
  });
});

describe('asking the embedded model', () => {
  it('says how to get it when it is not there', async () => {
    const { code, stderr } = await runCli(['ask', '-e', 'local', 'Hello']);
    expect(code).toBe(3);
    expect(stderr).toContain(`the model "${DEFAULT_MODEL}" is not pulled yet`);
    expect(stderr).toContain(`next: chat model pull ${DEFAULT_MODEL}`);
  });

  it('says how to get the runtime when only that is missing', async () => {
    const { code, stderr } = await runCli(['ask', '-e', 'local', '-m', 'mine', 'Hello'], {
      files: { [`${place}/mine.gguf`]: ggufHeader(3, 0, 0) },
    });
    expect(code).toBe(3);
    expect(stderr).toContain('the runtime of the embedded models is not installed');
    expect(stderr).toContain('next: chat model pull');
  });

  it('shows what it would get without loading anything', async () => {
    const { code, stdout } = await runCli(['compile', '--wire', 'a.chat'], {
      files: {
        'a.chat':
          'endpoint: local\n\noption: temperature 0.5\n\nsystem:\n\nBe brief.\n\nuser:\n\nHello\n',
      },
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      model: DEFAULT_MODEL,
      history: [
        { type: 'system', text: 'Be brief.' },
        { type: 'user', text: 'Hello' },
      ],
      options: { sampling: { temperature: 0.5 } },
    });
  });
});
