// The form of an answer for the Messages protocol: a schema that the host holds the model to, or words at the end of the prompt. Pure.

import { type Fields, isObject } from '../../json.ts';
import type { PromptRequest } from '../types.ts';

/** The format field of `output_config`; undefined when there is no schema, or the host refuses the field. */
export function formatField(
  { format }: Pick<PromptRequest, 'format'>,
  refused: boolean,
): Fields | undefined {
  if (format === undefined || format === 'json' || refused) return undefined;
  return { type: 'json_schema', schema: closed(format) };
}

const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
const SCHEMAS: ReadonlySet<string> = new Set(['items', 'anyOf', 'oneOf', 'allOf']);

/** Hosts take only objects that say whether other properties may be there; who did not say so gets none. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (SCHEMAS.has(name)) return [name, closed(value)];
      if (!MAPS.has(name) || !isObject(value)) return [name, value];
      return [
        name,
        Object.fromEntries(Object.entries(value).map(([key, each]) => [key, closed(each)])),
      ];
    }),
  );
  const isOpen = isObject(schema.properties) && schema.additionalProperties === undefined;
  return isOpen ? { ...inner, additionalProperties: false } : inner;
}
