// What a backend tells about its requests, as records for `--events`.

import type { LogLine } from '../backends/types.ts';

type LogRecord = Readonly<Record<string, unknown>> & { readonly type: string };

/** The record of one line. */
export function logRecord(line: LogLine): LogRecord {
  if (line.kind === 'http') {
    const { kind: type, firstToken, ...rest } = line;
    return { type, ...rest, ...(firstToken === undefined ? {} : { first_token: firstToken }) };
  }
  const { what, fields } = line;
  const named = fields === undefined ? {} : { fields };
  return OWN.has(what)
    ? { type: `${what}_refused`, ...named }
    : { type: 'request_refused', what, ...named };
}

/** Refusals that have a type of their own. */
const OWN: ReadonlySet<string> = new Set(['reasoning_history', 'thinking', 'sampling']);
