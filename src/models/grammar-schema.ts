// Turns a JSON Schema into the part of it that the runtime makes grammars from, and tells what a grammar cannot hold an answer to. Pure.

import { isObject } from '../json.ts';
import type { GrammarSchema } from './llama.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A grammar has no optional properties: they are all written, or may be null (`optional-nulls` takes those out again). */
export type OptionalAs = 'required' | 'nullable';

export interface GrammarSchemaResult {
  readonly schema: GrammarSchema;
  /** Keywords that have no effect on the answer, sorted. */
  readonly ignored: readonly string[];
}

interface Work {
  readonly root: Schema;
  readonly optionalAs: OptionalAs;
  readonly ignored: Set<string>;
}

const SCALARS = ['string', 'number', 'integer', 'boolean', 'null'];

/** Any JSON value. */
const ANY: GrammarSchema = {
  oneOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array' },
    { type: 'object', additionalProperties: true },
  ],
};

/** Any JSON object: what `format: json` asks for. */
export const ANY_OBJECT: GrammarSchema = { type: 'object', additionalProperties: true };

/** The grammar schema for an answer or for the arguments of a tool. */
export function toGrammarSchema(schema: unknown, optionalAs: OptionalAs): GrammarSchemaResult {
  const root = isObject(schema) ? schema : {};
  const work: Work = { root, optionalAs, ignored: new Set() };
  const converted = convert(schema, work);
  const defs = Object.entries(definitions(root)).map(([name, each]) => [name, convert(each, work)]);
  return {
    schema: defs.length === 0 ? converted : { ...converted, $defs: Object.fromEntries(defs) },
    ignored: [...work.ignored].sort(),
  };
}

function convert(schema: unknown, work: Work): GrammarSchema {
  if (!isObject(schema)) return ANY;
  const merged = Array.isArray(schema.allOf) ? mergeAll(schema, work) : schema;
  const described =
    typeof merged.description === 'string' ? { description: merged.description } : {};
  const result = { ...convertBody(merged, work), ...described };
  return merged.nullable === true ? orNull(result) : result;
}

function convertBody(schema: Schema, work: Work): GrammarSchema {
  const { $ref, const: fixed, enum: values, type } = schema;
  if (typeof $ref === 'string') return reference($ref, work);
  if (fixed !== undefined) return literal(fixed);
  if (Array.isArray(values)) return { oneOf: values.map(literal) };
  const choices = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(choices) && schema.properties === undefined)
    return { oneOf: choices.map((each) => convert(each, work)) };
  for (const keyword of UNENFORCED) if (schema[keyword] !== undefined) work.ignored.add(keyword);
  const types = Array.isArray(type) ? type : [type ?? impliedType(schema)];
  if (types.length > 1 && types.every((each) => SCALARS.includes(each))) return { type: types };
  if (types.length > 1)
    return { oneOf: types.map((each) => convertType(String(each), schema, work)) };
  return convertType(String(types[0]), schema, work);
}

/** What a grammar does not know. */
const UNENFORCED = [
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'uniqueItems',
  'contains',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'not',
  'if',
  'anyOf',
  'oneOf',
];

function impliedType(schema: Schema): string {
  const has = (...keywords: string[]) => keywords.some((keyword) => schema[keyword] !== undefined);
  if (has('properties', 'required', 'additionalProperties')) return 'object';
  if (has('items', 'prefixItems', 'minItems', 'maxItems')) return 'array';
  if (has('minLength', 'maxLength', 'pattern', 'format')) return 'string';
  if (has('minimum', 'maximum', 'multipleOf')) return 'number';
  return 'any';
}

function convertType(type: string, schema: Schema, work: Work): GrammarSchema {
  if (type === 'object') return convertObject(schema, work);
  if (type === 'array') return convertArray(schema, work);
  if (type === 'string') return convertString(schema, work);
  return SCALARS.includes(type) ? { type } : ANY;
}

function convertObject(schema: Schema, work: Work): GrammarSchema {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const converted = Object.entries(properties).map(([name, each]) => {
    const value = convert(each, work);
    const free = work.optionalAs === 'nullable' && !required.includes(name);
    return [name, free ? orNull(value) : value];
  });
  return {
    type: 'object',
    ...(converted.length === 0 ? {} : { properties: Object.fromEntries(converted) }),
    ...additional(schema, converted.length > 0, work),
  };
}

