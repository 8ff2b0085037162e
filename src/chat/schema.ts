// From what a user writes to describe an answer to a JSON Schema: the schema itself, or the short form {"name": "string"}.

import { usageFailure } from '../errors.ts';
import { isObject } from '../json.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** Words of JSON Schema that may stand beside each other at its top; anything else there is a field of the short form. */
const KEYWORDS: ReadonlySet<string> = new Set(
  `$schema $id $ref $defs $comment definitions title description type properties required additionalProperties
  patternProperties propertyNames minProperties maxProperties items prefixItems minItems maxItems uniqueItems contains enum const
  anyOf oneOf allOf not if then else default examples format pattern minLength maxLength minimum maximum exclusiveMinimum
  exclusiveMaximum multipleOf dependentRequired dependentSchemas unevaluatedProperties unevaluatedItems deprecated readOnly
  writeOnly`.split(/\s+/),
);

const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  text: 'string',
  number: 'number',
  float: 'number',
  integer: 'integer',
  int: 'integer',
  boolean: 'boolean',
  bool: 'boolean',
  object: 'object',
  array: 'array',
  null: 'null',
};

/** The schema that the value is, or is short for. A value that is neither: a usage Failure that names the field. */
export function schemaOf(value: unknown): Schema {
  if (!isObject(value))
    throw usageFailure(
      'bad-format',
      'a format is a JSON object: a JSON Schema, or {"name": "string"}',
    );
  // A schema in the envelope that some providers document: {"name", "schema", "strict"}.
  const inner = Object.keys(value).every((key) => ENVELOPE.has(key)) ? value.schema : undefined;
  if (isObject(inner) && isSchema(inner)) return inner;
  return isSchema(value) ? value : objectOf(value, '');
}

const ENVELOPE: ReadonlySet<string> = new Set(['name', 'description', 'schema', 'strict']);

/** A schema says so with a keyword whose value fits: `{"type": "string"}` is one, `{"title": "string"}` asks for a title. */
function isSchema(value: Schema): boolean {
  if (!Object.keys(value).every((key) => KEYWORDS.has(key))) return false;
  const { type } = value;
  if (typeof type === 'string' && Object.values(TYPES).includes(type))
    return Object.entries(value).every(
      ([key, each]) => key === 'type' || !isTypeName(each) || isProse(key),
    );
  if (Array.isArray(type)) return true;
  return (
    isObject(value.properties) ||
    ['anyOf', 'oneOf', 'allOf', 'enum'].some((key) => Array.isArray(value[key])) ||
    (typeof value.$ref === 'string' && value.$ref.includes('#')) ||
    (typeof value.$schema === 'string' && value.$schema.includes('://'))
  );
}

const isTypeName = (value: unknown): boolean =>
  typeof value === 'string' && Object.hasOwn(TYPES, value);
const isProse = (key: string): boolean =>
  ['title', 'description', 'default', 'const', '$comment'].includes(key);

function objectOf(fields: Schema, path: string): Schema {
  const entries = Object.entries(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        fieldOf(value, path === '' ? name : `${path}.${name}`),
      ]),
    ),
    required: entries.map(([name]) => name),
    additionalProperties: false,
  };
}

/** `"string"`, `"string[]"`, `["string"]`, several words to choose from, a nested short form, or a schema. */
function fieldOf(value: unknown, path: string): Schema {
  if (typeof value === 'string') return typeOf(value, path);
  if (Array.isArray(value)) {
    if (value.length === 1) return { type: 'array', items: fieldOf(value[0], path) };
    if (value.length > 1 && value.every((each) => typeof each === 'string'))
      return { type: 'string', enum: value };
  }
  if (isObject(value)) return isSchema(value) ? value : objectOf(value, path);
  throw unknownType(JSON.stringify(value) ?? String(value), path);
}

function typeOf(word: string, path: string): Schema {
  const name = word.trim().toLowerCase();
  if (name.endsWith('[]')) return { type: 'array', items: typeOf(name.slice(0, -2), path) };
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (type === undefined) throw unknownType(`"${word}"`, path);
  return { type };
}

function unknownType(shown: string, path: string) {
  return usageFailure(
    'bad-format',
    `the field "${path}" of the format has the type ${shown.slice(0, 80)}`,
    {
      next: 'types are string, number, integer, boolean, object, array, and string[] and the like',
    },
  );
}
