// Reads what a chat says about tools: `tool`, `introduce`, `clear_tools`. Pure.

import { keysAndWords, splitWords } from '../chat/words.ts';
import { locate, usageFailure } from '../errors.ts';
import type { Chat, Message, Origin } from '../types.ts';

/** `tool: Workflow [task [input…] [input=value…]]`. */
export interface ToolDeclaration {
  readonly workflow: string;
  /** All exported tasks when absent. */
  readonly task?: string;
  /** Inputs that the model may set; all when empty. */
  readonly only: readonly string[];
  readonly fixed: Readonly<Record<string, string>>;
  /** `noinputs`: the model sets none. */
  readonly none: boolean;
  readonly origin?: Origin;
}

/** The declaration of a `tool:` message. Throws a usage Failure with its place. */
export function readDeclaration({ content, origin }: Message): ToolDeclaration {
  const from = origin === undefined ? {} : { origin };
  try {
    const { plain, pairs } = keysAndWords(splitWords(content));
    const [workflow, task, ...names] = plain;
    if (workflow === undefined)
      throw usageFailure('bad-tool', '"tool:" names no workflow', {
        next: 'write `tool: Workflow`, or `tool: Workflow task input=value`',
      });
    if (task === undefined && pairs.length > 0)
      throw usageFailure(
        'bad-tool',
        `"tool: ${content.trim().slice(0, 80)}" sets inputs without a task`,
        {
          next: `name the task: \`tool: ${workflow} task ${pairs[0]?.[0]}=…\``,
        },
      );
    return {
      workflow,
      only: names.filter((name) => name !== 'noinputs'),
      fixed: Object.fromEntries(pairs),
      none: names.includes('noinputs'),
      ...(task === undefined ? {} : { task }),
      ...from,
    };
  } catch (error) {
    throw origin === undefined ? error : locate(error, origin);
  }
}

/** The messages of that role that count: what stands before a `clear_tools` that is not `false` declares nothing. */
export function declarations(chat: Chat, declaring: 'tool' | 'mcp' = 'tool'): Chat {
  const cleared = chat.findLastIndex(
    ({ role, content }) => role === 'clear_tools' && content.trim() !== 'false',
  );
  return chat.filter(({ role }, index) => index > cleared && role === declaring);
}
