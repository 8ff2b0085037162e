// Server-sent events: bytes to events, however they are cut. Reads no JSON.

import { createParser } from 'eventsource-parser';

/** What one stream may hold without a line end; more is no event stream. */
const LONGEST_EVENT = 64 * 1024 * 1024;

export type StreamItem =
  /** A whole event; comments, ids and events without data give none. */
  | { readonly kind: 'event'; readonly name?: string; readonly data: string }
  /** A line that is no field of the format, as it stands: servers put errors there. */
  | { readonly kind: 'line'; readonly text: string };

/**
 * The items of a body, those of one read together, each as soon as its last byte is there. Line ends may be LF, CR LF or CR; bytes that are not UTF-8 become
 * U+FFFD; an event that the body ends in is delivered too. Rejects with what reading the body rejects with, and with `tooLong()` for an event
 * that is none.
 */
export async function* readStream(
  body: AsyncIterable<Uint8Array>,
  tooLong: () => Error,
): AsyncGenerator<readonly StreamItem[]> {
  let items: StreamItem[] = [];
  const taken = (): readonly StreamItem[] => {
    const batch = items;
    items = [];
    return batch;
  };
  const parser = createParser({
    maxBufferSize: LONGEST_EVENT,
    onEvent: ({ event, data }) =>
      items.push({ kind: 'event', data, ...(event === undefined ? {} : { name: event }) }),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw tooLong();
      if (error.type === 'unknown-field') items.push({ kind: 'line', text: error.line ?? '' });
    },
  });
  const decode = createDecoder();
  for await (const bytes of body) {
    parser.feed(decode(bytes));
    if (items.length > 0) yield taken();
  }
  parser.feed(`${decode()}\n\n`);
  if (items.length > 0) yield taken();
}

/** Bytes to text with LF line ends, across any cut; called without bytes at the end. */
function createDecoder(): (bytes?: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8');
  let afterReturn = false;
  return (bytes) => {
    let text = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    if (text === '') return text;
    // A CR ends its line at once; the LF that may follow in the next read then ends nothing.
    if (afterReturn && text.startsWith('\n')) text = text.slice(1);
    afterReturn = text.endsWith('\r');
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  };
}
