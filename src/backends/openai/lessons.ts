// What a server of the Chat Completions family refused, as it is kept for the next process, and back. Pure.

import { type Fields, list } from '../../json.ts';
import { LIMITS, NOTHING_REFUSED, type Refused } from './body.ts';
import { isThinkingField } from './remedy.ts';

/** What is kept, as the requests of today know it. What cannot be read was not learned. */
export function fromLesson(lesson: Fields): Refused {
  const { left_out, limit, format, history, marks } = lesson;
  return {
    fields: new Set(list(left_out).filter((name) => typeof name === 'string')),
    limit: LIMITS.find((name) => name === limit),
    format: format === 'object' || format === 'none' ? format : NOTHING_REFUSED.format,
    history: history === true,
    marks: marks === true,
    tools: NOTHING_REFUSED.tools,
  };
}

/**
 * What the requests of one answer taught on top of what was known. A refusal that went on without the reasoning of earlier answers, and ended when
 * the thinking fields went, was about those: the reasoning may be sent again.
 */
export function toLesson(refused: Refused, known: Refused): Fields {
  const news = [...refused.fields].filter((name) => !known.fields.has(name));
  const history = refused.history && (known.history || !news.some(isThinkingField));
  return {
    left_out: [...refused.fields],
    ...(refused.limit === undefined ? {} : { limit: refused.limit }),
    format: refused.oneSchema === true ? known.format : refused.format,
    history,
    marks: refused.marks,
  };
}
