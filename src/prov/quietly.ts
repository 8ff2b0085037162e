// Looks that may fail: what may not be looked at is as good as not there, until it has to be read.

/** What was found; undefined in place of a failure. */
export function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
