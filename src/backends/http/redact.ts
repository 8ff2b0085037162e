// Takes the secrets of an endpoint out of texts that came from outside: servers repeat headers and addresses in their errors.

import type { Endpoint } from '../../config/types.ts';

/** Shorter values are words such as `none` or `EMPTY`; masking them would only spoil texts. */
const SHORTEST_SECRET = 6;
/** Of headers and of query parameters. */
const SECRET_NAME = /key|token|auth|secret|cookie|pass|credential|sig|code/i;

/** A function that puts `***` in place of the endpoint's key, secret headers, and secrets in its URL, in the forms that servers write them. */
export function redactor(endpoint: Endpoint): (text: string) => string {
  const forms = new Set(secrets(endpoint).flatMap(writtenForms));
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}

function secrets(endpoint: Endpoint): string[] {
  const found = [endpoint.key?.reveal() ?? ''];
  for (const [name, value] of Object.entries(endpoint.headers))
    if (SECRET_NAME.test(name)) found.push(value, value.replace(/^\S+\s+/, ''));
  if (endpoint.url !== undefined && URL.canParse(endpoint.url)) {
    const url = new URL(endpoint.url);
    for (const [name, value] of url.searchParams) if (SECRET_NAME.test(name)) found.push(value);
    found.push(url.password, decoded(url.password), basicToken(url.username, url.password));
    if (url.password === '') found.push(url.username, decoded(url.username));
  }
  return found.map((text) => text.trim()).filter((text) => text.length >= SHORTEST_SECRET);
}

/** User and password as a header tells them. */
export const basicToken = (user: string, password: string): string =>
  Buffer.from(`${decoded(user)}:${decoded(password)}`).toString('base64');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function writtenForms(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
  ];
}
