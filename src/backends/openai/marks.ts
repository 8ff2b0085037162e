// Marks for the prompt cache of Claude behind a Chat Completions gateway. Pure; the messages given stay as they are.

import { fields, list } from '../../json.ts';
import { cacheMark, cacheSetting, stableParts } from '../cache-setting.ts';
import { isRemote } from '../http/remote.ts';
import { flagSetting } from '../settings.ts';
import type { PromptRequest } from '../types.ts';
import type { WireMessage } from './prompt.ts';

/**
 * Two marks: on the first system text (on its stable part when `cache_split` says how long that is), and on the last text of the conversation. Nothing is
 * marked for other models, for a server nearby, or with `cache: false`.
 */
export function marked(
  messages: readonly WireMessage[],
  { endpoint }: PromptRequest,
  url: URL,
): readonly WireMessage[] {
  const setting = cacheSetting(endpoint);
  const remote = flagSetting(endpoint, 'remote') ?? isRemote(url);
  if (!setting.on || !remote || !/claude/i.test(endpoint.model ?? '')) return messages;
  const mark = cacheMark(setting);
  const first = messages.findIndex(isSystem);
  const last = messages.findLastIndex((each) => !isSystem(each) && lastText(each) !== undefined);
  return messages.map((message, index) => {
    if (index === first && typeof message.content === 'string')
      return { ...message, content: markedFirst(stableParts(endpoint, message.content), mark) };
    return index === last ? withMark(message, mark) : message;
  });
}

const isSystem = ({ role }: WireMessage): boolean => role === 'system' || role === 'developer';

const markedFirst = (texts: readonly string[], mark: object): readonly object[] =>
  texts.map((text, index) => ({
    type: 'text',
    text,
    ...(index === 0 ? { cache_control: mark } : {}),
  }));

/** Which part is the last text; 0 for content that is one text. */
function lastText({ content }: WireMessage): number | undefined {
  if (typeof content === 'string') return content.trim() === '' ? undefined : 0;
  const index = list(content).findLastIndex((part) => fields(part).type === 'text');
  return index < 0 ? undefined : index;
}

function withMark(message: WireMessage, mark: object): WireMessage {
  const { content } = message;
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : list(content);
  const at = lastText(message);
  return {
    ...message,
    content: parts.map((part, index) =>
      index === at ? { ...fields(part), cache_control: mark } : part,
    ),
  };
}
