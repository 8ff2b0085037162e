// A conversation over the Responses protocol as a chat is kept: asked, saved as text, read again for the next request.

import type { Backend, PromptRequest } from '../../src/backends/types.ts';
import { parse } from '../../src/chat/parse.ts';
import { print } from '../../src/chat/print.ts';
import { prompt } from '../../src/chat/prompt.ts';
import { turnStart } from '../../src/chat/rounds.ts';
import type { Endpoint } from '../../src/config/types.ts';
import type { Chat, Message } from '../../src/types.ts';
import { type Asked, type AskedContext, askBackend, askContext, fakeRequest } from './asking.ts';

export interface Talk {
  /** What is stored. */
  chat: Chat;
  /** Asks what is stored with these messages behind it, and stores the answer, its calls with the output `12`. */
  ask(more?: Chat | string, rest?: Partial<PromptRequest>): Promise<Asked>;
  /** The body that would be sent. */
  wire(more?: Chat | string): Promise<unknown>;
}

export const TOOLS = [
  { name: 'count', description: '', parameters: { type: 'object', properties: {} } },
];

export function startTalk(
  backend: Backend,
  endpoint: Endpoint,
  context: () => AskedContext = askContext,
): Talk {
  const request = (chat: Chat, rest: Partial<PromptRequest> = {}) => {
    const saved = parse(print(chat));
    const messages = prompt(saved, { backend: 'responses', warn: () => {} });
    const start = turnStart(messages);
    return fakeRequest(endpoint, messages, { tools: TOOLS, turnStart: start, ...rest });
  };
  const asking = (more: Chat | string): Chat =>
    typeof more === 'string' ? [{ role: 'user', content: more }] : more;
  const talk: Talk = {
    chat: [],
    wire: (more = []) => backend.wire(request([...talk.chat, ...asking(more)]), context()),
    async ask(more = [], rest) {
      const chat = [...talk.chat, ...asking(more)];
      const asked = await askBackend(backend, request(chat, rest), context());
      talk.chat = [...chat, ...stored(asked)];
      return asked;
    },
  };
  return talk;
}

function stored({ events, text }: Asked): Chat {
  const blocks = events.flatMap((event) => (event.kind === 'provider-content' ? event.blocks : []));
  const kept = JSON.stringify({ backend: 'responses', blocks });
  return [
    { role: 'meta', content: 'pt=1' },
    ...(blocks.length === 0 ? [] : [{ role: 'provider_content', content: kept }]),
    ...(text === '' ? [] : [{ role: 'assistant', content: text }]),
    ...events.flatMap((event): Message[] => {
      if (event.kind !== 'tool-call') return [];
      const { id, name } = event.call;
      return [
        { role: 'function_call', content: JSON.stringify({ ...event.call }) },
        { role: 'function_call_output', content: JSON.stringify({ name, id, content: '12' }) },
      ];
    }),
  ];
}
