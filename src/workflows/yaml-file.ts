// Reads a YAML file into plain values, and tells on which line each of them stands.

import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { configFailure, errorWords } from '../errors.ts';
import { bounded } from '../json.ts';
import type { Origin } from '../types.ts';

export interface YamlFile {
  readonly value: unknown;
  /** Where the key that the path leads to stands; of a path that leads nowhere, the last key that is there. */
  at(path: readonly string[]): Origin & { readonly file: string };
}

/** Throws a configuration Failure with file and line when the text is no YAML. */
export async function readYaml(source: string, file: string): Promise<YamlFile> {
  const lines = new LineCounter();
  const document = parseDocument(source, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const twice = problem.code === 'DUPLICATE_KEY';
    const key = source.slice(problem.pos[0]).split(/[:\n]/, 1)[0]?.trim();
    throw configFailure(
      'bad-workflow',
      twice
        ? `"${key}" stands twice here`
        : `the workflow is no valid YAML: ${sentence(problem.message)}`,
      {
        at: { file, line: lines.linePos(problem.pos[0]).line },
        next: twice
          ? 'rename or remove one of them'
          : 'put quotes around texts with ": ", "#" or "{" in them',
      },
    );
  }
  return {
    value: convert(() => bounded(document.toJS({ maxAliasCount: 100 })), file),
    at(path) {
      let node: unknown = document.contents;
      let start = 0;
      for (const key of path) {
        if (isMap(node)) {
          const pair = node.items.find(
            (item) => isScalar(item.key) && String(item.key.value) === key,
          );
          if (pair === undefined) break;
          start = isScalar(pair.key) ? (pair.key.range?.[0] ?? start) : start;
          node = pair.value;
        } else if (isSeq(node)) {
          const item: unknown = node.items[Number(key)];
          if (typeof item !== 'object' || item === null || !('range' in item)) break;
          start = Array.isArray(item.range) ? Number(item.range[0]) : start;
          node = item;
        } else break;
      }
      return { file, line: lines.linePos(start).line };
    },
  };
}

function convert(read: () => unknown, file: string): unknown {
  try {
    return read();
  } catch (error) {
    const message = errorWords(error);
    throw configFailure('bad-workflow', `the workflow is no valid YAML: ${sentence(message)}`, {
      at: { file, line: 1 },
      cause: error,
    });
  }
}

const sentence = (message: string): string => {
  const [line = ''] = message.split('\n', 1);
  return line.charAt(0).toLowerCase() + line.slice(1).replace(/[.:]$/, '');
};
