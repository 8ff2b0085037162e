// The body of a successful answer that is one JSON value a line (NDJSON), as values. Knows no provider's fields but those of errors.

import { parseJson } from '../../json.ts';
import { isHtml } from './error-text.ts';
import { foreign } from './foreign.ts';
import { badReply, type Site } from './problems.ts';
import { LARGEST, LOOKED_AT, quoted, throwError, together, type Value } from './values.ts';

/**
 * The values of the lines as they arrive, those of one read together; only LF and CR LF end a line. Throws a Failure for an error that the server sends with a status of 200, for a
 * web page, and for a body without any value. One value over several lines is read too. A line that is no JSON is left out, the first one with a warning.
 */
export async function* readLines(
  body: AsyncIterable<Uint8Array>,
  site: Site,
  warn: (message: string) => void,
): AsyncGenerator<readonly Value[]> {
  const seen = { values: 0, odd: 0, before: '' };
  const valueIn = (line: string): Value | undefined => {
    if (line.trim() === '') return undefined;
    const alone = parseJson(line);
    const value = alone ?? (seen.values === 0 ? parseJson(seen.before + line) : undefined);
    if (value !== undefined) {
      seen.values++;
      throwError(value, site);
      return { kind: 'value', value, whole: false };
    }
    if (seen.values > 0 && seen.odd++ === 0)
      warn(`left out of the answer: a line that is no JSON (${quoted(line, site)})`);
    if (seen.before.length < LOOKED_AT) seen.before += `${line}\n`;
    return undefined;
  };
  for await (const lines of linesOf(body, site)) yield* together(lines, valueIn);
  if (seen.values > 0) return;
  if (/^(?:data|event): ?\S/m.test(seen.before)) throw foreign(site, seen.before);
  throw badReply(site, 'gave an empty answer', seen.before, !isHtml(seen.before));
}

/** The lines that end in one read, together: there may be many. */
async function* linesOf(
  body: AsyncIterable<Uint8Array>,
  site: Site,
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    // Looked for in what is new only: a long line in small pieces stays cheap.
    if (!text.includes('\n')) {
      rest += text;
      if (rest.length > LARGEST)
        throw badReply(site, 'sent more than one answer can be', '', false);
      continue;
    }
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
  yield [rest + decoder.decode()];
}
