// Servers that tell everything they were told: the request's headers and address, in every place where a client might repeat it.

import { WIRES } from '../fake/server.ts';
import type { WireName } from '../fake/types.ts';
import type { RecordedRequest, Script } from '../helpers/fake-server.ts';

/** What a server answers to a request, by a sentence about it. */
export const LEAKS: Readonly<
  Record<string, (wire: WireName, request: RecordedRequest, elsewhere: string) => Script>
> = {
  'a 400 that repeats the headers': (wire, request) => refusal(wire, 400, everything(request)),
  'a 401 that repeats the key over and over': (wire, request) =>
    refusal(wire, 401, `bad key ${everything(request).repeat(40)}`),
  'a 500 in plain text': (_, request) => ({ status: 500, body: everything(request) }),
  'a 502 as a web page': (_, request) => ({
    status: 502,
    body: `<html><title>${everything(request)}</title><h1>${everything(request)}</h1></html>`,
  }),
  'a 429 with the key in Retry-After': (wire, request) => ({
    ...refusal(wire, 429, 'slow down'),
    headers: { 'retry-after': secretOf(request) },
  }),
  'a refusal that teaches something': (wire, request) =>
    refusal(
      wire,
      400,
      `temperature: 'temperature' is not supported with this model; ${everything(request)}`,
    ),
  'a redirect to another host': (_, request, elsewhere) => ({
    status: 307,
    headers: { location: `${elsewhere}/caught${request.path.split('?')[0]}` },
    body: everything(request),
  }),
  'an event that is no JSON': (_, request) => ({
    body: `data: ${everything(request)}\n\n${everything(request)}\n\n`,
  }),
  'an event that begins with the key': (_, request) => ({
    body: [1, 40, 70, 76, 190].map(
      (before) => `data: ${'x'.repeat(before)}${secretOf(request)} and more\n\n`,
    ),
  }),
  'a page with status 200': (_, request) => ({
    headers: { 'content-type': 'text/html' },
    body: `<!DOCTYPE html><title>${everything(request)}</title>`,
  }),
  'an error inside the answer': (wire, request) => {
    const { data, name } = WIRES[wire].errorEvent({ message: everything(request) }, 1);
    return { body: WIRES[wire].encode([name === undefined ? { data } : { name, data }], {}) };
  },
  'an answer that is no HTTP': (_, request) => ({ raw: `HTTP ${everything(request)}\r\n\r\n` }),
};

function refusal(wire: WireName, status: number, message: string): Script {
  return { status, body: WIRES[wire].error({ message }, status, 1) as Record<string, unknown> };
}

/** Headers and address, in several forms. */
function everything({ headers, path }: RecordedRequest): string {
  return `${JSON.stringify(headers)} ${path} ${Object.values(headers).join(' ')} ${decodeURIComponent(path)} `;
}

function secretOf({ headers }: RecordedRequest): string {
  return headers['x-auth-token'] ?? headers['x-api-key'] ?? headers.authorization ?? '';
}
