// What the bundler found wrong with a workflow file, as a Failure with file and line.

import * as path from 'node:path';
import type { BuildFailure, Message } from 'esbuild';
import { configFailure, Failure } from '../errors.ts';

/** A configuration Failure with the first problem's file and line; any other error as it is. */
export function explainBuild(error: unknown, file: string): unknown {
  const { errors } = error as Partial<BuildFailure>;
  if (error instanceof Failure || !Array.isArray(errors)) return error;
  const [first, ...rest] = errors as readonly Message[];
  const text = first === undefined ? String(error) : first.text;
  const missing = /^Could not resolve "([^"]+)"/.exec(text)?.[1];
  return configFailure('bad-workflow', `cannot read the workflow: ${lower(text)}`, {
    at: placeOf(first, file),
    detail: [
      ...(first?.location?.lineText === undefined ? [] : [asWritten(first.location.lineText)]),
      ...rest
        .slice(0, 3)
        .map(
          (each) =>
            `also ${placeOf(each, file).file}:${placeOf(each, file).line}: ${lower(each.text)}`,
        ),
    ],
    ...(missing === undefined ? {} : { next: nextForMissing(missing) }),
    cause: error,
  });
}

/** Throws a configuration Failure for two tasks of one name: the language would take the last without a word. */
export function refuseDoubles(warnings: readonly Message[], file: string): void {
  const double = warnings.find(({ id }) => id === 'duplicate-object-key');
  if (double === undefined) return;
  const [, key = ''] = /"(.*)"/.exec(double.text) ?? [];
  throw configFailure('bad-workflow', `"${key}" stands twice here`, {
    at: placeOf(double, file),
    next: 'rename or remove one of them',
  });
}

function placeOf(problem: Message | undefined, file: string): { file: string; line: number } {
  const { location } = problem ?? {};
  if (location === undefined || location === null) return { file, line: 1 };
  return { file: path.resolve(path.dirname(file), location.file), line: location.line };
}

/** A first line without what stands before it for the bundler alone. */
const asWritten = (line: string): string =>
  line.replace(/^(?:const __source(?:Url|File|Folder)="(?:[^"\\]|\\.)*";){3}/, '').trim();

const nextForMissing = (name: string): string =>
  name.startsWith('.')
    ? 'check the path and its ending'
    : `install it beside the workflow: npm install ${name}`;

const lower = (text: string): string =>
  text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '').replaceAll('"own:', '"');
