// Names that no other process makes and this one never makes twice. Not secret.

let own: string | undefined;
let count = 0;

/** 16 hexadecimal digits: ten drawn once for this process, which cost a call into the library, then a count. */
export function freshName(): string {
  // The global is loaded at its first use, `node:crypto` with the program.
  own ??= Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(5))).toString('hex');
  count += 1;
  return own + (count % 2 ** 24).toString(16).padStart(6, '0');
}
