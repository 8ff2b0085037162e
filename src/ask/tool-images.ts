// Images that tools made: kept as files beside the chat, so that it can name them, and ready for the next request.

import * as path from 'node:path';
import { MEDIA, MOST_IMAGES, mediaProblem, mediaType } from '../chat/media-file.ts';
import { folders } from '../config/folders.ts';
import { errorWords } from '../errors.ts';
import type { ToolImage } from '../types.ts';
import type { World } from '../world/types/world.ts';
import type { KeepImage, KeptImage } from './types/run.ts';

export interface ImagePlaces {
  /** Where the chat is kept: images go into its `.files` folder. */
  readonly saveFile?: string | undefined;
  /** Names in the chat are relative to its file; else they are absolute. */
  readonly relative: boolean;
}

/** Equal images are one file. Those of a chat that is kept nowhere go into the folder of the program's own state. */
export function imageKeeper(
  { saveFile, relative }: ImagePlaces,
  { files, env, cwd }: Pick<World, 'files' | 'env' | 'cwd'>,
): KeepImage {
  const file = saveFile === undefined ? undefined : path.resolve(cwd, saveFile);
  return async ({ base64 }) => {
    const home =
      file === undefined
        ? path.join((await folders(env, files)).state, 'images')
        : path.join(`${file}.files`, 'images');
    const bytes = Buffer.from(base64, 'base64');
    const problem = await mediaProblem(MEDIA.image, bytes.length, async () => bytes);
    if (problem !== undefined) throw new Error(`it ${problem.problem}`);
    const type = (await mediaType(bytes.subarray(0, 4100))) ?? '';
    const place = path.join(home, `${await digest(bytes)}.${type.replace(/^image\//, '')}`);
    if ((await files.stat(place)) === undefined) await files.write(place, bytes);
    const name =
      file === undefined || !relative
        ? place
        : path.relative(path.dirname(file), place).replaceAll(path.sep, '/');
    return {
      message: { role: 'image', content: name },
      attachment: { path: place, mediaType: type, base64: bytes.toString('base64') },
    };
  };
}

async function digest(bytes: Uint8Array): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(bytes).digest('hex').slice(0, 20);
}

export interface KeptImages {
  readonly images: readonly KeptImage[];
  /** Of images that are not attached, why; the model reads it. */
  readonly notes: readonly string[];
}

/** What can be attached is; what cannot costs a note. */
export async function keepImages(
  images: readonly ToolImage[],
  keep: KeepImage | undefined,
): Promise<KeptImages> {
  const kept: KeptImage[] = [];
  const notes: string[] = [];
  for (const [index, image] of images.entries()) {
    const refuse = (why: string) => notes.push(`[image ${index + 1} is not attached: ${why}]`);
    if (keep === undefined) refuse('this backend takes no images');
    else if (index >= MOST_IMAGES) refuse(`a result may have ${MOST_IMAGES}`);
    else
      await keep(image).then(
        (each) => kept.push(each),
        (error: unknown) => refuse(errorWords(error)),
      );
  }
  return { images: kept, notes };
}
