// Cuts away what the chat itself says to forget: `clear`, `clear_tools`, `clear_associations`, `clear_role`, `clean_role`.

import type { Chat, Message } from '../../types.ts';
import { isEmpty } from './clean.ts';

const ROLES: ReadonlySet<string> = new Set([
  'clear',
  'clear_tools',
  'clear_associations',
  'clear_role',
  'clean_role',
]);

/** What stands after the last `clear`, without the roles and the tool traffic that other markers take out. The markers go too. */
export function clear(chat: Chat): Chat {
  if (!chat.some(({ role }) => ROLES.has(role))) return chat;
  const start = chat.findLastIndex(({ role }) => role === 'clear') + 1;
  return dropRoles(dropTools(chat.slice(start)));
}

const TRAFFIC: ReadonlySet<string> = new Set(['function_call', 'function_call_output']);
const DECLARATIONS: ReadonlySet<string> = new Set(['tool', 'mcp', 'kb', 'association']);

/**
 * From the end: after `clear_tools` (seen so) tool traffic is dropped until a `clear_tools: false` lets it be again;
 * tools that were declared before it are forgotten for good.
 */
function dropTools(chat: Chat): Chat {
  const kept: Message[] = [];
  let dropping = false;
  let forgetsTools = false;
  let forgetsAssociations = false;
  for (const message of chat.toReversed()) {
    const { role } = message;
    if (role === 'clear_tools') {
      dropping = message.content.trim() !== 'false';
      forgetsTools ||= dropping;
    } else if (role === 'clear_associations')
      forgetsAssociations ||= message.content.trim() !== 'false';
    else if (TRAFFIC.has(role) && dropping) continue;
    else if (DECLARATIONS.has(role) && forgetsTools) continue;
    else if (role === 'association' && forgetsAssociations) continue;
    else kept.push(message);
  }
  return kept.reverse();
}

const isMarker = ({ role }: Message): boolean => role === 'clear_role' || role === 'clean_role';

function dropRoles(chat: Chat): Chat {
  const roles = new Set(chat.filter(isMarker).map(({ content }) => content.trim()));
  if (roles.size === 0) return chat;
  return chat.filter(
    (message) => !isMarker(message) && !roles.has(message.role) && !isEmpty(message),
  );
}
