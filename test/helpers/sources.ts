// The sources of the program as a test sees them: their text, and which file imports which.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export interface Import {
  /** Path from the root of the project, or the name of a package. */
  readonly target: string;
  readonly kind: 'static' | 'type' | 'dynamic';
}

export interface Source {
  readonly path: string;
  readonly lines: readonly string[];
  /** Without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly kind: Import['kind'];
}

/** Every TypeScript file of the program, tests aside. */
export function readSources(): readonly Source[] {
  return [...typescriptBelow('src'), ...typescriptBelow('commands')].map(readSource);
}

/** Every import of one file of the program by another. */
export function edges(sources: readonly Source[]): readonly Edge[] {
  return sources.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => /^(?:src|commands)\//.test(target))
      .map(({ target, kind }) => ({ from: path, to: target, kind })),
  );
}

/** The files that are loaded with one, sooner or later. */
export function reachable(from: string, sources: readonly Source[]): ReadonlySet<string> {
  const all = edges(sources);
  const found = new Set([from]);
  for (const path of found)
    for (const edge of all) if (edge.from === path && edge.kind !== 'type') found.add(edge.to);
  return found;
}

const IMPORT =
  /^\s*(?:import|export)\s(type\s)?[^;'"]*?from\s*'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'/gm;

function typescriptBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .sort();
}

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const code = text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
  return { path, lines: text.trimEnd().split('\n'), code, imports: importsOf(code, dirname(path)) };
}

function importsOf(code: string, folder: string): readonly Import[] {
  return [...code.matchAll(IMPORT)].map(([, type, from, bare, dynamic]) => {
    const name = from ?? bare ?? dynamic ?? '';
    return {
      target: name.startsWith('.') ? join(folder, name) : name,
      kind: dynamic !== undefined ? 'dynamic' : type !== undefined ? 'type' : 'static',
    };
  });
}
