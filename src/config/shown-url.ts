// An address for people.

/** An address without user name, password and query, which may hold secrets. */
export function shownUrl(url: string): string {
  const parsed = new URL(url);
  return `${parsed.origin}${parsed.pathname}`.replace(/\/$/, '');
}
