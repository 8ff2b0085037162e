// Locks in the working directory: held by a living process, or left behind by one that was killed.

import { basename, join } from 'node:path';
import { shellWord } from '../errors.ts';
import type { Files } from '../world/types/files.ts';
import type { World } from '../world/types/world.ts';
import type { Finding } from './types.ts';

const SUFFIX = '.lock';

/** Every lock of a file in the working directory, and who holds it. A dead holder's lock does no harm: the next ask takes it over. */
export async function checkLocks({ files, cwd, platform }: World): Promise<readonly Finding[]> {
  const names = await files.list(cwd).catch(() => []);
  const findings: Finding[] = [];
  for (const name of names.filter((each) => each.endsWith(SUFFIX))) {
    const holder = await readHolder(join(cwd, name), files);
    if (holder === undefined) continue;
    const file = basename(name, SUFFIX);
    const who = `process ${holder.pid} on ${holder.host}`;
    const ended =
      platform.os === 'linux' && (await files.stat(`/proc/${holder.pid}`)) === undefined;
    findings.push(
      ended
        ? {
            area: 'lock',
            status: 'warn',
            message: `${file}: left by ${who}, which is not running here`,
            next: `the next \`chat ask ${shellWord(file)}\` finishes what it began`,
          }
        : { area: 'lock', status: 'ok', message: `${file}: held by ${who}` },
    );
  }
  return findings.length > 0
    ? findings
    : [{ area: 'lock', status: 'ok', message: 'none in this folder' }];
}

interface Holder {
  readonly pid: number;
  readonly host: string;
}

/** Other programs have files of that name too: those are none of ours. */
async function readHolder(
  path: string,
  files: Pick<Files, 'readStart'>,
): Promise<Holder | undefined> {
  try {
    const claim: unknown = JSON.parse(
      new TextDecoder().decode(await files.readStart(path, 1_000_000)),
    );
    return isHolder(claim) ? claim : undefined;
  } catch {
    return undefined;
  }
}

function isHolder(claim: unknown): claim is Holder {
  if (typeof claim !== 'object' || claim === null) return false;
  return (
    'token' in claim &&
    'pid' in claim &&
    Number.isInteger(claim.pid) &&
    'host' in claim &&
    typeof claim.host === 'string'
  );
}
