// Ollama in its own words (/api/chat). Puts the parts together: body, request, reading, what a refusal teaches, and a word when the prompt was cut.

import { Failure } from '../../errors.ts';
import type { Fields } from '../../json.ts';
import { chatCall } from '../http/chat-call.ts';
import { exchange, fetchJson } from '../http/transport.ts';
import { createLessons } from '../lessons.ts';
import { modelEntries, modelOf } from '../model-list.ts';
import { historyLevel } from '../openai/reasoning.ts';
import { keyHeader } from '../place.ts';
import { createTeller } from '../told-once.ts';
import type { Backend, BackendContext, PromptRequest, ReplyEvent } from '../types.ts';
import { type OllamaBody, type OllamaRefused, ollamaBody } from './body.ts';
import { ollamaPlace, ollamaScope } from './place.ts';
import { readOllama } from './stream.ts';
import { createModelFacts, cutWarning } from './window.ts';

export const ollama: Backend = createOllama();

/** A backend that remembers what each model refused, and what each server says about it. */
export function createOllama(): Backend {
  const memory = createLessons('ollama');
  const factsOf = createModelFacts();
  const tell = createTeller();
  return {
    name: 'ollama',
    async wire(request, place) {
      const lesson = await memory.in(place).learned(ollamaScope(request.endpoint));
      return ollamaBody(request, fromLesson(lesson)).fields;
    },
    async *reply(request, context) {
      const lessons = memory.in(context);
      const scope = ollamaScope(request.endpoint);
      const known = fromLesson(await lessons.learned(scope));
      let refused = known;
      for (;;) {
        const body = ollamaBody(request, refused);
        tell(request, body, context);
        let begun = false;
        try {
          for await (const event of ask(request, body, factsOf, context)) {
            if (!begun && refused !== known) await lessons.teach(scope, { ...refused });
            begun = true;
            yield event;
          }
          return;
        } catch (error) {
          // What was shown would be shown again.
          if (!(error instanceof Failure) || begun) throw error;
          const milder = remedy(error, body.fields);
          if (milder === undefined) throw error;
          context.warn(`${error.message}; ${milder.told}`);
          context.log?.({ kind: 'refused', what: 'thinking', fields: ['think'] });
          refused = { think: milder.think };
        }
      }
    },
    async models(endpoint, context) {
      const headers = { accept: 'application/json', ...keyHeader(endpoint) };
      const url = ollamaPlace(endpoint, '/api/tags');
      return modelEntries(await fetchJson({ endpoint, url, headers }, context)).flatMap(modelOf);
    },
  };
}

/** What is kept of a lesson; anything else was not learned. */
function fromLesson({ think }: Fields): OllamaRefused {
  return { think: think === 'flag' || think === 'none' ? think : 'level' };
}

/** Older servers know thinking as yes or no; models that do not think want no word about it. */
function remedy(
  { message, facts }: Failure,
  { think }: Fields,
): { think: OllamaRefused['think']; told: string } | undefined {
  if (facts.status !== 400 || think === undefined || !/\bthink/i.test(message)) return undefined;
  const onlyFlag = typeof think === 'string' && !/not support/i.test(message);
  return onlyFlag
    ? { think: 'flag', told: 'asked again with thinking as yes or no' }
    : { think: 'none', told: 'asked again without a word about thinking' };
}

function ask(
  request: PromptRequest,
  { fields: body, names }: OllamaBody,
  factsOf: ReturnType<typeof createModelFacts>,
  context: BackendContext,
): AsyncGenerator<ReplyEvent> {
  const { endpoint } = request;
  const call = chatCall(request, ollamaPlace(endpoint, '/api/chat'), body, { lines: true });
  const onPrompt = async (counted: number | undefined) => {
    const warning = await cutWarning({ endpoint, body, counted }, factsOf, context);
    if (warning !== undefined) context.warn(warning);
  };
  const keepReasoning = historyLevel(request, false) !== 'drop';
  return exchange(call, context, (answer) =>
    readOllama(answer, context, { names, keepReasoning, onPrompt }),
  );
}
