// The fields of a meta message, as `parseMeta` reads them. Metas of requests are plain and come by the hundred thousand: those take a short way.

import { type MetaFields, parseMeta, readValue } from '../chat/meta.ts';

/** Pairs with one blank between them, and neither blanks, quotes nor further equals signs in their values. */
const PLAIN = /^[^\s"=]+=[^\s"=]*(?: [^\s"=]+=[^\s"=]*)*$/;

/** Exactly the fields of `parseMeta`. */
export function metaFields(text: string): MetaFields {
  if (!PLAIN.test(text) || text.includes('__proto__')) return parseMeta(text);
  const fields: MetaFields = {};
  for (const pair of text.split(' ')) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals);
    fields[name] = readValue(name, pair.slice(equals + 1));
  }
  return fields;
}
