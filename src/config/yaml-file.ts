// Reads a YAML file that must be a mapping, and tells on which line each of its keys stands. A module of its own: the reader is large.

import { LineCounter, parseDocument } from 'yaml';
import { configFailure, errorWords } from '../errors.ts';
import { bounded, isObject } from '../json.ts';

export interface YamlFile {
  readonly values: Readonly<Record<string, unknown>>;
  /** Line of a key at the top, from 1 on. */
  lineOf(key: string): number;
}

/** The mapping of a file of that kind; an empty text is an empty one. What is no YAML or no mapping: a configuration Failure (exit 3) with file and line. */
export function parseYaml(source: string, path: string, kind = 'endpoint file'): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(source, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
  });
  // What is never closed is noticed after the end, where there is no line to look at.
  const lastLine = source.trimEnd().split('\n').length;
  const [problem] = document.errors;
  if (problem !== undefined)
    throw configFailure('bad-yaml', `the ${kind} is no valid YAML: ${firstLine(problem.message)}`, {
      at: { file: path, line: Math.min(lines.linePos(problem.pos[0]).line, lastLine) },
      next: 'write one `key: value` a line; put quotes around values with `: ` or `#` in them',
    });
  const values: unknown =
    plain(() => bounded(document.toJS({ maxAliasCount: 100 })), path, kind) ?? {};
  if (!isObject(values))
    throw configFailure('bad-endpoint', `the ${kind} is no mapping of keys to values`, {
      at: { file: path, line: 1 },
      next: 'write one `key: value` a line, such as `backend: openai`',
    });
  const lineOf = (key: string): number => {
    const contents: unknown = document.contents;
    const items = isItems(contents) ? contents.items : [];
    const start = items.find((item) => item.key?.value === key)?.key?.range?.[0];
    return start === undefined ? 1 : lines.linePos(start).line;
  };
  return { values, lineOf };
}

interface Items {
  readonly items: readonly {
    readonly key?: { readonly value?: unknown; readonly range?: readonly number[] | null } | null;
  }[];
}

const isItems = (contents: unknown): contents is Items =>
  isObject(contents) && Array.isArray(contents.items);

function plain(convert: () => unknown, path: string, kind: string): unknown {
  try {
    return convert();
  } catch (error) {
    const why = errorWords(error);
    throw configFailure('bad-yaml', `the ${kind} is no valid YAML: ${firstLine(why)}`, {
      at: { file: path, line: 1 },
      cause: error,
    });
  }
}

const firstLine = (message: string): string =>
  message.split('\n', 1)[0]?.replace(/[.:]$/, '') ?? '';
