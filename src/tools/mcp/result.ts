// The result of a call as an output for the model: every part in its order, as text or as a note; images are attached. Pure.

import { MOST_IMAGES } from '../../chat/media-file.ts';
import { DEEPEST, fields, isDeepValue } from '../../json.ts';
import type { ToolImage, ToolOutput } from '../../types.ts';
import type { WireMessage } from './well-formed.ts';

/** Text parts as they are, parts of other kinds as named notes, structured content where the text does not say the same. `isError`: a failed call. */
export function toolOutput(result: unknown): ToolOutput {
  const { content, structuredContent, isError } = fields(result);
  const parts = partsOf(content);
  const images: ToolImage[] = [];
  const texts = parts.map((part) => partText(fields(part), images)).filter((text) => text !== '');
  const said = parts.map((part) => textOf(fields(part).text)).join('\n');
  if (structuredContent !== undefined && structuredContent !== null)
    if (said === '' || !isSaid(structuredContent, said))
      texts.push(isDeepValue(structuredContent) ? DEEP : JSON.stringify(structuredContent));
  const text = texts.join('\n\n');
  if (isError === true)
    return { content: null, exception: text === '' ? 'the tool failed and did not say why' : text };
  return {
    content: text === '' ? undefined : text,
    ...(images.length === 0 ? {} : { images }),
  };
}

/** Whoever walks it later would come to the end of the stack. */
const DEEP = `[structured content that is nested more than ${DEEPEST} deep, which cannot be shown]`;

/** A text or a part alone is taken for the list that it should stand in. */
function partsOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content === undefined || content === null ? [] : [content];
}

/** So many values are looked for in the text. */
const VALUES = 200;

/** Whether each number and text of the structure stands in the text: as the same JSON, or in other words. Most servers repeat it there. */
function isSaid(structure: unknown, said: string): boolean {
  const left = [structure];
  for (let looked = 0; left.length > 0 && looked < VALUES; ) {
    const value = left.pop();
    if (typeof value === 'object' && value !== null) {
      for (const each of Object.values(value).slice(0, VALUES)) left.push(each);
    } else if (typeof value === 'string' || typeof value === 'number') {
      looked += 1;
      const text = String(value);
      if (!said.includes(text) && !said.includes(JSON.stringify(text).slice(1, -1))) return false;
    }
  }
  return true;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** NUL is no text: it would make a chat file a binary one. */
const withoutNul = (text: string): string => text.replaceAll('\0', '');

function partText(part: WireMessage, images: ToolImage[]): string {
  switch (part.type) {
    case 'text':
      return withoutNul(textOf(part.text));
    case 'image':
      return mediaText('image', textOf(part.mimeType), textOf(part.data), images);
    case 'audio':
      return mediaText('audio', textOf(part.mimeType), textOf(part.data), images);
    case 'resource_link':
      return linkText(part);
    case 'resource':
      return resourceText(fields(part.resource), images);
    default:
      return `[a part of the kind "${textOf(part.type).slice(0, 40)}", which cannot be shown]`;
  }
}

function mediaText(
  word: string,
  mediaType: string,
  given: string,
  images: ToolImage[],
  name = '',
): string {
  // Some servers put the whole address of a web page's image there.
  const data = given.replace(/^data:[^,]{0,200},/, '');
  const about = `(${mediaType.replace(/\s+/g, ' ').slice(0, 100) || 'of an unknown kind'}, ${sizeOf(data)})`;
  const what = `${word}${name} ${about}`;
  if (!mediaType.startsWith('image/')) return `[${what}, not sent]`;
  if (images.length >= MOST_IMAGES)
    return `[${what}, not sent: a result may have ${MOST_IMAGES} images]`;
  images.push({ mediaType, base64: data.replace(/\s+/g, '') });
  // Whether it can be attached is found out later, and noted behind the result when it cannot.
  return `[${name === '' ? '' : `${word}${name}, `}image ${images.length} ${about}]`;
}

const sizeOf = (base64: string): string => {
  const bytes = Math.floor((base64.replace(/[\s=]+/g, '').length * 3) / 4);
  return bytes < 1000 ? `${bytes} bytes` : `${Math.round(bytes / 1000)} kB`;
};

function linkText({ uri, name, title, description, mimeType }: WireMessage): string {
  const kind = textOf(mimeType) === '' ? '' : ` (${textOf(mimeType)})`;
  const called = textOf(title) || textOf(name);
  const about = textOf(description) === '' ? '' : `: ${textOf(description)}`;
  return `[resource ${called === '' ? '' : `"${called}" `}${textOf(uri)}${kind}${about}]`;
}

function resourceText({ uri, mimeType, text, blob }: WireMessage, images: ToolImage[]): string {
  const kind = textOf(mimeType);
  if (typeof blob === 'string') return mediaText('resource', kind, blob, images, ` ${textOf(uri)}`);
  return `[resource ${textOf(uri)}${kind === '' ? '' : ` (${kind})`}]\n${withoutNul(textOf(text))}`;
}
