// The literals, --help, the manual pages and the tables say the same, and what they say can be run.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgsStringToArgv } from 'string-argv';
import { beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../commands/index.ts';
import { KNOWN_ROLES } from '../src/chat/roles.ts';
import { parseCall } from '../src/cli/arguments.ts';
import { EXIT_MEANINGS } from '../src/cli/exits.ts';
import { allOptions } from '../src/cli/globals.ts';
import { commandHelp, overview } from '../src/cli/help.ts';
import { manualPages } from '../src/cli/man.ts';
import { markdownReference } from '../src/cli/markdown.ts';
import { route } from '../src/cli/route.ts';
import type { CommandSpec } from '../src/cli/spec.ts';
import { TOPICS } from '../src/cli/topics.ts';
import { pageName, references } from '../src/cli/words.ts';
import { BACKENDS, PRESETS } from '../src/config/builtin.ts';
import { FIELDS } from '../src/config/endpoint-file.ts';
import { SETTINGS } from '../src/config/settings.ts';
import { EXIT } from '../src/errors.ts';
import { createWorld } from './helpers/run.ts';
import { reachable, readSources } from './helpers/sources.ts';

const packageFolder = join(import.meta.dirname, '..');
const manFolder = join(packageFolder, 'man');
const specs: CommandSpec[] = [];
let pages: ReadonlyMap<string, string>;

beforeAll(async () => {
  for (const row of commands) specs.push(await row.load());
  pages = await manualPages(commands, createWorld(packageFolder));
});

describe('each command', () => {
  for (const row of commands) {
    const name = row.path.join(' ');

    test(`${name}: path and summary stand in the table as in the literal`, async () => {
      const spec = await row.load();
      expect([spec.path, spec.summary]).toEqual([row.path, row.summary]);
    });

    test(`${name}: every summary is one line without a full stop`, async () => {
      const { summary, options, arguments: args } = await row.load();
      for (const text of [
        summary,
        ...options.map((each) => each.summary),
        ...args.map((each) => each.summary),
      ])
        expect(text).toMatch(/^\S(?:[^\n]*[^\s.])?$/);
    });

    test(`${name}: has two examples at least, and each is understood`, async () => {
      const { examples } = await row.load();
      expect(examples.length).toBeGreaterThanOrEqual(2);
      for (const { command } of examples) await expectUnderstood(command, name);
    });

    test(`${name}: no option is given twice`, async () => {
      const options = allOptions((await row.load()).options);
      for (const names of [
        options.map(({ long }) => long),
        options.flatMap(({ short }) => short ?? []),
      ])
        expect(names).toEqual([...new Set(names)]);
    });

    test(`${name}: --help is at most 80 columns wide and names every option`, async () => {
      const spec = await row.load();
      const help = commandHelp(spec);
      expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
      for (const { long } of allOptions(spec.options)) expect(help).toContain(`--${long}`);
    });
  }
});

/** What everybody types for it elsewhere (`tail -f`), and the letters that `prov` shares with scout-ai. */
const ELSEWHERE = new Set(['follow', 'component', 'flow', 'evidence', 'plot', 'long']);

test('one letter means the same option in every command', () => {
  const meanings = new Map<string, Set<string>>();
  for (const { long, short } of specs.flatMap(({ options }) => allOptions(options)))
    if (short !== undefined && !ELSEWHERE.has(long))
      meanings.set(short, (meanings.get(short) ?? new Set()).add(long));
  expect([...meanings].filter(([, longs]) => longs.size > 1)).toEqual([]);
});

test('every exit status is explained once', () => {
  expect(EXIT_MEANINGS.map(({ code }) => code)).toEqual(
    Object.values(EXIT).sort((one, other) => one - other),
  );
});

test('the manual pages are what "npm run man" writes', () => {
  const written = readdirSync(manFolder).filter((name) => /\.\d$/.test(name));
  expect(written.sort()).toEqual([...pages.keys()].sort());
  for (const name of written)
    expect(readFileSync(join(manFolder, name), 'utf8'), name).toBe(pages.get(name));
});

test('an installation brings every page', () => {
  const { man } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  expect([...man].sort()).toEqual([...pages.keys()].map((name) => `man/${name}`).sort());
});

test('every page that is referred to exists', () => {
  const known = [...pages.keys()].map((name) => name.replace(/\.(\d)$/, '($1)'));
  const referred = [...pages.values()].flatMap((text) =>
    [...text.matchAll(/\\fB(\S+?)\\fR\((\d)\)/g)].map(
      ([, name, section]) => `${name?.replaceAll('\\-', '-')}(${section})`,
    ),
  );
  expect(
    [...specs.flatMap(references), ...referred].filter((name) => !known.includes(name)),
  ).toEqual([]);
  expect(referred.length).toBeGreaterThan(commands.length);
});

test('every page of a command names all its options', () => {
  for (const spec of specs) {
    const page = pages.get(`${pageName(spec.path)}.1`);
    for (const { long } of allOptions(spec.options))
      expect(page).toContain(`\\-\\-${long.replaceAll('-', '\\-')}`);
  }
});

/** What stands in code letters in the first column of a page's tables. */
function listedIn(page: string): readonly string[] {
  return [...page.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell]) =>
    [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''),
  );
}

