// Anthropic Messages and the hosts that speak it. Puts the parts together: body, request, reading, and what a refusal teaches.

import { Failure } from '../../errors.ts';
import { list } from '../../json.ts';
import { chatCall } from '../http/chat-call.ts';
import { exchange } from '../http/transport.ts';
import { createLeftTools } from '../left-tools.ts';
import { createLessons } from '../lessons.ts';
import { createTeller } from '../told-once.ts';
import type { Backend, BackendContext, PromptRequest, ReplyEvent } from '../types.ts';
import { advised } from './advice.ts';
import { type Block, withoutLastSpace, withPlace } from './blocks.ts';
import { type Body, type Refused, toBody } from './body.ts';
import { keepLessons, keepLimits, learnedBefore } from './lessons.ts';
import { listModels } from './models.ts';
import { type Paused, toItsEnd } from './pause.ts';
import { dialectOf, headersFor, placeKey, placeOf } from './place.ts';
import { type Remedy, remedy } from './remedy.ts';
import { readReply } from './stream.ts';

export const anthropic: Backend = createAnthropic();

/** A backend that remembers what each host and model refused: as long as the process lives, and a week on disk. */
export function createAnthropic(): Backend {
  const memory = createLessons('anthropic');
  const left = createLeftTools();
  const tell = createTeller();
  return {
    name: 'anthropic',
    async wire(request, place) {
      const known = await learnedBefore(request.endpoint, memory.in(place));
      return toBody(request, { ...known, tools: left.of(request) }).fields;
    },
    async *reply(request, context) {
      const lessons = memory.in(context);
      const place = placeKey(request.endpoint);
      const known = await learnedBefore(request.endpoint, lessons);
      let refused: Refused = { ...known, tools: left.of(request) };
      const remedies: Remedy[] = [];
      for (;;) {
        const body = toBody(request, refused);
        tell(request, body, context);
        let shown = false;
        try {
          for await (const event of toItsEnd(asking(request, body, context), context.warn)) {
            shown = true;
            // An answer proves that the changes helped.
            if (remedies.length > 0) {
              left.keep(request, refused.tools ?? new Set());
              await keepLessons(request.endpoint, remedies.splice(0), lessons);
            }
            yield event.kind === 'provider-content'
              ? { ...event, blocks: withPlace(event.blocks, place) }
              : event;
          }
          return;
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          const tried = new Set(remedies.map(({ kind }) => kind));
          const cure = shown ? undefined : remedy(error, body, tried);
          if (cure === undefined) throw advised(error);
          context.warn(`${error.message}; ${cure.told}`);
          context.log?.({ kind: 'refused', what: cure.what });
          remedies.push(cure);
          const tools = new Set([...(refused.tools ?? []), ...(cure.change.tools ?? [])]);
          refused = { ...refused, ...cure.change, tools };
        }
      }
    },
    async models(endpoint, context) {
      const { models, limits } = await listModels(endpoint, context);
      await keepLimits(endpoint, limits, memory.in(context));
      return models;
    },
  };
}

/** Asks for an answer, or for the rest of one whose blocks so far are given. */
const asking =
  (request: PromptRequest, body: Body, context: BackendContext) => (earlier: readonly Block[]) =>
    ask(request, earlier.length === 0 ? body : goingOn(body, earlier), context, earlier);

function goingOn(body: Body, earlier: readonly Block[]): Body {
  const said = { role: 'assistant', content: withoutLastSpace(earlier) };
  const messages = [...list(body.fields.messages), said];
  return { ...body, fields: { ...body.fields, messages } };
}

function ask(
  request: PromptRequest,
  { fields: body, names, cache }: Body,
  context: BackendContext,
  earlier: readonly Block[],
): AsyncGenerator<ReplyEvent | Paused> {
  const { endpoint } = request;
  const { dialect } = dialectOf(endpoint);
  const call = chatCall(request, placeOf(endpoint, '/messages'), body, {
    headers: headersFor(endpoint, dialect),
    sessionHeader: dialect.sessionHeader,
    ...(cache === undefined ? {} : { cache }),
  });
  return exchange(call, context, (answer) => readReply(answer, context, names, earlier));
}
