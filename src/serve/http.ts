// The protocol over HTTP: who may not ask is refused, who opened a session goes on in it, and newer clients need none.

import type { McpServerFactory } from '@modelcontextprotocol/server';
import { isDeepJson } from '../json.ts';
import type { Listening, Servers } from '../world/types/network.ts';
import { createAdmission, type Place } from './admission.ts';
import { createGuard, type GuardOptions, refusal } from './guard.ts';
import type { Library } from './library.ts';
import { createSessions } from './sessions.ts';

/** Serves until it is closed. Rejects with a usage Failure when the address cannot be had. */
export async function serveHttp(
  place: GuardOptions & { readonly port: number },
  factory: McpServerFactory,
  { servers, library }: { readonly servers: Servers; readonly library: Library },
): Promise<Listening> {
  const guard = createGuard(place, library);
  const sessions = createSessions(factory, library);
  const admit = createAdmission();
  const newer = library.createMcpHandler(factory, { legacy: 'reject' });
  const answer = async (request: Request): Promise<Response> => {
    const refused = guard(request);
    if (refused !== undefined) return refused;
    const place = admit();
    try {
      return place.until(await answerAt(place, request));
    } catch (error) {
      place.leave();
      throw error;
    }
  };
  const answerAt = async (place: Place, request: Request): Promise<Response> => {
    const body = await bodyOf(request, place);
    if (body instanceof Response) return body;
    const { parsedBody } = body;
    const refused = place.takeRequests(requestsIn(parsedBody));
    if (refused !== undefined) return refused;
    if (await library.isLegacyRequest(request, parsedBody))
      return sessions.answer(request, parsedBody);
    return newer.fetch(request, parsedBody === undefined ? {} : { parsedBody });
  };
  const listening = await servers.listen(place, answer);
  return {
    port: listening.port,
    async close() {
      await Promise.all([newer.close(), sessions.close()]);
      await listening.close();
    },
  };
}

/** How many wait for an answer: what cancels one does not. */
const requestsIn = (parsedBody: unknown): number =>
  [parsedBody]
    .flat()
    .filter((each) => typeof each === 'object' && each !== null && 'method' in each && 'id' in each)
    .length;

/** What was posted, or the answer to what cannot be read. */
async function bodyOf(
  request: Request,
  place: Place,
): Promise<{ readonly parsedBody?: unknown } | Response> {
  if (request.method !== 'POST' || request.body === null) return {};
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? ''))
    return refusal(415, 'Content-Type must be application/json');
  const pieces: Uint8Array[] = [];
  const reader = request.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const refused = place.takeBytes(piece.value.length);
    if (refused !== undefined) return refused;
    pieces.push(piece.value);
  }
  const text = Buffer.concat(pieces).toString();
  // Before it is read: millions of brackets would hold up everybody for many seconds.
  if (isDeepJson(text)) return refusal(400, 'the body is nested too deep');
  try {
    return { parsedBody: JSON.parse(text) };
  } catch {
    return refusal(400, 'the body is not JSON');
  }
}
