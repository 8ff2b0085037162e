// Transcripts of Ollama's /api/chat, as scripts for the fake server.

import type { Script } from './fake-server.ts';

/** Lines of JSON, one write each. */
export function ollamaLines(lines: readonly unknown[], script: Partial<Script> = {}): Script {
  return {
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => `${JSON.stringify(line)}\n`),
    ...script,
  };
}

/** A line with a piece of the message. */
export const piece = (message: Readonly<Record<string, unknown>>) => ({
  model: 'fake:1b',
  created_at: '2026-11-30T00:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  done: false,
});

/** The last line. */
export const last = (rest: Readonly<Record<string, unknown>> = {}) => ({
  ...piece({}),
  done: true,
  done_reason: 'stop',
  total_duration: 2_000_000,
  prompt_eval_count: 14,
  eval_count: 11,
  ...rest,
});

/** A streamed answer. */
export const ollamaStream = (
  texts: string | readonly string[],
  rest: Readonly<Record<string, unknown>> = {},
): Script => ollamaLines([...[texts].flat().map((content) => piece({ content })), last(rest)]);
