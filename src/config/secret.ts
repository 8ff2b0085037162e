// Keys that cannot be printed by accident.

import type { Secret } from './types.ts';

const SHOWN = '***';

/** A key whose text comes out through `reveal` alone: as text, as JSON and when inspected it is `***`. */
export function secret(text: string): Secret {
  return {
    reveal: () => text,
    toString: () => SHOWN,
    toJSON: () => SHOWN,
    [Symbol.toPrimitive]: () => SHOWN,
    [Symbol.for('nodejs.util.inspect.custom')]: () => SHOWN,
  } as Secret;
}