/** JSON Schema allows further properties unless told otherwise; asked for some, a model should stay with those. */
function additional(schema: Schema, named: boolean, work: Work): GrammarSchema {
  const { additionalProperties: more } = schema;
  if (more === false || (more === undefined && named)) return {};
  const limits = pick(schema, ['minProperties', 'maxProperties']);
  return { additionalProperties: isObject(more) ? convert(more, work) : true, ...limits };
}

function convertArray(schema: Schema, work: Work): GrammarSchema {
  const { items } = schema;
  const first = Array.isArray(items) ? items : schema.prefixItems;
  const prefix = Array.isArray(first) ? first.map((each) => convert(each, work)) : [];
  const { minItems, maxItems } = pick(schema, ['minItems', 'maxItems']);
  const most = maxItems === undefined ? undefined : Math.max(maxItems, minItems ?? 0);
  return {
    type: 'array',
    ...(isObject(items) ? { items: convert(items, work) } : {}),
    ...(prefix.length === 0 ? {} : { prefixItems: prefix }),
    ...(minItems === undefined ? {} : { minItems }),
    ...(most === undefined || most < prefix.length ? {} : { maxItems: most }),
  };
}

function convertString(schema: Schema, work: Work): GrammarSchema {
  const { format } = schema;
  if (format === 'date-time' || format === 'date' || format === 'time')
    return { type: 'string', format };
  if (format !== undefined) work.ignored.add('format');
  const { minLength, maxLength } = pick(schema, ['minLength', 'maxLength']);
  return {
    type: 'string',
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength: Math.max(maxLength, minLength ?? 0) }),
  };
}

function literal(value: unknown): GrammarSchema {
  if (Array.isArray(value)) {
    const prefixItems = value.map(literal);
    return { type: 'array', prefixItems, minItems: value.length, maxItems: value.length };
  }
  if (isObject(value))
    return {
      type: 'object',
      properties: Object.fromEntries(Object.entries(value).map(([k, v]) => [k, literal(v)])),
    };
  return { const: value };
}

function reference(ref: string, work: Work): GrammarSchema {
  const name = definitionName(ref);
  if (name !== undefined && Object.hasOwn(definitions(work.root), name))
    return { $ref: `#/$defs/${name}` };
  work.ignored.add('$ref');
  return ANY;
}

const definitionName = (ref: string): string | undefined =>
  /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(ref)?.[1];

function definitions(root: Schema): Schema {
  const { $defs, definitions: older } = root;
  return { ...(isObject(older) ? older : {}), ...(isObject($defs) ? $defs : {}) };
}

/** The members of `allOf` as one schema: properties and required names add up, of everything else the last one counts. */
function mergeAll(schema: Schema, work: Work): Schema {
  const { allOf, ...own } = schema;
  const members = [...(allOf as unknown[]), own].map((each) => resolve(each, work));
  const properties = members.flatMap((each) => Object.entries(each.properties ?? {}));
  const required = members.flatMap((each) => (Array.isArray(each.required) ? each.required : []));
  return {
    ...Object.assign({}, ...members),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(required.length === 0 ? {} : { required }),
  };
}

function resolve(schema: unknown, work: Work): Schema {
  if (!isObject(schema)) return {};
  const name = definitionName(String(schema.$ref));
  const target = name === undefined ? undefined : definitions(work.root)[name];
  return isObject(target) ? target : schema;
}

function orNull(schema: GrammarSchema): GrammarSchema {
  if (schema.type === 'null') return schema;
  const { description, ...rest } = schema;
  const described = description === undefined ? {} : { description };
  return { oneOf: [rest, { type: 'null' }], ...described };
}

function pick<Name extends string>(
  schema: Schema,
  names: readonly Name[],
): { readonly [Key in Name]?: number } {
  const found: { [Key in Name]?: number } = {};
  for (const name of names) {
    const value = schema[name];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) found[name] = value;
  }
  return found;
}
