// The form of an answer in words.

import type { PromptRequest } from './types.ts';

/**
 * What the model is told where the server does not hold it to the form. Any JSON is asked for in words too: servers refuse JSON mode
 * where the word is not there.
 */
export function formatNote(
  { format }: Pick<PromptRequest, 'format'>,
  held: boolean,
): string | undefined {
  if (format === undefined || (format !== 'json' && held)) return undefined;
  const shape = format === 'json' ? '' : ` that fits this JSON Schema: ${JSON.stringify(format)}`;
  return `Answer with one JSON value and nothing else${shape}`;
}
