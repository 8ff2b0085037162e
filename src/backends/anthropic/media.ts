// Images and PDFs as blocks of the Messages protocol. Pure: bytes were loaded before.

import type { Attachment, Message } from '../../types.ts';
import type { Block } from './blocks.ts';

const PDF = 'application/pdf';

/** The block of an `image` or `pdf` message: the kind follows the bytes where they are there, else the role. An address is fetched by the provider. */
export function mediaBlock(
  { role, content }: Message,
  attachments: ReadonlyMap<string, Attachment>,
): Block {
  const place = content.trim();
  const data = attachments.get(place) ?? dataUrl(place);
  const isDocument = data === undefined ? role === 'pdf' : data.mediaType === PDF;
  return { type: isDocument ? 'document' : 'image', source: sourceOf(place, data) };
}

type Data = Pick<Attachment, 'mediaType' | 'base64'>;

function sourceOf(place: string, data: Data | undefined): Block {
  if (data === undefined) return { type: 'url', url: place };
  return { type: 'base64', media_type: data.mediaType, data: data.base64 };
}

function dataUrl(place: string): Data | undefined {
  const [, mediaType, base64] = /^data:([\w.+/-]+);base64,([\s\S]*)$/.exec(place) ?? [];
  return mediaType === undefined || base64 === undefined ? undefined : { mediaType, base64 };
}
