// The body of a successful answer that is one JSON value a line (NDJSON), as values. Knows no provider's fields but those of errors.

import { isHtml } from './error-text.ts';
import { parseJson } from './json.ts';
import { badReply, type Site } from './problems.ts';
import { LARGEST, LOOKED_AT, quoted, throwError, type Value } from './values.ts';

/**
 * The values of the lines as they arrive; only LF and CR LF end a line. Throws a Failure for an error that the server sends with a status of 200, for a
 * web page, and for a body without any value. One value over several lines is read too. A line that is no JSON is left out, the first one with a warning.
 */
export async function* readLines(
  body: AsyncIterable<Uint8Array>,
  site: Site,
  warn: (message: string) => void,
): AsyncGenerator<Value> {
  let values = 0;
  let odd = 0;
  let before = '';
  for await (const line of linesOf(body, site)) {
    if (line.trim() === '') continue;
    const alone = parseJson(line);
    const value = alone ?? (values === 0 ? parseJson(before + line) : undefined);
    if (value === undefined) {
      if (values > 0 && odd++ === 0)
        warn(`left out of the answer: a line that is no JSON (${quoted(line, site)})`);
      if (before.length < LOOKED_AT) before += `${line}\n`;
      continue;
    }
    values++;
    throwError(value, site);
    yield { kind: 'value', value, whole: false };
  }
  if (values === 0) throw badReply(site, 'gave an empty answer', before, !isHtml(before));
}

async function* linesOf(body: AsyncIterable<Uint8Array>, site: Site): AsyncGenerator<string> {
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
    yield* lines;
  }
  yield rest + decoder.decode();
}
