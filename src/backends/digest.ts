// What makes two prompts the same, as one short text. Endpoint, key and session do not count.

import { createHash } from 'node:crypto';
import type { PromptRequest } from './types.ts';

/**
 * SHA-256 of messages, tools, format, note and the files that go with them. What only the provider can read of its own answers is left out:
 * a replay, which is another backend, does not have it.
 */
export function promptDigest(request: PromptRequest): string {
  const { messages, tools, format, note, attachments } = request;
  const spoken = messages.filter(({ role }) => role !== 'provider_content');
  const parts = {
    messages: spoken.map(({ role, content }) => [role, sentContent(role, content)]),
    tools: tools.map(({ name, description, parameters }) => [name, description, parameters]),
    format: format ?? null,
    note: note ?? null,
    attachments: [...attachments.values()].map(({ mediaType, base64 }) => [mediaType, base64]),
  };
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Of a tool output only what the provider gets: where its job lies differs from machine to machine. */
function sentContent(role: string, content: string): string {
  if (role !== 'function_call_output') return content;
  try {
    const { id, name, content: text } = JSON.parse(content);
    return JSON.stringify({ id, name, content: text });
  } catch {
    return content;
  }
}

/** The last question of a prompt in a few words, for people. */
export function promptSummary({ messages }: PromptRequest): string {
  const last = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1);
  const line = (last?.content ?? '').replace(/\s+/g, ' ').trim();
  return `${last?.role ?? 'nothing'}: ${line.length > 100 ? `${line.slice(0, 99)}…` : line}`;
}
