// What hosts and models of the Messages protocol taught, kept under the host or under host and model.

import type { Endpoint } from '../../config/types.ts';
import { type Fields, fields } from '../../json.ts';
import type { Lessons } from '../lessons.ts';
import type { Refused } from './body.ts';
import { placeOf } from './place.ts';
import type { Remedy } from './remedy.ts';

const hostOf = (endpoint: Endpoint): string => placeOf(endpoint, '').host;
const modelOf = (endpoint: Endpoint): string => `${hostOf(endpoint)} ${endpoint.model ?? ''}`;

/** What is known about the endpoint's host and model, from this process and from those before it. */
export async function learnedBefore(endpoint: Endpoint, lessons: Lessons): Promise<Refused> {
  const [host, model] = await Promise.all([
    lessons.learned(hostOf(endpoint)),
    lessons.learned(modelOf(endpoint)),
  ]);
  return toRefused(endpoint, host, model);
}

function toRefused(endpoint: Endpoint, host: Fields, model: Fields): Refused {
  const cap = count(model.output_cap);
  const listed = count(fields(host.output_limits)[endpoint.model ?? '']);
  return {
    display: host.no_display === true,
    marks: host.no_marks === true,
    toolless: host.no_toolless === true,
    levels: model.no_levels === true,
    format: model.no_format === true,
    ...(cap === undefined ? {} : { cap }),
    ...(listed === undefined ? {} : { listed }),
  };
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;

/** Keeps what helped. */
export async function keepLessons(
  endpoint: Endpoint,
  remedies: readonly Remedy[],
  lessons: Lessons,
): Promise<void> {
  for (const { change, learnedOf } of remedies) {
    if (learnedOf === undefined) continue;
    const { cap, display, marks, levels, format, toolless } = change;
    await lessons.teach(learnedOf === 'host' ? hostOf(endpoint) : modelOf(endpoint), {
      ...(display === undefined ? {} : { no_display: display }),
      ...(marks === undefined ? {} : { no_marks: marks }),
      ...(levels === undefined ? {} : { no_levels: levels }),
      ...(format === undefined ? {} : { no_format: format }),
      ...(toolless === undefined ? {} : { no_toolless: toolless }),
      ...(cap === undefined ? {} : { output_cap: cap }),
    });
  }
}

/** Keeps the longest answers that the host's model list names, by model. */
export async function keepLimits(
  endpoint: Endpoint,
  limits: Readonly<Record<string, number>>,
  lessons: Lessons,
): Promise<void> {
  if (Object.keys(limits).length > 0)
    await lessons.teach(hostOf(endpoint), { output_limits: limits });
}
