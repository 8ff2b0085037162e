// Finds what JSON would lose or change without a word: such a value is refused instead of stored.

import { DEEPEST } from '../json.ts';

/** Why a result that is nested too deep for whoever walks it is none. */
export const TOO_DEEP = `it is nested more than ${DEEPEST} deep`;

/** Where and why the value cannot be written as JSON and read back the same; undefined when it can. */
export function whatJsonLoses(value: unknown): string | undefined {
  return lose(value, 'the result', new Set());
}

/** Objects on the way to the value are kept, to find one that holds itself; a shared one is no trouble. */
function lose(value: unknown, place: string, above: Set<object>): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : `${place} is ${value}`;
    case 'object':
      return value === null ? undefined : loseInside(value, place, above);
    case 'undefined':
      return `${place} is undefined`;
    case 'bigint':
      return `${place} is a big integer (${value})`;
    default:
      return `${place} is a ${typeof value}`;
  }
}

function loseInside(value: object, place: string, above: Set<object>): string | undefined {
  if (above.has(value)) return `${place} holds itself`;
  if (above.size >= DEEPEST) return TOO_DEEP;
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return loseMade(value.toJSON(), place, above);
  return loseFields(value, place, above);
}

function loseFields(value: object, place: string, above: Set<object>): string | undefined {
  if (!Array.isArray(value) && !isRecord(value)) return `${place} is a ${kindOf(value)}`;
  above.add(value);
  for (const [key, each] of Object.entries(value)) {
    // A property that is not set is a habit of the language, a gap in a list is not.
    if (each === undefined && !Array.isArray(value)) continue;
    const at = Array.isArray(value) ? `${place}[${key}]` : `${place}.${key}`;
    const lost = lose(each, at.replace('the result', 'result'), above);
    if (lost !== undefined) return lost;
  }
  above.delete(value);
  return undefined;
}

/** What `toJSON` made is not asked for its own `toJSON`, which may be the object itself. */
function loseMade(made: unknown, place: string, above: Set<object>): string | undefined {
  return typeof made === 'object' && made !== null
    ? loseFields(made, place, above)
    : lose(made, place, above);
}

function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  // An object of a class counts by its fields, unless it is one of the language's own containers, whose content is no field.
  return !BUILT_IN.test(Object.prototype.toString.call(value));
}

const BUILT_IN =
  /^\[object (?!Object\])(?:Map|Set|Weak\w+|Promise|RegExp|Error|ArrayBuffer|SharedArrayBuffer|DataView|\w+Array|.*Iterator|.*Generator)/;

const kindOf = (value: object): string => value.constructor?.name ?? 'special object';
