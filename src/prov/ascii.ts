// Bytes that are known to be ASCII as text, without the work of decoding.

/** The caller has made sure that no byte is above 127. */
export const asciiText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
