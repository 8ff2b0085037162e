// Exceptions in the form in which scout-ai stores them: base64 of Ruby's binary form. Reads the class and the message, nothing else.

/** Undefined when the text is not of that form. */
export function readRubyException(
  text: string,
): { readonly class: string; readonly message: string } | undefined {
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes[0] !== 4 || bytes[1] !== 8) return undefined;
  const name = bytes.indexOf('o:', 2, 'latin1');
  const found = name < 0 ? undefined : readCounted(bytes, name + 2);
  if (found === undefined) return undefined;
  return { class: found.text, message: messageIn(bytes, found.end) ?? '' };
}

/** The text behind the symbol `mesg`; texts may be marked (`I`) as having an encoding. */
function messageIn(bytes: Buffer, from: number): string | undefined {
  const symbol = bytes.indexOf(':\tmesg', from, 'latin1');
  if (symbol < 0) return undefined;
  let at = symbol + 6;
  if (bytes[at] === 0x49) at += 1;
  return bytes[at] === 0x22 ? readCounted(bytes, at + 1)?.text : undefined;
}

/** A length in Ruby's packed form, then so many bytes. */
function readCounted(bytes: Buffer, at: number): { text: string; end: number } | undefined {
  if (at >= bytes.length) return undefined;
  const first = bytes.readInt8(at);
  let length = first - 5;
  let start = at + 1;
  if (first >= 1 && first <= 4) {
    length = 0;
    for (let index = 0; index < first; index++)
      length += (bytes[start + index] ?? 0) * 256 ** index;
    start += first;
  } else if (first === 0) length = 0;
  if (length < 0 || start + length > bytes.length) return undefined;
  return { text: bytes.toString('utf8', start, start + length), end: start + length };
}