const handWritten = (name: string): string => readFileSync(join(manFolder, `${name}.md`), 'utf8');

test('the page of endpoints has every setting, and no other', () => {
  const listed = listedIn(handWritten('chat-endpoints.5'));
  expect([...listed].sort()).toEqual([...Object.keys(FIELDS), ...Object.keys(SETTINGS)].sort());
});

test('the page of endpoints names every backend', () => {
  const page = handWritten('chat-endpoints.5');
  expect(
    [...BACKENDS, ...Object.keys(PRESETS)].filter((name) => !page.includes(`\`${name}\``)),
  ).toEqual([]);
});

test('the page of the format names every role that has a meaning', () => {
  const page = handWritten('chat-format.5');
  expect(KNOWN_ROLES.filter((role) => !page.includes(`\`${role}\``))).toEqual([]);
});

test('the list of commands names every topic of the help', () => {
  const written = readdirSync(manFolder).flatMap(
    (file) => /^chat-(\w+)\.\d\.md$/.exec(file)?.[1] ?? [],
  );
  expect(TOPICS.map(([name]) => name).sort()).toEqual(written.sort());
  for (const [name] of TOPICS) expect(overview(commands)).toContain(`chat help ${name} `);
});

describe('the page of error codes', () => {
  const sources = readSources();
  const used = reachable('src/cli/entry.ts', sources);
  const code = sources.filter(({ path }) => used.has(path)).map((source) => source.code);
  const listed = listedIn(handWritten('chat-errors.7'));

  test('has every code that the program uses', () => {
    const thrown = code.flatMap((text) =>
      [
        ...text.matchAll(/\b(?:usage|config|work|provider|limit)Failure\(\s*'([a-z-]+)'/g),
        ...text.matchAll(/\bcode: [^,\n]*\?\? '([a-z-]+)'/g),
      ].map(([, name]) => name),
    );
    expect(thrown.length).toBeGreaterThan(50);
    expect(thrown.filter((name) => !listed.includes(name ?? ''))).toEqual([]);
  });

  test('has no code that the program does not use', () => {
    expect(listed.filter((name) => !code.some((text) => text.includes(`'${name}'`)))).toEqual([]);
    expect(listed).toEqual([...new Set(listed)]);
  });
});

test('groff renders every page without a warning', (context) => {
  if (spawnSync('groff', ['--version']).error) return context.skip('groff is not installed');
  for (const [name, text] of pages) {
    const { stderr, stdout } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-Kutf8'], {
      input: text,
      encoding: 'utf8',
    });
    expect([name, stderr]).toEqual([name, '']);
    // Bold is printed as a letter, a backspace and the letter again.
    expect(stdout.replace(/.\x08/g, '')).toContain('\nNAME\n');
  }
});

test('the reference in Markdown has a section for each command', () => {
  const text = markdownReference(specs);
  for (const { path } of specs) expect(text).toContain(`\n## ${pageName(path)}\n`);
});

/** The command of an example, cut out of the pipe that it may stand in, parses, and one of them is the command itself. */
async function expectUnderstood(command: string, name: string): Promise<void> {
  const parts = command
    .split(/\s(?:\||&&|;|>|<\(?)\s?|\)/)
    .map((part) => parseArgsStringToArgv(part.trim()));
  const own = parts
    .map((words) => words.slice(words.indexOf('chat') + 1))
    .filter((_, index) => parts[index]?.includes('chat'));
  const routes = own.map((argv) => route(argv, commands));
  for (const { row, rest } of routes) {
    expect(row, command).toBeDefined();
    if (row !== undefined) await parseCall(await row.load(), rest);
  }
  expect(
    routes.map(({ row }) => row?.path.join(' ')),
    command,
  ).toContain(name);
}
