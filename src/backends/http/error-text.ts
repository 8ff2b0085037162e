// What an error body says, in one line: its message when it is JSON, a summary when it is a web page, its first characters otherwise.

import { type Fields, fields, isObject, list, parseJson, text } from '../../json.ts';

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
  const said = wordsIn(value, 0) ?? rest(value);
  const { provider_name: name, raw } = fields(fields(errorBody(value).error).metadata);
  const behind = [text(name), typeof raw === 'string' ? raw : rest(raw)].filter(Boolean).join(': ');
  return behind === '' ? said : `${said} (${behind})`;
}

/** Where servers put the words, the likeliest place first. */
const PLACES = ['error', 'errors', 'message', 'Message', 'msg', 'detail'] as const;
/** Gateways wrap the errors of those behind them, as objects or as their JSON. */
const DEEPEST = 4;

function wordsIn(value: unknown, depth: number): string | undefined {
  if (depth > DEEPEST) return undefined;
  if (typeof value === 'string') {
    const inner = value.startsWith('{') ? wordsIn(parseJson(value), depth + 1) : undefined;
    return inner ?? text(value);
  }
  if (Array.isArray(value)) {
    const each = value.map((one) => wordsIn(one, depth + 1)).filter((words) => words !== undefined);
    return text(each.join('; '));
  }
  const object = fields(value);
  for (const place of PLACES) {
    const words = wordsIn(object[place], depth + 1);
    if (words !== undefined)
      return [aboutIn(object), words, text(object.error_description)].filter(Boolean).join(': ');
  }
  return undefined;
}

/** The field of the request that an entry of a list of complaints is about. */
const aboutIn = ({ loc }: Fields): string => list(loc).join('.');

function rest(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (isObject(value) && Object.keys(value).length === 0) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function pageText(page: string): string {
  const found = /<title[^<>]*>([^<]{1,400})/i.exec(page) ?? /<h1[^<>]*>([^<]{1,400})/i.exec(page);
  const title = shorten(found?.[1] ?? '', 100);
  return title === '' ? 'a web page, not an answer' : `a web page, "${title}"`;
}
