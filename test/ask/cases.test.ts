// Cases on disk: fixtures/ask/<case>/case.json says what is typed and what a server answers; expected.txt is what must come out.
// `UPDATE=1` writes expected.txt anew; read the difference before committing it.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type FakeServer, type Script, startFakeServer } from '../helpers/fake-server.ts';
import { runCli } from '../helpers/run.ts';

interface Case {
  /** A sentence. */
  readonly name: string;
  readonly args: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Answers of the server, in order; the last one repeats. SERVER in files and arguments is its address. */
  readonly server?: readonly Script[];
  /** Shown at the end of the expected text, to prove that nothing was lost. */
  readonly shows?: readonly string[];
}

const packageFolder = path.resolve(import.meta.dirname, '../..');
const root = path.join(packageFolder, 'fixtures/ask');
let server: FakeServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe('chat ask', () => {
  for (const folder of readdirSync(root).sort()) {
    const place = path.join(root, folder);
    const spec: Case = JSON.parse(readFileSync(path.join(place, 'case.json'), 'utf8'));
    it(`${folder}: ${spec.name}`, async () => {
      server = await startFakeServer(spec.server ?? [{ status: 500 }]);
      const address = server.url;
      const fill = (text: string) => text.replaceAll('SERVER', address);
      const result = await runCli(spec.args.map(fill), {
        files: { ...standardHome(address), ...readTree(path.join(place, 'files'), fill) },
        ...(spec.env === undefined ? {} : { env: spec.env }),
        ...(spec.stdin === undefined ? {} : { stdin: spec.stdin }),
      });
      const text = [
        `exit ${result.code}`,
        `requests ${server.requests.length}`,
        ...section('tools', toolsOf(server)),
        ...section('prompt of the last request', promptOf(server)),
        ...section('stdout', result.stdout),
        ...section('stderr', result.stderr),
        ...(spec.shows ?? []).flatMap((file) =>
          section(file, result.read(file) ?? '(no such file)\n'),
        ),
        '',
      ].join('\n');
      compare(
        path.join(place, 'expected.txt'),
        clean(
          text.replaceAll(`${result.folder}/`, '').replaceAll(packageFolder, 'PACKAGE'),
          address,
        ),
      );
    });
  }
});

/** An endpoint `fake` that leads to the server and loses no time between retries. */
function standardHome(address: string): Record<string, string> {
  return {
    'home/.scout/etc/AI/fake.yaml': `backend: openai\nurl: ${address}/v1\nmodel: fake-mini\nretry_max: 1\nretry_base: 0.001\n`,
  };
}

function readTree(folder: string, fill: (text: string) => string): Record<string, string> {
  if (!existsSync(folder)) return {};
  return Object.fromEntries(
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = path.join(entry.parentPath, entry.name);
        return [path.relative(folder, file), fill(readFileSync(file, 'utf8'))];
      }),
  );
}

function toolsOf(asked: FakeServer): string {
  const tools: { function: unknown }[] = asked.requests.at(-1)?.json?.tools ?? [];
  return tools.map((tool) => JSON.stringify(tool.function)).join('\n');
}

function promptOf(asked: FakeServer): string {
  const messages: unknown[] = asked.requests.at(-1)?.json?.messages ?? [];
  return messages.map((message) => JSON.stringify(message)).join('\n');
}

function section(name: string, text: string): string[] {
  return text === '' ? [] : [`--- ${name}`, text.replace(/\n$/, '')];
}

/** What differs from run to run. */
function clean(text: string, address: string): string {
  return (
    text
      .replaceAll(address, 'SERVER')
      .replaceAll(new URL(address).host, 'SERVER')
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, 'UUID')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
      .replace(/\bjob_[0-9a-f]{16}\b/g, 'job_ID')
      .replace(/\b[0-9a-f]{32}\b/g, 'DIGEST')
      // Newer versions of Node say this as well.
      .replace(/(in JSON at position \d+) \(line \d+ column \d+\)/g, '$1')
      .replace(/_[0-9a-f]{32}/g, '_DIGEST')
      .replace(/ in \d+(\.\d+)? s$/gm, ' in 0 s')
      .replace(/duration=[\d.]+/g, 'duration=0')
      // Which there are depends on what else this process asked before.
      .replace(/(?: [a-z]+_s=\d+)+/g, ' pt_s=0 ct_s=0 tt_s=0 cct_s=0')
  );
}

function compare(file: string, text: string): void {
  if (process.env.UPDATE === '1') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}
