// Reads what stands before the first row of a table. Never reads the rows.

import { Failure, usageFailure } from '../errors.ts';
import type { Files } from '../world/types/files.ts';
import { optionPairs, tableOptions } from './options.ts';
import type { TableHeader } from './types.ts';

const FIRST = 64 * 1024;
const MOST = 16 * 1024 * 1024;

/** Rejects with a usage Failure, at its line, for a file that is no table, and for one without anything in it. */
export async function readHeader(
  file: string,
  files: Pick<Files, 'readStart' | 'stat'>,
  sep?: string,
): Promise<TableHeader> {
  await checkKind(file, files);
  for (let limit = FIRST; ; limit *= 8) {
    const bytes = await files.readStart(file, limit);
    checkText(bytes, file);
    const isWhole = bytes.length < limit;
    const text = new TextDecoder().decode(bytes);
    checkLineEnds(text, file);
    const lines = leadingLines(text, isWhole);
    if (lines !== undefined) return headerOf(lines, file, sep);
    if (limit >= MOST)
      throw usageFailure('bad-table', `what stands before the first row is longer than 16 MB`, {
        at: { file, line: 1 },
      });
  }
}

async function checkKind(file: string, files: Pick<Files, 'stat'>): Promise<void> {
  const kind = (await files.stat(file))?.kind;
  // A pipe would be waited for.
  if (kind === 'file' || kind === undefined) return;
  throw usageFailure(
    'not-a-file',
    `"${file}" is ${kind === 'directory' ? 'a folder' : 'no regular file'}, not a table`,
    { next: 'give the path of a table' },
  );
}

function checkText(bytes: Uint8Array, file: string): void {
  if (bytes.length === 0)
    throw usageFailure('empty-table', 'the table is empty', {
      at: { file, line: 1 },
      next: 'begin it with a line `#Source`, a tab, `Target`',
    });
  const [first, second] = bytes;
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isWide || bytes.subarray(0, 1024).includes(0))
    throw usageFailure('not-utf-8', 'this is no UTF-8 text, and a table is', {
      at: { file, line: 1 },
      next: 'save it as UTF-8, for instance with `iconv -t UTF-8`; a packed table must be unpacked',
    });
}

/** Some spreadsheets still end lines as old Macs did: all of the table would be its first line. */
function checkLineEnds(text: string, file: string): void {
  if (text.includes('\n') || !/\r./s.test(text)) return;
  throw usageFailure('bad-table', 'the lines end with a carriage return alone', {
    at: { file, line: 1 },
    next: "end them with line feeds, for instance with `tr '\\r' '\\n'`",
  });
}

/** The lines that begin with `#`; undefined when more of the file must be read to know them all. */
function leadingLines(text: string, isWhole: boolean): readonly string[] | undefined {
  const found: string[] = [];
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    if (text.charAt(at) !== '#') return found;
    if (end === -1 && !isWhole) return undefined;
    found.push(text.slice(at, end === -1 ? text.length : end).replace(/\r$/, ''));
    if (end === -1) return found;
    at = end + 1;
  }
  return isWhole ? found : undefined;
}

function headerOf(lines: readonly string[], file: string, given: string | undefined): TableHeader {
  const pairs = lines
    .filter((line) => line.startsWith('#:'))
    .flatMap((line) => optionPairs(line.slice(2)));
  const named = lines.findLastIndex((line) => !line.startsWith('#:'));
  const header = lines[named];
  if (header === undefined)
    throw usageFailure('no-table-header', 'no line names the columns', {
      at: { file, line: lines.length + 1 },
      next: 'write `#` before the line that names them, above the first row',
    });
  const options = readOptions(pairs, file);
  const columns = header.slice(1).split(given ?? options.sep ?? '\t');
  const comment = lines
    .slice(0, named)
    .filter((line) => !line.startsWith('#:'))
    .map((line) => line.replace(/^#+/, '').trim())
    .join('\n')
    .trim();
  return { options, columns: columns.map((name) => name.trim()), comment, line: named + 1 };
}

function readOptions(pairs: readonly (readonly [string, string])[], file: string) {
  try {
    return tableOptions(pairs);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw usageFailure(error.code, error.message, { at: { file, line: 1 } });
  }
}
