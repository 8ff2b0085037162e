// Text that goes into a question: standard input, and the file that stands for `...`. What is no text is refused.

import { decode } from '../chat/decode.ts';
import { usageFailure } from '../errors.ts';
import type { Warn } from '../types.ts';
import type { World } from '../world/types/world.ts';

const INPUT = 'standard input';

/** How long a pipe that nobody writes to is waited for, in milliseconds, when the question does not ask for it. */
const PATIENCE = 300;

/** Standard input to its end; '' when it is a terminal or nothing. */
export async function wholeInput({ input, signal }: World, warn: Warn): Promise<string> {
  if (input.kind === 'terminal' || input.kind === 'none') return '';
  return textOf(await input.read(signal), INPUT, warn);
}

/** Standard input, undefined when there is none. A pipe that is silent is waited for only when the text is `wanted`. */
export async function inputText(
  wanted: boolean,
  { input, output, signal }: World,
  warn: Warn,
): Promise<string | undefined> {
  if (input.kind === 'terminal' || input.kind === 'none') return undefined;
  const bytes =
    wanted || input.kind === 'file'
      ? await input.read(signal)
      : await input.readIfReady(PATIENCE, signal);
  if (bytes !== undefined) return textOf(bytes, INPUT, warn);
  output.note(
    'standard input is open but sent nothing at once, so it is not read; write ... in the question to wait for it',
  );
  return undefined;
}

/** Bytes as text. Single bytes that are not UTF-8 are warned about; what holds NUL bytes is a usage Failure. */
export function textOf(bytes: Uint8Array, file: string, warn: Warn): string {
  const text = decode(bytes, { file, warn });
  if (!bytes.includes(0)) return text;
  throw usageFailure('not-text', `${file} is not text: it holds NUL bytes`, {
    next: 'images and PDFs go with `image:` and `pdf:` in a chat; turn anything else into UTF-8 text first',
  });
}
