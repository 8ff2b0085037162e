// Events to bytes: server-sent events or lines of JSON, with every freedom that the formats leave.

import type { Piece } from '../helpers/fake-server.ts';
import type { Delivery, WireEvent } from './types.ts';

const ENDS = { lf: '\n', crlf: '\r\n', cr: '\r' } as const;

/** Server-sent events, each its own piece. A text is taken for the whole event, as it is. */
export function encodeEvents(
  events: readonly WireEvent[],
  { lines = 'lf', comments = false, event_lines = true }: Delivery,
): readonly Piece[] {
  const written = events.map(({ name, data }) => {
    if (isPiece(data)) return data;
    const head = name === undefined || !event_lines ? '' : `event: ${name}\n`;
    return `${head}data: ${JSON.stringify(data)}\n\n`;
  });
  const said = comments ? written.flatMap((each) => [': still here\n\n', each]) : written;
  return said.map((each) => (typeof each === 'string' ? each.replaceAll('\n', ENDS[lines]) : each));
}

/** One JSON value a line. */
export function encodeLines(
  events: readonly WireEvent[],
  { lines = 'lf', comments = false }: Delivery,
): readonly Piece[] {
  const written = events.map(({ data }) => (isPiece(data) ? data : `${JSON.stringify(data)}\n`));
  // The format has no comments; empty lines are what a relay may put in.
  const said = comments ? written.flatMap((each) => ['\n', each]) : written;
  return said.map((each) => (typeof each === 'string' ? each.replaceAll('\n', ENDS[lines]) : each));
}

const isPiece = (data: unknown): data is Piece =>
  typeof data === 'string' ||
  data instanceof Uint8Array ||
  (typeof data === 'object' && data !== null && ('wait' in data || 'until' in data));

/** A text in two parts, in the middle: as a stream brings it. */
export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return text.length < 2 ? [text] : [text.slice(0, middle), text.slice(middle)];
}
