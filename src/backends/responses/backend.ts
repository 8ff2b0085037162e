// Responses, the protocol of a provider that can keep a conversation. Puts the parts together: body, request, reading, and what a refusal teaches.

import { Failure } from '../../errors.ts';
import { chatCall } from '../http/chat-call.ts';
import { exchange, fetchJson } from '../http/transport.ts';
import { createLessons } from '../lessons.ts';
import { modelEntries, modelOf } from '../model-list.ts';
import { keyHeader } from '../place.ts';
import { createTeller } from '../told-once.ts';
import type { Backend, BackendContext, LogLine, PromptRequest, ReplyEvent } from '../types.ts';
import { type Body, toBody } from './body.ts';
import { FRESH_RUN, fromLesson, type RunState, toLesson } from './known.ts';
import { placeOf, scopeOf } from './place.ts';
import { remedy } from './remedy.ts';
import type { Remedy } from './rules.ts';
import { readReply } from './stream.ts';

/** How often one request is asked again in another form. */
const MOST_REMEDIES = 3;

export const responses: Backend = createResponses();

/** A backend that remembers what each server and model refused: for a week and all processes, and what concerns one run for that run. */
export function createResponses(): Backend {
  const memory = createLessons('responses');
  const runs = new Map<string, RunState>();
  const tell = createTeller();
  return {
    name: 'responses',
    async wire(request, place) {
      const lesson = await memory.in(place).learned(scopeOf(request.endpoint));
      return toBody(request, fromLesson(lesson), runs.get(runKey(request))).fields;
    },
    async *reply(request, context) {
      const lessons = memory.in(context);
      const scope = scopeOf(request.endpoint);
      const first = fromLesson(await lessons.learned(scope));
      let state = { known: first, run: runs.get(runKey(request)) ?? FRESH_RUN };
      for (let tries = 0; ; tries++) {
        const body = toBody(request, state.known, state.run);
        tell(request, body, context);
        let answered = false;
        try {
          for await (const event of ask(request, body, context)) {
            // Only what led to an answer is worth knowing.
            if (!answered && state.known !== first)
              await lessons.teach(scope, toLesson(state.known));
            if (!answered && state.run !== FRESH_RUN) runs.set(runKey(request), state.run);
            answered = true;
            yield event;
          }
          return;
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          const cure = remedy(error, body, state.known, state.run);
          if (cure === undefined) throw error;
          // What was shown already is taken back by whoever asked, and asked for again.
          if (answered) await lessons.teach(scope, toLesson(cure.known));
          if (answered || tries === MOST_REMEDIES) throw error;
          context.warn(`${error.message}; ${cure.told}`);
          context.log?.(refusalLine(cure));
          state = cure;
        }
      }
    },
    async models(endpoint, context) {
      const headers = { accept: 'application/json', ...keyHeader(endpoint) };
      const url = placeOf(endpoint, '/models');
      return modelEntries(await fetchJson({ endpoint, url, headers }, context)).flatMap(modelOf);
    },
  };
}

const refusalLine = ({ what, fields: names }: Remedy): LogLine => ({
  kind: 'refused',
  what,
  ...(names === undefined ? {} : { fields: names }),
});

const runKey = ({ endpoint, sessionId }: PromptRequest): string =>
  `${sessionId} ${scopeOf(endpoint)}`;

function ask(
  request: PromptRequest,
  { fields: body, names, keeps, continues }: Body,
  context: BackendContext,
): AsyncGenerator<ReplyEvent> {
  const call = chatCall(request, placeOf(request.endpoint, '/responses'), body);
  const options = { names, keeps, ...(continues === undefined ? {} : { continues }) };
  return exchange(call, context, (answer) => readReply(answer, context, options));
}
