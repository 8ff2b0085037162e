// The rules of src/README.md that a program can check: who imports whom, who may touch the machine, how long a file gets.

import { relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Edge, edges, readSources } from './helpers/sources.ts';

/** First pattern that matches gives the layer; `uses` names the layers that it may import besides itself. */
const LAYERS: readonly { name: string; files: RegExp; uses: readonly string[] }[] = [
  {
    name: 'types',
    files: /^src\/(?:types|errors|json|lists|nearest|\w+\/types(?:\/[\w-]+)?)\.ts$/,
    uses: [],
  },
  { name: 'chat', files: /^src\/chat\//, uses: ['types'] },
  { name: 'config', files: /^src\/config\//, uses: ['types'] },
  { name: 'terminal', files: /^src\/terminal\//, uses: ['types'] },
  { name: 'workflows', files: /^src\/workflows\//, uses: ['types', 'config'] },
  { name: 'store', files: /^src\/store\//, uses: ['types', 'config'] },
  {
    name: 'knowledge',
    files: /^src\/knowledge\//,
    uses: ['types', 'config', 'terminal'],
  },
  {
    name: 'tools',
    files: /^src\/tools\//,
    uses: ['types', 'chat', 'config', 'knowledge', 'workflows', 'store'],
  },
  {
    name: 'task',
    files: /^src\/task\//,
    uses: ['types', 'terminal', 'workflows', 'store', 'command texts'],
  },
  { name: 'prov', files: /^src\/prov\//, uses: ['types', 'chat', 'config', 'terminal', 'store'] },
  { name: 'models', files: /^src\/models\//, uses: ['types'] },
  { name: 'backends', files: /^src\/backends\//, uses: ['types', 'chat', 'models'] },
  {
    name: 'ask',
    files: /^src\/ask\//,
    uses: ['types', 'chat', 'config', 'terminal', 'workflows', 'backends', 'models', 'tools'],
  },
  {
    name: 'agents',
    files: /^src\/agents\//,
    uses: ['types', 'chat', 'config', 'terminal', 'backends', 'workflows', 'prov', 'ask'],
  },
  {
    name: 'serve',
    files: /^src\/serve\//,
    uses: ['types', 'config', 'terminal', 'workflows', 'store', 'tools', 'task'],
  },
  {
    name: 'doctor',
    files: /^src\/doctor\//,
    uses: ['types', 'config', 'models'],
  },
  {
    name: 'command line',
    files: /^src\/cli\/(?:main|entry|overview)\.ts$/,
    uses: ['types', 'terminal', 'command texts', 'commands', 'world'],
  },
  {
    name: 'workers',
    files: /^src\/cli\/(?:log-reader|seen-check)\.ts$/,
    uses: ['prov', 'world'],
  },
  { name: 'command texts', files: /^src\/cli\//, uses: ['types', 'terminal'] },
  {
    name: 'commands',
    files: /^commands\//,
    uses: [
      'types',
      'chat',
      'config',
      'terminal',
      'backends',
      'models',
      'ask',
      'workflows',
      'store',
      'tools',
      'task',
      'knowledge',
      'prov',
      'agents',
      'serve',
      'doctor',
      'command texts',
    ],
  },
  { name: 'world', files: /^src\/world\//, uses: ['types'] },
  {
    name: 'library',
    files: /^src\/index\.ts$/,
    uses: ['types', 'chat', 'workflows', 'agents', 'prov', 'world'],
  },
];

/** The only files outside src/world that enter it. */
const WORLD_DOORS = [
  'src/cli/entry.ts',
  'src/cli/log-reader.ts',
  'src/cli/seen-check.ts',
  'src/index.ts',
];

/** What reaches the machine, and the only files outside src/world that may: the embedded model reads weights and archives itself. */
const MACHINE =
  /^(?:node:(?:fs|child_process|net|http2?|https|tls|dns|dgram|process|worker_threads|tty|readline)(?:\/.*)?|undici)$/;
const MACHINE_DOORS =
  /^src\/(?:world\/|cli\/(?:log-reader|seen-check)\.ts$|models\/(?:disk|llama|loading|threads)\.ts$)/;
const PROCESS_DOORS = /^src\/(?:world\/|cli\/entry\.ts$)/;

const sources = readSources();

describe('imports', () => {
  test('every file belongs to a layer', () => {
    expect(
      sources.filter(({ path }) => layerOf(path) === undefined).map(({ path }) => path),
    ).toEqual([]);
  });

  test('every import points to the same layer or to one that it may use', () => {
    const wrong = edges(sources).filter(({ from, to }) => {
      const here = layerOf(from);
      const there = layerOf(to)?.name;
      return here?.name !== there && !here?.uses.includes(there ?? '');
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test('only the entry points enter the real world', () => {
    const wrong = edges(sources).filter(
      ({ from, to }) =>
        layerOf(to)?.name === 'world' &&
        layerOf(from)?.name !== 'world' &&
        !WORLD_DOORS.includes(from),
    );
    expect(wrong.map(show)).toEqual([]);
  });

  // Types, and what is imported on demand, may point back.
  test('no file imports itself through others', () => {
    expect(cycles(edges(sources).filter(({ kind }) => kind === 'static'))).toEqual([]);
  });

  test('no folder of src leads back to itself through others, types included', () => {
    expect(cycles(folderEdges())).toEqual([]);
  });

  test('relative imports name an existing file with its ending', () => {
    const known = new Set(sources.map(({ path }) => path));
    expect(
      edges(sources)
        .filter(({ to }) => !known.has(to))
        .map(show),
    ).toEqual([]);
  });
});

describe('the machine', () => {
  test('only src/world imports what reaches it', () => {
    const wrong = sources
      .filter(({ path }) => !MACHINE_DOORS.test(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ target }) => MACHINE.test(target))
          .map(({ target }) => `${path} → ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  test('only src/world and the entry touch the process', () => {
    expect(matching(/(?<![.\w$'"`-])process\s*[.[]|globalThis\.process/, PROCESS_DOORS)).toEqual(
      [],
    );
  });

  test('nothing fetches by itself or writes to the console', () => {
    expect(matching(/(?<![.\w$])fetch\(|(?<![.\w$])console\./, /^$/)).toEqual([]);
  });
});

describe('files', () => {
  test('no default exports', () => {
    expect(matching(/^export default\b|^export\s*\{[^}]*\bas default\b/m, /^$/)).toEqual([]);
  });

  test('each opens with a comment that says what it does', () => {
    expect(
      sources.filter(({ lines }) => !lines[0]?.startsWith('// ')).map(({ path }) => path),
    ).toEqual([]);
  });

  test('none is longer than 250 lines', () => {
    const long = sources.filter(({ lines }) => lines.length > 250);
    expect(long.map(({ path, lines }) => `${path}: ${lines.length} lines`)).toEqual([]);
  });
});

function layerOf(path: string) {
  return LAYERS.find(({ files }) => files.test(path));
}

const show = ({ from, to }: Edge): string => `${from} → ${to}`;

function matching(pattern: RegExp, except: RegExp): readonly string[] {
  return sources
    .filter(({ path, code }) => !except.test(path) && pattern.test(code))
    .map(({ path }) => path);
}

/** What is imported on demand counts here as well: a folder is a part of the program, whenever it is loaded. */
function folderEdges(): readonly Pick<Edge, 'from' | 'to'>[] {
  const folder = (path: string) => /^src\/\w+(?=\/)/.exec(path)?.[0];
  return edges(sources).flatMap(({ from, to }) => {
    const [here, there] = [folder(from), folder(to)];
    return here === undefined || there === undefined || here === there
      ? []
      : [{ from: here, to: there }];
  });
}

/** Each way that leads back to where it began. */
function cycles(arrows: readonly Pick<Edge, 'from' | 'to'>[]): readonly string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of arrows) next.set(from, (next.get(from) ?? new Set()).add(to));
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path))
      found.push(
        [...trail.slice(trail.indexOf(path)), path]
          .map((each) => relative('src', each))
          .join(' → '),
      );
    if (done.has(path) || trail.includes(path)) return;
    for (const each of next.get(path) ?? []) visit(each, [...trail, path]);
    done.add(path);
  };
  for (const path of next.keys()) visit(path, []);
  return found;
}
