// The kinds of values that settings have: how each is read from text, what it accepts, and how it is described to people.

import { isObject, parseJson } from '../json.ts';

/** Reads a value as it stands in a file (any type) or in a chat (text). Undefined: it does not fit. */
export interface ValueKind {
  /** Completes "takes …". */
  readonly expected: string;
  read(value: unknown): unknown;
}

const fromText = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);

/** A number in a range; bounds belong to it. */
export function number(least = -Infinity, most = Infinity): ValueKind {
  const from = least === -Infinity ? '' : ` from ${least} on`;
  return {
    expected: most === Infinity ? `a number${from}` : `a number from ${least} to ${most}`,
    read: (value) => {
      const read = toNumber(value);
      return read !== undefined && read >= least && read <= most ? read : undefined;
    },
  };
}

/** A whole number that is exact. */
export function whole(least = -Infinity): ValueKind {
  return {
    expected: `a whole number${least === -Infinity ? '' : ` from ${least} on`}`,
    read: (value) => {
      const read = toNumber(value);
      return read !== undefined && Number.isSafeInteger(read) && read >= least ? read : undefined;
    },
  };
}

function toNumber(value: unknown): number | undefined {
  const text = fromText(value);
  if (typeof text === 'number') return Number.isFinite(text) ? text : undefined;
  if (typeof text !== 'string' || !/^[+-]?(\d[\d_]*\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text))
    return undefined;
  const read = Number(text.replaceAll('_', ''));
  return Number.isFinite(read) ? read : undefined;
}

const WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  false: false,
  no: false,
  off: false,
};

export const flag: ValueKind = {
  expected: 'true or false',
  read: (value) => {
    if (typeof value === 'boolean') return value;
    return typeof value === 'string' ? WORDS[value.trim().toLowerCase()] : undefined;
  },
};

/** Text that is not empty. Numbers of a file count as the text that they were written as. */
export const text: ValueKind = {
  expected: 'text',
  read: (value) => {
    const read = typeof value === 'number' ? String(value) : fromText(value);
    return typeof read === 'string' && read !== '' ? read : undefined;
  },
};

/** One of some words. YAML reads `off` as false, which is meant as `off` where that is a word. */
export function word(...words: readonly string[]): ValueKind {
  return {
    expected: `one of ${words.join(', ')}`,
    read: (value) => {
      const read = value === false ? 'off' : fromText(value);
      return typeof read === 'string' && words.includes(read) ? read : undefined;
    },
  };
}

/** Several texts: a list, JSON of one, or words with commas between them. */
export const words: ValueKind = {
  expected: 'a list of words',
  read: (value) => {
    const parsed =
      typeof value === 'string' && value.trim().startsWith('[') ? parseJson(value) : value;
    const list = typeof parsed === 'string' ? parsed.split(',').map((each) => each.trim()) : parsed;
    return isTexts(list) ? list.filter((each) => each !== '') : undefined;
  },
};

/** Texts that may hold anything, commas too: a list, JSON of one, or a single one. */
export const texts: ValueKind = {
  expected: 'text or a list of texts',
  read: (value) => {
    const parsed =
      typeof value === 'string' && value.trim().startsWith('[') ? parseJson(value) : value;
    const list = typeof parsed === 'string' ? [parsed] : parsed;
    return isTexts(list) && list.length > 0 ? list : undefined;
  },
};

/** A mapping, or JSON of one; its values are not looked at. */
export const mapping: ValueKind = {
  expected: 'a mapping',
  read: (value) => {
    const read = typeof value === 'string' ? parseJson(value) : value;
    return isObject(read) ? read : undefined;
  },
};

/** A mapping whose values are all of one kind. */
export function mappingOf(kind: ValueKind, keys?: readonly string[]): ValueKind {
  return {
    expected: `a mapping of ${keys === undefined ? 'names' : keys.join(', ')} to ${kind.expected}`,
    read: (value) => {
      const read = mapping.read(value);
      if (!isObject(read)) return undefined;
      const entries = Object.entries(read).map(([key, each]) => [key, kind.read(each)] as const);
      const fits = entries.every(
        ([key, each]) => each !== undefined && (keys?.includes(key) ?? true),
      );
      return fits ? Object.fromEntries(entries) : undefined;
    },
  };
}

/** The first of several kinds that fits. */
export function either(...kinds: readonly ValueKind[]): ValueKind {
  return {
    expected: kinds.map(({ expected }) => expected).join(', or '),
    read: (value) => {
      for (const kind of kinds) {
        const read = kind.read(value);
        if (read !== undefined) return read;
      }
      return undefined;
    },
  };
}

/** The base address of a service: http or https, without a slash at its end. */
export const address: ValueKind = {
  expected: 'an address that begins with http:// or https://',
  read: (value) => {
    const read = fromText(value);
    if (typeof read !== 'string' || !/^https?:\/\/[^\s/]/i.test(read) || !URL.canParse(read))
      return undefined;
    return read.replace(/\/+$/, '');
  },
};

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
