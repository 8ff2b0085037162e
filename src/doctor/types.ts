// What an examination finds. Types only.

import type { World } from '../world/types/world.ts';

export interface Finding {
  /** One word: what was looked at. */
  readonly area: string;
  /** `warn`: worth knowing. `fail`: something that is needed does not work. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do about it. */
  readonly next?: string;
}

/** Looks at one part of the surroundings. Changes nothing, sends no key anywhere. */
export type Check = (world: World) => Promise<readonly Finding[]>;
