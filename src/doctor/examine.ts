// Runs every check. One that cannot be carried out is a finding itself and hides none of the others.

import { errorWords } from '../errors.ts';
import type { World } from '../world/types/world.ts';
import { checkAsking } from './asking.ts';
import { checkCertificates } from './certificates.ts';
import { checkLocks } from './locks.ts';
import { checkFolders, checkNode, checkProxy, checkTerminal } from './machine.ts';
import type { Check, Finding } from './types.ts';

const CHECKS: readonly (readonly [string, Check])[] = [
  ['node', checkNode],
  ['folder', checkFolders],
  ['endpoint', checkAsking],
  ['proxy', checkProxy],
  ['certificates', checkCertificates],
  ['terminal', checkTerminal],
  ['lock', checkLocks],
];

/** What was found, in a fixed order. */
export async function examine(world: World): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [area, check] of CHECKS) findings.push(...(await attempt(area, check, world)));
  return findings;
}

async function attempt(area: string, check: Check, world: World): Promise<readonly Finding[]> {
  try {
    return await check(world);
  } catch (error) {
    world.signal.throwIfAborted();
    const reason = errorWords(error);
    return [{ area, status: 'fail', message: `cannot be looked at: ${reason}` }];
  }
}
