// What a delegated conversation begins with, besides the start chat of the one that is asked. Pure.

import type { Caller } from '../ask/types/agents.ts';
import type { Chat } from '../types.ts';

export const INHERIT = ['none', 'tools', 'conversation'] as const;
export type Inherit = (typeof INHERIT)[number];

const TOOLS: ReadonlySet<string> = new Set(['introduce', 'tool', 'mcp', 'kb']);

/** What was said; options, bookkeeping and what a provider alone understands stay behind. */
const SPOKEN: ReadonlySet<string> = new Set(
  'system developer user assistant function_call function_call_output mcp_call image pdf'.split(
    ' ',
  ),
);

/** `seen` is the chat that the call's tool sees, `workflows` are those of the command line. */
export function inherited(
  how: Inherit,
  caller: Caller,
  seen: Chat,
  workflows: readonly string[] = [],
): Chat {
  if (how === 'none') return [];
  const tools = [
    ...workflows.map((content) => ({ role: 'tool', content })),
    ...declared([...caller.start, ...caller.conversation]),
  ];
  if (how === 'tools') return tools;
  const said = [...caller.conversation, ...caller.added(seen)];
  return [...tools, ...said.filter(({ role }) => SPOKEN.has(role))];
}

function declared(chat: Chat): Chat {
  const cleared = chat.findLastIndex(
    ({ role, content }) => role === 'clear_tools' && content.trim() !== 'false',
  );
  return chat.filter(({ role }, index) => index > cleared && TOOLS.has(role));
}
