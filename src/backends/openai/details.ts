// What a gateway tells of a model's reasoning beside the text (`reasoning_details`: signed, encrypted, summed up). It goes back unchanged, and to the
// same model alone: for another one the signatures are wrong.

import { type Fields, fields, isObject, list, parseJson, text } from '../../json.ts';
import type { Message } from '../../types.ts';
import type { Value } from '../http/values.ts';
import type { ReplyEvent } from '../types.ts';

const KIND = 'reasoning_details';

export interface DetailCollector {
  /** The same batches, looked at as they pass. A request that is repeated starts anew. */
  watch(batches: AsyncIterable<readonly Value[]>): AsyncIterable<readonly Value[]>;
  /** The event with what it must be preceded by: the details are kept beside the reasoning's text, or alone. */
  completed(event: ReplyEvent): readonly ReplyEvent[];
}

/** Details of one answer of this model. */
export function collectDetails(model: string | undefined): DetailCollector {
  let details: Fields[] = [];
  const look = (values: readonly Value[]) => {
    for (const value of values) if (value.kind === 'value') details = joined(details, value);
  };
  return {
    watch(batches) {
      details = [];
      return watched(batches, look);
    },
    completed(event) {
      if (details.length === 0 || !LATE.has(event.kind)) return [event];
      const block = { type: KIND, ...(model === undefined ? {} : { model }), details };
      details = [];
      return event.kind === 'provider-content'
        ? [{ ...event, blocks: [...event.blocks, block] }]
        : [{ kind: 'provider-content', blocks: [block] }, event];
    },
  };
}

/** What comes when the model has said everything. */
const LATE: ReadonlySet<ReplyEvent['kind']> = new Set([
  'provider-content',
  'tool-call',
  'usage',
  'finish',
]);

/** Without a generator: that would cost several turns for each of many batches. */
const watched = (
  batches: AsyncIterable<readonly Value[]>,
  look: (values: readonly Value[]) => void,
): AsyncIterable<readonly Value[]> => ({
  [Symbol.asyncIterator]() {
    const inner = batches[Symbol.asyncIterator]();
    return {
      async next() {
        const step = await inner.next();
        if (step.done !== true) look(step.value);
        return step;
      },
      async return() {
        await inner.return?.();
        return { done: true, value: undefined };
      },
    };
  },
});

function joined(details: Fields[], { value, whole }: Extract<Value, { kind: 'value' }>): Fields[] {
  const choice = fields(list(fields(value).choices)[0]);
  const given = fields(choice.delta ?? choice.message)[KIND];
  if (!Array.isArray(given)) return details;
  for (const each of given.filter(isObject)) {
    const last = details.at(-1);
    if (whole || last === undefined || !continues(last, each)) details.push(each);
    else details[details.length - 1] = together(last, each);
  }
  return details;
}

/** Pieces of one text follow each other; what is encrypted comes whole. */
const continues = (last: Fields, next: Fields): boolean =>
  last.type === next.type && last.index === next.index && typeof next.data !== 'string';

/** Texts are joined, everything else counts where it is said first. */
function together(last: Fields, next: Fields): Fields {
  const more = Object.entries(next).map(([name, value]) => {
    const before = last[name];
    const isPiece = name === 'text' || name === 'summary';
    if (isPiece && typeof before === 'string' && typeof value === 'string')
      return [name, before + value];
    return [name, before ?? value];
  });
  return { ...last, ...Object.fromEntries(more) };
}

/** The details in a `provider_content` message, for the model that they came from; undefined when there are none. */
export function storedDetails(
  { content }: Message,
  model: string | undefined,
): readonly unknown[] | undefined {
  const block = list(fields(parseJson(content)).blocks)
    .map(fields)
    .find(({ type }) => type === KIND);
  if (block === undefined || text(block.model) !== model) return undefined;
  const details = list(block.details);
  return details.length === 0 ? undefined : details;
}
