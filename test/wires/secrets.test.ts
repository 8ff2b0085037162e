// A planted key is found nowhere: not in what is printed, not in any file that is left, whatever a server tells.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toScenario } from '../fake/scenario.ts';
import { startFake } from '../fake/server.ts';
import type { WireName } from '../fake/types.ts';
import { type FakeServer, startFakeServer } from '../helpers/fake-server.ts';
import { type Tree, temporaryFolder } from '../helpers/folder.ts';
import { runCli } from '../helpers/run.ts';
import { WIRE_NAMES } from './home.ts';
import { LEAKS } from './leaky.ts';

const KEY = 'sk-plant/7f3aQ+Zx9=';
/** The key's beginning too: half of a key is told as soon as a text is cut before it is cleaned. */
const NEEDLES = ['sk-plant', '7f3aQ', Buffer.from(KEY).toString('base64').slice(0, 12)];

interface Planted {
  readonly fields: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** On the base address. */
  readonly url?: (url: string) => string;
  /** Files that hold the key, and may. */
  readonly holders?: Tree;
}

/** Where people put keys. */
const PLACES: Readonly<Record<string, (folder: string) => Planted>> = {
  'the environment': () => ({ fields: { key: '$SOME_KEY' }, env: { SOME_KEY: KEY } }),
  'a variable that is named': () => ({ fields: { key_env: 'SOME_KEY' }, env: { SOME_KEY: KEY } }),
  'the endpoint file': () => ({ fields: { key: KEY } }),
  'the output of a command': (folder) => ({
    fields: { key_cmd: `cat ${folder}/key.txt` },
    holders: { 'key.txt': `${KEY}\n` },
  }),
  'a header': () => ({
    fields: { headers: JSON.stringify({ 'x-auth-token': KEY }), key: 'other-key' },
  }),
  'the query of the address': () => ({
    fields: { key: 'other-key' },
    url: (url) => `${url}?api_key=${encodeURIComponent(KEY)}`,
  }),
  'the address before the host': () => ({
    fields: {},
    url: (url) => url.replace('://', `://me:${encodeURIComponent(KEY)}@`),
  }),
};

/** Several at once, where each alone would take long. */
const MIXED: readonly (() => Planted)[] = [
  () => ({
    fields: { key: '$SOME_KEY', headers: JSON.stringify({ 'x-auth-token': KEY }) },
    env: { SOME_KEY: KEY },
    url: (url) => `${url}?api_key=${encodeURIComponent(KEY)}`,
  }),
  () => ({ fields: { key: KEY } }),
];

/** Everything below a folder but the files that may hold the key, and what was printed. */
function leaks(
  folder: string,
  allowed: readonly string[],
  printed: string,
  needles: readonly string[] = NEEDLES,
): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((file) => !allowed.includes(file));
  const texts = [
    ['what was printed', printed] as const,
    ...files.map((file) => [file, readFileSync(path.join(folder, file), 'latin1')] as const),
    ...files.map((file) => ['a file name', file] as const),
  ];
  return texts.flatMap(([name, text]) =>
    needles
      .filter((needle) => text.includes(needle))
      .map(
        (needle) => `${name}: …${text.slice(Math.max(0, text.indexOf(needle) - 60)).slice(0, 120)}`,
      ),
  );
}

interface Site {
  readonly folder: string;
  readonly allowed: readonly string[];
  run(...args: readonly string[]): Promise<number>;
  printed(): string;
}

const ENDPOINT = 'home/.scout/etc/AI/it.yaml';

const FILES: Tree = {
  'workflows/Look.yaml':
    'tasks:\n  look:\n    inputs:\n      key: {type: string}\n    command: ["printf", "found %s", "{{key}}"]\n',
  'c.chat': 'tool: Look\n\nuser: Look.\n',
  'd.chat': 'user: Look.\n',
};

/** A folder whose endpoint `it` leads to the base address, with the key in that place. */
function siteOf(
  base: string,
  wireFields: Readonly<Record<string, string>>,
  place: (folder: string) => Planted,
): Site {
  const secretFolder = temporaryFolder();
  const planted = place(secretFolder);
  const { fields, env = {}, url = (same: string) => same, holders = {} } = planted;
  const folder = temporaryFolder(FILES);
  for (const [name, text] of Object.entries(holders))
    temporaryFile(secretFolder, name, String(text));
  const all = { ...wireFields, url: url(base), retry_max: '1', retry_base: '0.01', ...fields };
  const yaml = Object.entries(all).map(([name, value]) => `${name}: ${value}\n`);
  const allowed = fields.key === KEY || url(base) !== base || fields.headers !== undefined;
  let printed = '';
  let files: Tree = { [ENDPOINT]: yaml.join('') };
  return {
    folder,
    allowed: allowed ? [ENDPOINT] : [],
    async run(...args) {
      const { code, stdout, stderr } = await runCli(args, { folder, files, env });
      files = {};
      printed += `\n$ chat ${args.join(' ')}\n${stdout}${stderr}`;
      return code;
    },
    printed: () => printed,
  };
}

function temporaryFile(folder: string, name: string, text: string): void {
  writeFileSync(path.join(folder, name), text, { mode: 0o600 });
}

async function closing<Server extends FakeServer>(server: Promise<Server>): Promise<Server> {
  const started = await server;
  onTestFinished(() => started.close());
  return started;
}

const SCENARIO = toScenario([
  { thinking: 'Look first.', calls: [{ name: 'look', arguments: { key: 'a' } }] },
  { thinking: 'There.', text: 'It is there.' },
]);

