// The messages of a prompt as Ollama's own: made from the Chat Completions messages, which all backends share. Pure.

import { providerFailure } from '../../errors.ts';
import { type Fields, fields, isObject, list, parseJson, text } from '../../json.ts';
import { type Translation, toWireMessages, type WireMessage } from '../openai/prompt.ts';
import { type HistoryLevel, historyLevel } from '../openai/reasoning.ts';
import type { WireNames } from '../tool-names.ts';
import type { PromptRequest } from '../types.ts';

/**
 * Arguments of calls are objects, outputs name their tool, pictures stand beside the text as bare base64. Throws a Failure (exit 4) for a PDF and for a
 * picture that is only an address: Ollama takes neither.
 */
export function ollamaMessages(
  request: PromptRequest,
  names: WireNames,
  reasoning: HistoryLevel = historyLevel(request, false),
): Translation {
  refuseFiles(request);
  const { messages, warnings } = toWireMessages(request, { developer: false, reasoning, names });
  const called = new Map<unknown, unknown>();
  return { messages: messages.map((message) => toOllama(message, called)), warnings };
}

function refuseFiles({ messages, attachments }: PromptRequest): void {
  for (const { role, content, origin } of messages) {
    if (role !== 'image' && role !== 'pdf') continue;
    const attached = attachments.get(content.trim());
    if (attached?.mediaType.startsWith('image/')) continue;
    const why =
      attached === undefined && role === 'image'
        ? 'Ollama takes pictures from files, not from addresses'
        : 'Ollama takes no PDF files';
    throw providerFailure('vision-unsupported', why, {
      ...(origin === undefined ? {} : { at: origin }),
      next: `leave the "${role}" message out, or ask another endpoint (-e)`,
      facts: { kind: 'vision_unsupported', retryable: false },
    });
  }
}

/** `called` holds the tool of each call by its id. */
function toOllama(message: WireMessage, called: Map<unknown, unknown>): WireMessage {
  const {
    role,
    content,
    reasoning_content: thinking,
    tool_calls: calls,
    tool_call_id: id,
  } = message;
  if (role === 'tool') return { role, content, tool_name: called.get(id) ?? '', tool_call_id: id };
  const { words, images } = partsOf(content);
  return {
    role,
    content: words,
    ...(thinking === undefined ? {} : { thinking }),
    ...(images.length === 0 ? {} : { images }),
    ...(calls === undefined ? {} : { tool_calls: list(calls).map(toCall(called)) }),
  };
}

const toCall =
  (called: Map<unknown, unknown>) =>
  (call: unknown, index: number): Fields => {
    const { id, function: made } = fields(call);
    const { name, arguments: given } = fields(made);
    called.set(id, name);
    const value = typeof given === 'string' ? parseJson(given) : given;
    return { id, function: { index, name, arguments: isObject(value) ? value : {} } };
  };

function partsOf(content: unknown): { words: string; images: readonly string[] } {
  if (!Array.isArray(content)) return { words: text(content) ?? '', images: [] };
  const parts = content.map(fields);
  const urls = parts.flatMap(({ image_url: image }) => text(fields(image).url) ?? []);
  return {
    words: parts.flatMap((part) => (part.type === 'text' ? [String(part.text)] : [])).join('\n\n'),
    images: urls.map((url) => url.replace(/^data:[^,]*,/, '')),
  };
}
