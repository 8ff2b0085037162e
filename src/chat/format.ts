// From the `format` option to what a backend asks for: any JSON, or the JSON Schema that the option holds or names.

import { errorWords, locate, usageFailure } from '../errors.ts';
import { parsedJson } from '../json.ts';
import type { Origin } from '../types.ts';
import { findFor, short } from './find.ts';
import { type Schema, schemaOf } from './schema.ts';
import { readText } from './text-file.ts';
import type { Ports } from './types.ts';

export interface FormatSource {
  /** Where the option was set: names are relative to its file. */
  readonly origin?: Origin;
  /** Path of the chat, for options that know no file. */
  readonly file?: string;
}

/** `'json'`, or a JSON Schema made from a JSON object, its short form, or a file with one. Anything else: a usage Failure. */
export async function answerFormat(
  value: string,
  ports: Ports,
  { origin, file }: FormatSource = {},
): Promise<'json' | Schema> {
  const text = value.trim();
  if (text === 'json') return 'json';
  if (text.startsWith('{')) return schemaAt(text, 'the format', origin);
  const found = await findFor(
    { role: 'format', content: text, ...(origin === undefined ? {} : { origin }) },
    ports,
    file === undefined ? {} : { file },
  );
  const name = found.kind === 'url' ? found.url : found.path;
  return schemaAt(
    await readText(found, 'format', ports, origin),
    `the format "${short(name)}"`,
    origin,
  );
}

function schemaAt(text: string, what: string, origin: Origin | undefined): Schema {
  try {
    return schemaOf(json(text, what));
  } catch (error) {
    throw origin === undefined ? error : locate(error, origin);
  }
}

function json(text: string, what: string): unknown {
  try {
    return parsedJson(text);
  } catch (error) {
    const why = errorWords(error);
    throw usageFailure('bad-format', `${what} is no valid JSON: ${short(why, 160)}`, {
      next: 'write `json`, a JSON Schema, or {"name": "string"}',
    });
  }
}
