// Reads what is said about a table: the `#:` lines in it, and the words behind `association: NAME PATH`. Pure.

import { usageFailure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import type { TableOptions, TableType } from './types.ts';

const TYPES: readonly TableType[] = ['double', 'list', 'flat', 'single'];

export const OPTION_NAMES = [
  'type',
  'sep',
  'sep2',
  'undirected',
  'description',
  'source',
  'target',
  'fields',
] as const;

/** `key=value#key=value` behind `#:`. What this program does not know belongs to others. */
export function optionPairs(line: string): readonly (readonly [string, string])[] {
  return line
    .split('#')
    .map((part) => /^\s*:?([\w-]+)\s*=([\s\S]*)$/.exec(part))
    .flatMap((match) => (match === null ? [] : [[match[1] ?? '', match[2] ?? ''] as const]));
}

/** The options among the pairs; the last of a name counts. A value that does not fit is a usage Failure. */
export function tableOptions(pairs: readonly (readonly [string, string])[]): TableOptions {
  let options: TableOptions = {};
  for (const [name, given] of pairs) options = { ...options, ...option(name, given) };
  return options;
}

/** The names that no table has an option of. */
export function unknownOptions(
  pairs: readonly (readonly [string, string])[],
): readonly { readonly name: string; readonly next: string | undefined }[] {
  return pairs
    .map(([name]) => name)
    .filter((name) => !OPTION_NAMES.some((each) => each === name))
    .map((name) => ({ name, next: didYouMean(name, OPTION_NAMES) }));
}

function option(name: string, given: string): TableOptions {
  // Ruby writes a symbol with a colon.
  const value = given.trim();
  const word = value.replace(/^:/, '');
  switch (name) {
    case 'type':
      return { type: oneOf(word) };
    case 'sep':
    case 'sep2':
      return { [name]: separator(name, given) };
    case 'undirected':
      return { undirected: truth(word) };
    case 'description':
    case 'source':
    case 'target':
      return value === '' ? {} : { [name]: value };
    case 'fields':
      return { fields: value.split(',').map((each) => each.trim()) };
    default:
      return {};
  }
}

function oneOf(word: string): TableType {
  const found = TYPES.find((each) => each === word);
  if (found !== undefined) return found;
  throw bad(`type is one of ${TYPES.join(', ')}, not "${word}"`);
}

function truth(word: string): boolean {
  if (/^(?:true|yes|on|1|)$/i.test(word)) return true;
  if (/^(?:false|no|off|0)$/i.test(word)) return false;
  throw bad(`undirected is true or false, not "${word}"`);
}

function separator(name: string, given: string): string {
  const value = given.replaceAll('\\t', '\t');
  if (value !== '' && !/[\r\n]/.test(value)) return value;
  throw bad(`${name} is what stands between values, and cannot be nothing`);
}

const bad = (message: string) => usageFailure('bad-table-option', message);
