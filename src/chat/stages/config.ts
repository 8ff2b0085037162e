// Takes `config: key value token…` out of the chat and into the configuration of the run.

import { usageFailure } from '../../errors.ts';
import type { Chat, Message } from '../../types.ts';
import { at, isRemote } from '../find.ts';
import type { ConfigSetting, Ports, Scope } from '../types.ts';

/** The chat without its `config` messages, which were handed to the port in order. */
export function config(chat: Chat, ports: Ports, scope: Scope): Chat {
  if (!chat.some(isConfig)) return chat;
  for (const message of chat.filter(isConfig)) ports.configure(settingOf(message, scope));
  return chat.filter((message) => !isConfig(message));
}

const isConfig = ({ role }: Message): boolean => role === 'config';

function settingOf({ content, origin }: Message, scope: Scope): ConfigSetting {
  const [key, value, ...tokens] = content.trim().split(/\s+/);
  if (isRemote(origin?.file ?? scope.file))
    throw usageFailure('remote-config', 'a remote chat may not configure this run (config)', {
      ...at(origin),
      next: 'save the chat and look at it, then import the file',
    });
  if (key === undefined || value === undefined)
    throw usageFailure('bad-config', `"config:" needs a key and a value, not "${content.trim()}"`, {
      ...at(origin),
      next: 'write `config: key value`',
    });
  return { key, value, tokens, ...(origin === undefined ? {} : { origin }) };
}
