// What an error body says, in one line: its message when it is JSON, a summary when it is a web page, its first characters otherwise.

import { type Fields, fields, isObject, list, parseJson, text } from '../json.ts';

/** Longest text that is quoted from a server. */
const LONGEST_TEXT = 500;

/** One line of at most 500 characters; empty when the body says nothing. */
export function errorText(body: string): string {
  const parsed = parseJson(body);
  if (parsed !== undefined) return shorten(jsonText(parsed));
  return shorten(isHtml(body) ? pageText(body) : body);
}

/** Whether a body is a web page. */
export function isHtml(body: string): boolean {
  return /^\s*(?:<!--[\s\S]*?-->\s*)?<(?:!doctype|html|head|body|title|h1|center)\b/i.test(body);
}

/** White space becomes single spaces; a long text ends in "…". */
export function shorten(body: string, longest = LONGEST_TEXT): string {
  const line = body.replace(/\s+/g, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).trimEnd()}…`;
}

/** The body of an error as an object: some servers put it into a list. */
export function errorBody(value: unknown): Fields {
  return fields(Array.isArray(value) && value.length === 1 ? value[0] : value);
}

/** The provider's words; those of the provider behind a gateway follow. */
function jsonText(value: unknown): string {
  const { error, message, detail } = errorBody(value);
  const said =
    text(fields(error).message) ??
    text(error) ??
    text(message) ??
    text(detail) ??
    text(complaints(detail)) ??
    rest(value);
  const { provider_name: name, raw } = fields(fields(error).metadata);
  const behind = [text(name), typeof raw === 'string' ? raw : rest(raw)].filter(Boolean).join(': ');
  return behind === '' ? said : `${said} (${behind})`;
}

/** A list of what is wrong with single fields of the request. */
function complaints(detail: unknown): string {
  return list(detail)
    .map(fields)
    .map(({ loc, msg }) => [list(loc).join('.'), text(msg)].filter(Boolean).join(': '))
    .filter((line) => line !== '')
    .join('; ');
}

function rest(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (isObject(value) && Object.keys(value).length === 0) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function pageText(page: string): string {
  const found = /<title[^>]*>([^<]{1,400})/i.exec(page) ?? /<h1[^>]*>([^<]{1,400})/i.exec(page);
  const title = shorten(found?.[1] ?? '', 100);
  return title === '' ? 'a web page, not an answer' : `a web page, "${title}"`;
}
