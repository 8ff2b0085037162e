// Images and PDFs by their bytes, never by their names: what they are, whether they can be sent, and their content for a request.

import { usageFailure } from '../errors.ts';
import type { Attachment, Chat } from '../types.ts';
import type { Files } from '../world/types/files.ts';
import { at, isRemote } from './find.ts';
import { type Problem, sizeText } from './text-file.ts';

interface Media {
  readonly word: string;
  readonly types: readonly string[];
  /** Bytes. */
  readonly limit: number;
}

/** So many images of one result of a tool are attached. */
export const MOST_IMAGES = 4;

/** What providers take, and how much of it. */
export const MEDIA = {
  image: {
    word: 'a PNG, JPEG, GIF or WebP image',
    types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    limit: 10_000_000,
  },
  pdf: { word: 'a PDF', types: ['application/pdf'], limit: 32_000_000 },
} as const satisfies Record<string, Media>;

/** Why a file of so many bytes cannot be sent as such, by its first bytes; undefined when it can. */
export async function mediaProblem(
  media: Media,
  size: number,
  start: () => Promise<Uint8Array>,
): Promise<Problem | undefined> {
  if (size === 0)
    return { code: 'empty-file', problem: 'is empty (0 bytes)', next: 'check the file' };
  const type = await mediaType(await start());
  if (type === undefined || !media.types.includes(type))
    return {
      code: 'wrong-kind',
      problem: `is ${type ?? 'of an unknown kind'} (${sizeText(size)}), not ${media.word}`,
      next: otherRole(type),
    };
  if (size <= media.limit) return undefined;
  return {
    code: 'too-large',
    problem: `is too large: ${sizeText(size)}, and the limit is ${sizeText(media.limit)}`,
    next: 'make it smaller',
  };
}

function otherRole(type: string | undefined): string {
  if (type === 'application/pdf') return 'use `pdf:`';
  if (type === undefined) return 'use `file:` if it is text';
  return type.startsWith('image/')
    ? 'use `image:` with a PNG, JPEG, GIF or WebP file'
    : 'convert it first';
}

/** What the first bytes say that it is; undefined when they say nothing. */
export async function mediaType(start: Uint8Array): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type');
  return (await fileTypeFromBuffer(start))?.mime;
}

/** The bytes of the images and PDFs that the messages name by path, ready for a request. Addresses are left to the provider. */
export async function attachments(
  chat: Chat,
  files: Pick<Files, 'read'>,
): Promise<ReadonlyMap<string, Attachment>> {
  const result = new Map<string, Attachment>();
  for (const { role, content: path, origin } of chat) {
    if ((role !== 'image' && role !== 'pdf') || isRemote(path) || result.has(path)) continue;
    const bytes = await files.read(path);
    const type = await mediaType(bytes.subarray(0, 4100));
    if (type === undefined)
      throw usageFailure(
        'wrong-kind',
        `cannot send "${path}" (${role}): it is of an unknown kind`,
        at(origin),
      );
    result.set(path, { path, mediaType: type, base64: Buffer.from(bytes).toString('base64') });
  }
  return result;
}
