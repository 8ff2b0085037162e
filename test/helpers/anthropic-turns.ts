// Messages of a chat, and the blocks and turns that they become in the Messages protocol.

import { NOTHING_REFUSED, toBody } from '../../src/backends/anthropic/body.ts';
import type { PromptRequest } from '../../src/backends/types.ts';
import type { Chat, Message } from '../../src/types.ts';
import { fakeEndpoint, fakeRequest } from './asking.ts';
import type { Wire } from './prompts.ts';

/** What a test changes of the request. */
export type Rest = Partial<PromptRequest> & { readonly settings?: Record<string, unknown> };

/** The body, and what was said while it was made. */
export const built = (chat: Chat, { settings, ...rest }: Rest = {}) => {
  const endpoint = fakeEndpoint('http://localhost:8080', {
    settings: { cache: false, ...settings },
  });
  return toBody(fakeRequest(endpoint, chat, rest), NOTHING_REFUSED);
};

/** The fields of the body alone. */
export const body = (chat: Chat, rest?: Rest): Wire => built(chat, rest).fields;

/** The turns in it. */
export const turns = (chat: Chat, rest?: Rest): Wire => body(chat, rest).messages;

export const user = (content: string): Message => ({ role: 'user', content });

export const said = (content: string): Message => ({ role: 'assistant', content });

export const call = (id: unknown, name = 'look', args: unknown = {}): Message => ({
  role: 'function_call',
  content: JSON.stringify({ name, arguments: args, id }),
});

export const output = (id: unknown, content: unknown = 'ok', more: object = {}): Message => ({
  role: 'function_call_output',
  content: JSON.stringify({ name: 'look', id, content, ...more }),
});

export const text = (words: string) => ({ type: 'text', text: words });

export const use = (id: string, name = 'look', input: object = {}) => ({
  type: 'tool_use',
  id,
  name,
  input,
});

export const result = (id: string, content = 'ok') => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});

export const from = (role: string, ...content: readonly object[]) => ({ role, content });
