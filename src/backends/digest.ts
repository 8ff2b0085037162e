// What makes two prompts the same, as one short text. Endpoint, key and session do not count.

import { createHash } from 'node:crypto';
import type { PromptRequest } from './types.ts';

type Parts = Readonly<
  Record<'system' | 'messages' | 'tools' | 'format' | 'note' | 'files', unknown>
>;

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
  return sha256(parts);
}

/**
 * The same of a project wherever it lies: paths of files and jobs that this program puts into a prompt are taken for their names. `parts`
 * has a short digest of each part of the prompt, so that it can be told which of them differ.
 */
export function placelessDigest(request: PromptRequest): {
  readonly anywhere: string;
  readonly parts: Readonly<Record<string, string>>;
} {
  const { messages, tools, format, note, attachments } = request;
  const spoken = messages
    .filter(({ role }) => role !== 'provider_content')
    .map(({ role, content }) => [
      role,
      attachments.has(content.trim()) ? '' : placeless(sentContent(role, content)),
    ]);
  const isSystem = ([role]: readonly string[]) => role === 'system' || role === 'developer';
  const parts: Parts = {
    system: spoken.filter(isSystem),
    messages: spoken.filter((message) => !isSystem(message)),
    tools: tools.map(({ name, description, parameters }) => [name, description, parameters]),
    format: format ?? null,
    note: note ?? null,
    files: [...attachments.values()].map(({ mediaType, base64 }) => [mediaType, base64]),
  };
  const digests = Object.entries(parts).map(([name, part]) => [name, sha256(part).slice(0, 12)]);
  return { anywhere: sha256([spoken, parts]), parts: Object.fromEntries(digests) };
}

const sha256 = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** Names in place of paths: in the tag of a file, and of the job that holds the whole of an output that was shortened. */
const placeless = (content: string): string =>
  content
    .replace(/^<file name="[^"\n]*\/(?=[^"\n/]+">\n)/, '<file name="')
    .replace(/(?<=, whole in job )\/[^\n\]]*\/(?=[^/\n\]]+\/[^/\n\]]+\/[^/\n\]]+\]… )/g, '');

/** Of a tool output only what the provider gets: where its job lies differs from machine to machine. */
export function sentContent(role: string, content: string): string {
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
