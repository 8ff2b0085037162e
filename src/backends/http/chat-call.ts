// The request for an answer, the same on every wire but for its address, its body and a few headers. Sends nothing.

import type { Fields } from '../../json.ts';
import { bodyText } from '../body-json.ts';
import { keyHeader, sessionHeaders } from '../place.ts';
import type { PromptRequest } from '../types.ts';
import type { Call } from './types.ts';

export interface Wire {
  /** In place of the key's header alone. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The server's own header for the run. */
  readonly sessionHeader?: string | undefined;
  /** See Call. */
  readonly lines?: true;
  readonly cache?: string;
}

export function chatCall(
  { endpoint, sessionId, attachments }: PromptRequest,
  url: URL,
  body: Fields,
  { headers, sessionHeader, ...rest }: Wire = {},
): Call {
  const streamed = body.stream === true;
  const stream = rest.lines === true ? 'application/x-ndjson' : 'text/event-stream';
  return {
    endpoint,
    url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: streamed || rest.lines === true ? `${stream}, application/json` : 'application/json',
      ...(headers ?? keyHeader(endpoint)),
      ...sessionHeaders(endpoint, sessionId, sessionHeader),
    },
    body: bodyText(body),
    attachments,
    streamed,
    ...rest,
  };
}
