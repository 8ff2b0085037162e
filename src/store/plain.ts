// Finds what JSON would lose or change without a word: such a value is refused instead of stored.

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
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return lose(value.toJSON(), place, above);
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

function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  // An object of a class counts by its fields, unless it is one of the language's own containers, whose content is no field.
  return !BUILT_IN.test(Object.prototype.toString.call(value));
}

const BUILT_IN =
  /^\[object (?!Object\])(?:Map|Set|Weak\w+|Promise|RegExp|Error|ArrayBuffer|SharedArrayBuffer|DataView|\w+Array|.*Iterator|.*Generator)/;

const kindOf = (value: object): string => value.constructor?.name ?? 'special object';
