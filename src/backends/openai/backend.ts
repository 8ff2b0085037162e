// Chat Completions and the servers that speak it. Puts the parts together: body, request, reading, and what a refusal teaches.

import type { Endpoint } from '../../config/types.ts';
import { Failure } from '../../errors.ts';
import { type Fields, fields, list } from '../../json.ts';
import { cacheSetting } from '../cache-setting.ts';
import { chatCall } from '../http/chat-call.ts';
import { exchange, fetchJson } from '../http/transport.ts';
import { createLeftTools } from '../left-tools.ts';
import { createLessons } from '../lessons.ts';
import { modelEntries, modelOf } from '../model-list.ts';
import { keyHeader } from '../place.ts';
import { samplingFields } from '../sampling.ts';
import { createTeller } from '../told-once.ts';
import type { Backend, BackendContext, LogLine, PromptRequest, ReplyEvent } from '../types.ts';
import { type Body, type Refused, toBody } from './body.ts';
import { collectDetails, type DetailCollector } from './details.ts';
import { fromLesson, toLesson } from './lessons.ts';
import { isOriginal, PRESETS, type Preset, placeOf } from './place.ts';
import { historyLevel } from './reasoning.ts';
import { type Lesson, type Remedy, remedy } from './remedy.ts';
import { readReply } from './stream.ts';

/** How often one request is asked again in another form, whatever is refused; and how often only to leave out one more field of sampling. */
const MOST_REMEDIES = 6;
const MOST_FIELDS = 3;

export const openai: Backend = createOpenai(PRESETS.openai);
export const vllm: Backend = createOpenai(PRESETS.vllm);
export const openwebui: Backend = createOpenai(PRESETS.openwebui);

/** A backend that remembers, for a week and for all processes, what each server and model refused. */
export function createOpenai(preset: Preset): Backend {
  const memory = createLessons(preset.name);
  const left = createLeftTools();
  const tell = createTeller();
  return {
    name: preset.name,
    async wire(request, place) {
      const lesson = await memory.in(place).learned(scopeOf(preset, request));
      const refused = { ...fromLesson(lesson), tools: left.of(request) };
      return toBody(preset, request, refused).fields;
    },
    async *reply(request, context) {
      const lessons = memory.in(context);
      const scope = scopeOf(preset, request);
      const known = { ...fromLesson(await lessons.learned(scope)), tools: left.of(request) };
      tell(request, { warnings: missed(request, known) }, context);
      let refused: Refused = known;
      let fieldsLeft = MOST_FIELDS;
      for (let tries = 0; ; tries++) {
        const body = toBody(preset, request, refused);
        tell(request, body, context);
        let begun = false;
        try {
          const details = collectDetails(request.endpoint.model);
          for await (const event of ask(preset, request, body, details, context)) {
            // Only what led to an answer is worth knowing.
            if (!begun && refused !== known) {
              await lessons.teach(scope, toLesson(refused, known));
              left.keep(request, refused.tools);
            }
            begun = true;
            if (event.kind === 'text') yield event;
            else for (const each of details.completed(event)) yield each;
          }
          return;
        } catch (error) {
          // What was shown would be shown again.
          if (!(error instanceof Failure) || begun || tries === MOST_REMEDIES) throw error;
          const cure = remedy(error, body, refused);
          if (cure === undefined || (isSampling(cure) && fieldsLeft-- === 0)) throw error;
          context.warn(`${error.message}; ${cure.told}`);
          for (const lesson of cure.lessons) context.log?.(refusalLine(lesson));
          refused = cure.refused;
        }
      }
    },
    async models(endpoint, context) {
      const url = placeOf(preset, endpoint, '/models');
      const headers = { accept: 'application/json', ...keyHeader(endpoint) };
      return modelEntries(await fetchJson({ endpoint, url, headers }, context)).flatMap(modelOf);
    },
  };
}

/** What the user asked for and will not get, since the server refused it before. */
const missed = ({ endpoint }: PromptRequest, { fields: refused }: Refused): readonly string[] =>
  Object.entries(samplingFields(endpoint))
    .filter(([name, value]) => value !== null && refused.has(name))
    .map(([name]) => `"${name}" is left out: the server refused it before`);

const isSampling = ({ lessons }: Remedy): boolean =>
  lessons.every(({ what }) => what === 'sampling');

const refusalLine = ({ what, fields: names }: Lesson): LogLine => ({
  kind: 'refused',
  what,
  ...(names === undefined ? {} : { fields: names }),
});

/** Server and model, without what may be secret in the address. */
function scopeOf(preset: Preset, { endpoint }: PromptRequest): string {
  const { origin, pathname } = placeOf(preset, endpoint, '');
  return `${origin}${pathname} ${endpoint.model ?? ''}`;
}

function ask(
  preset: Preset,
  request: PromptRequest,
  { fields: body, names }: Body,
  details: DetailCollector,
  context: BackendContext,
): AsyncGenerator<ReplyEvent> {
  const { endpoint } = request;
  const url = placeOf(preset, endpoint, '/chat/completions');
  const call = chatCall(request, url, body, cacheNote(body, endpoint));
  const keepReasoning = historyLevel(request, isOriginal(preset, endpoint)) !== 'drop';
  return exchange(call, context, (answer) => {
    const batches = keepReasoning ? details.watch(answer.batches) : answer.batches;
    return readReply({ ...answer, batches }, context, { names, keepReasoning });
  });
}

/** What was asked of the provider's cache, for the log. */
function cacheNote(body: Fields, endpoint: Endpoint): { cache?: string } {
  const marks = list(body.messages).some((each) =>
    list(fields(each).content).some((part) => fields(part).cache_control !== undefined),
  );
  if (marks) return { cache: cacheSetting(endpoint).ttl ?? 'on' };
  return body.prompt_cache_key === undefined ? {} : { cache: 'session' };
}
