// Single messages of a chat as items of a Responses request. Pure.

import { contentText } from '../../chat/normalise.ts';
import type { Fields } from '../../json.ts';
import type { Attachment, Message, ToolCall } from '../../types.ts';
import { argumentObject, readCall } from '../traffic.ts';

/** Text of somebody other than the model. */
export function textItem(message: Message): Fields {
  return { role: message.role, content: [{ type: 'input_text', text: contentText(message) }] };
}

/** Text that the model said. */
export function saidItem(text: string, phase?: string): Fields {
  const content = [{ type: 'output_text', text }];
  return { role: 'assistant', content, ...(phase === undefined ? {} : { phase }) };
}

/** User messages and files that stand together, as the parts of one item, in their order. */
export function userItem(
  run: readonly Message[],
  attachments: ReadonlyMap<string, Attachment>,
): Fields {
  return {
    role: 'user',
    content: run.map((message) => userPart(message, attachments.get(message.content.trim()))),
  };
}

function userPart(message: Message, attachment: Attachment | undefined): Fields {
  if (message.role === 'user') return { type: 'input_text', text: contentText(message) };
  const path = message.content.trim();
  const media = attachment?.mediaType ?? (message.role === 'pdf' ? 'application/pdf' : 'image');
  const data =
    attachment === undefined
      ? undefined
      : `data:${attachment.mediaType};base64,${attachment.base64}`;
  if (media !== 'application/pdf')
    return { type: 'input_image', image_url: data ?? path, detail: 'auto' };
  if (data === undefined) return { type: 'input_file', file_url: path };
  return { type: 'input_file', filename: fileName(path), file_data: data };
}

const fileName = (path: string): string => path.split(/[/\\]/).at(-1) || 'file.pdf';

/** A call as it is stored. */
export interface StoredCall {
  readonly id: string;
  readonly name: string;
  /** An object, or text that is none. */
  readonly arguments: ToolCall['arguments'];
  /** JSON of an object. */
  readonly json: string;
  /** What was stored is no JSON object: servers that read it again would refuse the whole prompt. */
  readonly odd: boolean;
}

/** Throws a usage Failure at the message's place when it holds no JSON object. */
export function storedCall(message: Message): StoredCall {
  const { id, name, arguments: given } = readCall(message);
  const object = argumentObject(given);
  return {
    id,
    name,
    arguments: object ?? (typeof given === 'string' ? given : JSON.stringify(given)),
    json: JSON.stringify(object ?? {}),
    odd: object === undefined,
  };
}
