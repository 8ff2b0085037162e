// Where in the source something stands that happened in a bundled module: stacks and lines are led back through its source map.

import { SourceMap, type SourceMapPayload } from 'node:module';
import * as path from 'node:path';
import type { Origin } from '../types.ts';

export interface Places {
  /** The stack with the places of the source; the bundle's own name is nowhere in it. */
  inSource(stack: string): string;
  /** The first place in a stack that lies in the source. */
  first(stack: string): Origin | undefined;
  /** The line below a place where these keys stand, one after the other; the place itself when they are not found. */
  find(from: Origin | undefined, keys: readonly string[]): Origin;
}

/**
 * Places of the module that was imported as `url`; `code` is its text with the map at its end. Sources are named from `folder`. Lazy:
 * the map is read when the first place is asked for.
 */
export function sourcePlaces(url: string, code: string, folder: string, entry: string): Places {
  const escaped = url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const frame = () => new RegExp(`${escaped}:(\\d+)(?::(\\d+))?`, 'g');
  let read: { map: SourceMap; payload: SourceMapPayload } | undefined;
  const mapped = () => {
    read ??= readMap(code);
    return read;
  };
  const placeOf = (
    line: string | undefined,
    column: string | undefined,
  ): (Origin & { column: number }) | undefined => {
    const found = mapped()?.map.findEntry(Number(line) - 1, Math.max(0, Number(column ?? 1) - 1));
    if (found === undefined || !('originalSource' in found)) return undefined;
    const file = path.resolve(folder, found.originalSource);
    return { file, line: found.originalLine + 1, column: found.originalColumn + 1 };
  };
  const textOf = (file: string): string => {
    const { sources = [], sourcesContent = [] } = mapped()?.payload ?? {};
    return sourcesContent[sources.findIndex((each) => path.resolve(folder, each) === file)] ?? '';
  };
  return {
    inSource: (stack) =>
      stack.replace(frame(), (all, line, column) => {
        const place = placeOf(line, column);
        return place === undefined ? all : `${place.file}:${place.line}:${place.column}`;
      }),
    first(stack) {
      for (const [, line, column] of stack.matchAll(frame())) {
        const place = placeOf(line, column);
        if (place?.file !== undefined) return { file: place.file, line: place.line };
      }
      return undefined;
    },
    find(from, keys) {
      const start = from ?? { file: entry, line: 1 };
      return { ...start, line: lineOf(textOf(start.file ?? entry), start.line, keys) };
    },
  };
}

const MAP = '//# sourceMappingURL=data:';

function readMap(code: string): { map: SourceMap; payload: SourceMapPayload } | undefined {
  const start = code.lastIndexOf(MAP);
  if (start < 0) return undefined;
  const base64 = code.slice(code.indexOf(',', start) + 1).split('\n', 1)[0] ?? '';
  const payload = JSON.parse(Buffer.from(base64, 'base64').toString()) as SourceMapPayload;
  return { map: new SourceMap(payload), payload };
}

/** Keys of an object literal are looked for one below the other; the last that is found counts. */
function lineOf(source: string, start: number, keys: readonly string[]): number {
  const lines = source.split('\n');
  let line = start;
  for (const key of keys) {
    const escaped = key.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const pattern = new RegExp(`(?<![\\w$.])['"]?${escaped}['"]?\\s*[:(,]`);
    const index = lines.findIndex((text, at) => at >= line - 1 && pattern.test(text));
    if (index >= 0) line = index + 1;
  }
  return line;
}
