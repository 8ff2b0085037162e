// Which entry of `etc/mcp.yaml` a server belongs to. Pure.

import { splitWords } from '../../chat/words.ts';
import type { ServerPlace } from './types.ts';

/** How closely an entry describes the server: the length of what agrees, 0 when it is about another one. */
export function matchLength(
  place: ServerPlace,
  entry: { readonly url?: string; readonly command?: string },
): number {
  if (place.kind === 'address')
    return entry.url === undefined ? 0 : prefixLength(place.url, entry.url);
  if (entry.command === undefined) return 0;
  const words = splitWords(entry.command);
  const own = [place.command, ...place.args];
  const agrees = words.every(
    (word, index) => own[index] === word || (index === 0 && lastPart(own[0] ?? '') === word),
  );
  return agrees ? words.join(' ').length : 0;
}

const lastPart = (command: string): string => command.split(/[\\/]/).at(-1) ?? command;

/** The same origin, and a path that begins with whole parts of the entry's: a key goes to no other host. */
function prefixLength(url: string, prefix: string): number {
  if (!URL.canParse(prefix)) return 0;
  const from = new URL(prefix);
  const to = new URL(url);
  if (from.origin !== to.origin || from.origin === 'null') return 0;
  const begin = from.pathname.replace(/\/+$/, '');
  const fits = to.pathname === begin || to.pathname.startsWith(`${begin}/`);
  return fits ? from.origin.length + begin.length + 1 : 0;
}
