// Writes what a backend answers to a file, one JSON line a request, from which the backend `replay` answers again.

import { placelessDigest, promptDigest, promptSummary } from './digest.ts';
import { redactor } from './http/redact.ts';
import type { Backend, PromptRequest, ReplyEvent } from './types.ts';

/** One line of a recording. */
export interface RecordedReply {
  readonly version: 1;
  /** Of the prompt; the replay looks for it. */
  readonly digest: string;
  /** Of the prompt without the paths of this project; a replay elsewhere looks for it. */
  readonly anywhere: string;
  /** Short digests of its parts: what differs from another prompt. */
  readonly parts: Readonly<Record<string, string>>;
  /** For people. */
  readonly prompt: string;
  readonly backend: string;
  readonly model?: string;
  /** Milliseconds since the request went out, and what arrived then. */
  readonly events: readonly (readonly [number, ReplyEvent])[];
}

/**
 * The same backend; each reply that comes to its end is handed to `write` as one line with its line end, in one piece, so that a
 * run that is killed leaves whole lines. A reply that fails is not recorded. Keys are taken out. It also says which request it was; of one
 * that is played again that is known already.
 */
export function recording(backend: Backend, write: (line: string) => Promise<void>): Backend {
  return {
    ...backend,
    async *reply(request, context) {
      const { clock } = context;
      const sent = clock.now().toISOString();
      const started = clock.monotonic();
      const events: [number, ReplyEvent][] = [];
      const isKnown = () => events.some(([, { kind }]) => kind === 'inference');
      for await (const event of backend.reply(request, context)) {
        const time = Math.round(clock.monotonic() - started);
        if (event.kind === 'finish' && !isKnown()) {
          const endpoint = request.endpoint.name;
          const inference: ReplyEvent = { kind: 'inference', id: clock.id(), sent, endpoint };
          events.push([time, inference]);
          yield inference;
        }
        events.push([time, event]);
        // The last event is passed on when the line is safe: whoever has the whole reply has its recording.
        if (event.kind === 'finish') await write(toLine(backend, request, events));
        yield event;
      }
    },
  };
}

function toLine(
  { name }: Backend,
  request: PromptRequest,
  events: RecordedReply['events'],
): string {
  const { model } = request.endpoint;
  const record: RecordedReply = {
    version: 1,
    digest: promptDigest(request),
    ...placelessDigest(request),
    prompt: promptSummary(request),
    backend: name,
    ...(model === undefined ? {} : { model }),
    events,
  };
  return `${redactor(request.endpoint)(JSON.stringify(record))}\n`;
}