const baseOf = (wire: WireName, url: string): string =>
  wire === 'openai' || wire === 'responses' ? `${url}/v1` : url;

describe('a key is told nowhere', () => {
  for (const wire of WIRE_NAMES)
    for (const [name, place] of Object.entries(PLACES))
      it(`${wire}, from ${name}: by commands that go well`, async () => {
        const fake = await closing(startFake(wire, { ...SCENARIO, key: false }));
        const site = siteOf(baseOf(wire, fake.url), { backend: wire, model: 'fake' }, place);
        const ask = ['ask', '-e', 'it', '-v'];
        const codes = [
          await site.run(...ask, '--record', 'r.jsonl', '--events', 'e.jsonl', 'c.chat'),
          await site.run(...ask, '--json', '-o', 'temperature=0', 'Again?'),
          await site.run(...ask, '-d', 'Dry?'),
          await site.run('compile', '--wire', '-e', 'it', 'd.chat'),
          await site.run('endpoint', 'list', '-v'),
          await site.run('endpoint', 'list', '--json'),
          await site.run('endpoint', 'test', 'it', '--json'),
          await site.run('model', 'list', '-e', 'it', '-v'),
          await site.run('doctor', '-v'),
          await site.run('prov', 'c.chat', '-v'),
        ];
        expect(codes.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
        // The key did go out, or nothing is proven.
        const sent = fake.requests.map(({ headers, path: at }) => JSON.stringify([headers, at]));
        expect(NEEDLES.some((needle) => sent.join('\n').includes(needle))).toBe(true);
        expect(leaks(site.folder, site.allowed, site.printed())).toEqual([]);
      });

  for (const wire of WIRE_NAMES)
    for (const [name, leak] of Object.entries(LEAKS))
      it(`${wire}: by ${name}`, async () => {
        const elsewhere = await closing(startFakeServer({ status: 418, body: 'caught' }));
        for (const place of MIXED) {
          const server = await closing(
            startFakeServer((request) => leak(wire, request, elsewhere.url)),
          );
          const fields = { backend: wire, model: 'fake' };
          const site = siteOf(baseOf(wire, server.url), fields, place);
          const ask = ['ask', '-e', 'it', '-v', '--debug', '-o', 'temperature=0'];
          const codes = [
            await site.run(...ask, '--record', 'r.jsonl', '--events', 'e.jsonl', 'c.chat'),
            await site.run(...ask, '--json', 'Again?'),
            await site.run('endpoint', 'test', 'it'),
            await site.run('endpoint', 'test', 'it', '--json'),
            await site.run('model', 'list', '-e', 'it', '-v'),
          ];
          expect(codes.every((code) => code !== 0)).toBe(true);
          expect(server.requests.length).toBeGreaterThan(0);
          expect(leaks(site.folder, site.allowed, site.printed())).toEqual([]);
        }
        const caught = elsewhere.requests.map(({ headers, path: at }) =>
          JSON.stringify([headers, at]),
        );
        expect(caught.filter((text) => NEEDLES.some((needle) => text.includes(needle)))).toEqual(
          [],
        );
      });
});

describe('what is sent is told by nothing of ours', () => {
  const HEADER = 'planted-header-1';
  const QUESTION = 'Which planted-question-1?';
  for (const wire of WIRE_NAMES)
    it(`${wire}: headers and questions stand only where they were put`, async () => {
      const replies = toScenario({
        key: false,
        refuse: [
          { field: 'temperature', error: "'temperature' is not supported with this model" },
          { field: 'options.temperature', error: "'temperature' is not supported" },
        ],
        replies: [
          { status: 503, error: 'overloaded' },
          { thinking: 'Hm.', calls: [{ name: 'look', arguments: { key: 'a' } }] },
          { text: 'There.' },
        ],
      });
      const fake = await closing(startFake(wire, replies));
      const fields = { backend: wire, model: 'fake', key: '$SOME_KEY', thinking: 'low' };
      const site = siteOf(baseOf(wire, fake.url), fields, () => ({
        fields: { headers: JSON.stringify({ 'x-team': HEADER }) },
        env: { SOME_KEY: KEY },
      }));
      const ask = ['ask', '-e', 'it', '-v', '--debug'];
      await site.run(...ask, '-o', 'temperature=0', '--events', 'e.jsonl', 'c.chat', QUESTION);
      await site.run(...ask, '--events', 'f.jsonl', QUESTION);
      await site.run('endpoint', 'test', 'it', '-v');
      await site.run('endpoint', 'list', '-v');
      await site.run('doctor', '-v');
      expect(fake.requests.at(-1)?.headers['x-team']).toBe(HEADER);
      expect(fake.turns.map(({ request }) => request.body).join('')).toContain(QUESTION);
      // The chat file, and the command line that this test itself writes down.
      const printed = site.printed().replace(/^\$ chat .*$/gm, '');
      const needles = [...NEEDLES, HEADER, 'planted-question'];
      expect(leaks(site.folder, [ENDPOINT, 'c.chat'], printed, needles)).toEqual([]);
      // What was learned is kept, so that it was looked at too.
      const learned = readdirSync(site.folder, { recursive: true, encoding: 'utf8' });
      const files = learned.filter((file) => /endpoints\/[0-9a-f]+\.json$/.test(file));
      expect(files.length > 0).toBe(wire === 'openai' || wire === 'responses');
    });
});
