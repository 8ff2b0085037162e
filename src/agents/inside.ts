// Whether a file of a `.files` folder is really in it. Such a folder may have come with a chat of somebody else, and a link in it may lead anywhere.

import * as path from 'node:path';
import type { World } from '../world/types/world.ts';

/**
 * False for a place below a `.files` folder that a link, of the file or of a folder on the way, takes elsewhere. The folder itself may be
 * a link, and a place outside of such folders is where the user says that it is.
 */
export async function isInside(place: string, { files, cwd }: Pick<World, 'files' | 'cwd'>) {
  const whole = path.resolve(cwd, place);
  const root = homeOf(whole);
  if (root === undefined) return true;
  const real = await realPath(root, files);
  // Nothing is there yet.
  if (real === undefined) return true;
  for (let at = whole; at !== root; at = path.dirname(at)) {
    const found = await realPath(at, files);
    if (found !== undefined) return found === path.join(real, path.relative(root, at));
  }
  return true;
}

/** The outermost `.files` folder around the place. */
function homeOf(place: string): string | undefined {
  const parts = path.dirname(place).split(path.sep);
  const at = parts.findIndex((part) => part.endsWith('.files'));
  return at < 0 ? undefined : parts.slice(0, at + 1).join(path.sep);
}

async function realPath(place: string, files: World['files']): Promise<string | undefined> {
  try {
    return await files.realPath(place);
  } catch {
    return undefined;
  }
}
