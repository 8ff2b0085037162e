// Separates what a chat says about how it is asked from what is said in it. Pure: the input stays as it is, values stay text.

import { usageFailure } from '../errors.ts';
import type { Chat, Message, Options, Origin } from '../types.ts';
import { at, short } from './find.ts';

export interface ChatOptions {
  /** The messages that are not options. `previous_response_id` stays: it also marks a place. */
  readonly chat: Chat;
  readonly options: Options;
  /** Where each option was set. */
  readonly origins: Readonly<Record<string, Origin>>;
}

interface Entry {
  readonly value: string;
  readonly origin: Origin | undefined;
}

/** Named by their role; hold for the rest of the conversation. */
const STICKY: ReadonlySet<string> = new Set(['endpoint', 'model', 'backend', 'agent']);
/** Named by their role; hold for the next answer. */
const PENDING: ReadonlySet<string> = new Set(['persist', 'format']);

/** The options in force after the last message, and the other messages. A line that sets nothing is a usage Failure. */
export function options(chat: Chat): ChatOptions {
  const sticky = new Map<string, Entry>();
  const pending = new Map<string, Entry>();
  const rest: Message[] = [];
  for (const message of chat) {
    const { role, content, origin } = message;
    if (STICKY.has(role)) sticky.set(role, { value: content.trim(), origin });
    else if (PENDING.has(role)) pending.set(role, { value: content, origin });
    else if (role === 'option') pending.set(...keyAndValue(message));
    else if (role === 'sticky_option') sticky.set(...keyAndValue(message));
    else {
      if (role === 'previous_response_id') sticky.set(role, { value: content.trim(), origin });
      if (role === 'assistant') pending.clear();
      rest.push(message);
    }
  }
  return { chat: rest, ...merged(sticky, pending) };
}

function keyAndValue({ role, content, origin }: Message): [string, Entry] {
  const [, key = '', value = ''] = /^(\S*)\s*([\s\S]*)$/.exec(content.trim()) ?? [];
  if (/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(key)) return [key, { value, origin }];
  const [name, given] = key.split(/[=:]/);
  throw usageFailure('bad-option', `"${role}:" takes a name and a value, not "${short(content)}"`, {
    ...at(origin),
    next: `write \`${role}: ${name || 'name'} ${given || value || 'value'}\``,
  });
}

/** Pending options lie on top; one without a value takes the option away. */
function merged(
  sticky: ReadonlyMap<string, Entry>,
  pending: ReadonlyMap<string, Entry>,
): Pick<ChatOptions, 'options' | 'origins'> {
  const set = [...new Map([...sticky, ...pending])].filter(([, { value }]) => !isNothing(value));
  return {
    options: Object.fromEntries(set.map(([key, { value }]) => [key, value])),
    origins: Object.fromEntries(
      set.flatMap(([key, { origin }]) => (origin === undefined ? [] : [[key, origin] as const])),
    ),
  };
}

const isNothing = (value: string): boolean => value.trim() === '' || value.trim() === 'nil';
