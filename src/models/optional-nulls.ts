// Takes out of an answer the nulls that a grammar put where JSON Schema would have nothing (`grammar-schema`). Pure.

import { isObject } from '../json.ts';

/** Arguments without the nulls that stand for optional properties which the model left out. */
export function withoutOptionalNulls(value: unknown, schema: unknown): unknown {
  if (Array.isArray(value)) {
    const items = isObject(schema) ? schema.items : undefined;
    return value.map((each) => withoutOptionalNulls(each, items));
  }
  if (!isObject(value) || !isObject(schema)) return value;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name, each]) => each !== null || required.includes(name) || takesNull(properties[name]),
      )
      .map(([name, each]) => [name, withoutOptionalNulls(each, properties[name])]),
  );
}

function takesNull(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  const { type, nullable, const: fixed, enum: values } = schema;
  const choices = schema.oneOf ?? schema.anyOf;
  if (nullable === true || type === 'null' || fixed === null) return true;
  if (Array.isArray(type)) return type.includes('null');
  if (Array.isArray(values)) return values.includes(null);
  return Array.isArray(choices) && choices.some(takesNull);
}
