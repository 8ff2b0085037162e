// Whether the model must call a tool, as the setting `tool_choice` says.

import { configFailure } from '../errors.ts';
import { textSetting } from './settings.ts';
import type { PromptRequest } from './types.ts';

/** `required`: any of them. A name: that one. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** After a tool was run the model may speak: a call that must be made is made once. A name that no tool has is a configuration Failure (exit 3). */
export function toolChoice({ tools, endpoint, messages }: PromptRequest): ToolChoice {
  const choice = textSetting(endpoint, 'tool_choice') ?? 'auto';
  if (choice === 'none') return choice;
  if (choice === 'auto' || messages.at(-1)?.role === 'function_call_output') return 'auto';
  if (choice === 'required') return choice;
  if (tools.some(({ name }) => name === choice)) return { name: choice };
  throw configFailure('bad-setting', `"tool_choice" names no tool: "${choice}"`, {
    at: `endpoint ${endpoint.name} (${endpoint.source}), or an option of the chat`,
    next: `auto, none, required, or one of: ${tools.map(({ name }) => name).join(', ')}`,
    facts: { kind: 'configuration' },
  });
}
