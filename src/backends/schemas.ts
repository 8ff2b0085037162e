// The tools of a request with schemas that every provider takes: no references, an object at the top, nothing that contradicts itself. Pure; a
// schema that is plain already comes out as it is.

import { type Fields, fields, isObject, list, text } from '../json.ts';
import type { ToolSpec } from '../types.ts';

export interface WireTools {
  /** In the order given. */
  readonly tools: readonly ToolSpec[];
  /** One for each tool that is left out, with its name. */
  readonly warnings: readonly string[];
}

/** Longest schema that is sent, in characters of JSON. */
const LONGEST_SCHEMA = 100_000;
/** How often a definition may stand inside itself. */
const DEEPEST_REPEAT = 2;
const DEEPEST = 64;
/** Schemas looked at for one tool: definitions that name each other can grow without end. */
const MOST_SCHEMAS = 20_000;

/**
 * The tools with schemas fit for a provider: local `$ref` written out (a definition inside itself at most twice, then anything goes), `$schema` and
 * definitions gone, `type: object` with `properties` at the top, `required` of existing properties only, `items` in each array. A tool whose schema
 * describes no object or is over 100,000 characters is left out with a warning: one odd tool does not make the whole request fail.
 */
export function wireTools(tools: readonly ToolSpec[]): WireTools {
  const kept: ToolSpec[] = [];
  const warnings: string[] = [];
  for (const tool of tools) {
    const parameters = wireSchema(tool.parameters);
    if (typeof parameters === 'string')
      warnings.push(`the tool "${tool.name}" is left out: ${parameters}`);
    else kept.push({ ...tool, parameters });
  }
  return { tools: kept, warnings };
}

/** One schema as above, or why it cannot be sent. */
export function wireSchema(schema: unknown): Fields | string {
  if (schema === undefined || schema === null || schema === true) return EMPTY;
  if (!isObject(schema)) return 'its schema is no object';
  const walk: Walk = { root: schema, inside: [], left: MOST_SCHEMAS };
  const plain = topLevel(adapted(schema, walk, 0));
  if (walk.left < 0) return 'its schema grows too large when its references are written out';
  if (plain === undefined) return 'its schema describes no object';
  const length = JSON.stringify(plain).length;
  if (length <= LONGEST_SCHEMA) return plain;
  const count = (number: number) => number.toLocaleString('en-US');
  return `its schema has ${count(length)} characters, more than ${count(LONGEST_SCHEMA)}`;
}

const EMPTY: Fields = { type: 'object', properties: {} };

interface Walk {
  readonly root: Fields;
  /** References that are being written out. */
  readonly inside: readonly string[];
  left: number;
}

/** Words of the schema language that say nothing about a value. */
const DROPPED: ReadonlySet<string> = new Set(
  '$schema $id $anchor $comment $defs definitions $ref $dynamicRef $dynamicAnchor $vocabulary id'.split(
    ' ',
  ),
);
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const SINGLE: ReadonlySet<string> = new Set(
  'items additionalProperties not if then else contains propertyNames additionalItems unevaluatedProperties unevaluatedItems'.split(
    ' ',
  ),
);

function adapted(schema: unknown, walk: Walk, depth: number): unknown {
  if (!isObject(schema)) return schema;
  walk.left -= 1;
  if (depth > DEEPEST || walk.left < 0) return {};
  const reference = text(schema.$ref);
  if (reference !== undefined) return writtenOut(schema, reference, walk, depth);
  const child = (value: unknown) => adapted(value, walk, depth + 1);
  const entries = Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
    if (DROPPED.has(name)) return [];
    if (MAPS.has(name)) return isObject(value) ? [[name, eachValue(value, child)]] : [];
    if (LISTS.has(name)) return Array.isArray(value) ? [[name, value.map(child)]] : [];
    if (name === 'items' && Array.isArray(value)) return [[name, { anyOf: value.map(child) }]];
    return [[name, SINGLE.has(name) ? child(value) : value]];
  });
  return consistent(Object.fromEntries(entries));
}

/** What the reference names, with what stands beside it on top. What cannot be found, or is too deep inside itself, may be anything. */
function writtenOut(schema: Fields, reference: string, walk: Walk, depth: number): unknown {
  const { $ref: _reference, ...beside } = schema;
  const repeated = walk.inside.filter((each) => each === reference).length;
  const found = repeated < DEEPEST_REPEAT ? lookUp(walk.root, reference) : undefined;
  const deeper: Walk = { ...walk, inside: [...walk.inside, reference] };
  const target = adapted({ ...fields(found), ...beside }, deeper, depth + 1);
  walk.left = deeper.left;
  return target;
}

function lookUp(root: Fields, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, part) => {
      if (Array.isArray(value)) return value[Number(part)];
      return isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
    }, root);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const eachValue = (map: Fields, change: (value: unknown) => unknown): Fields =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));

/** Without properties under what is no object, and with items for what is an array. */
function consistent(schema: Fields): Fields {
  const types = typesOf(schema);
  if (types.length > 0 && !types.includes('object')) {
    const { properties: _properties, required: _required, ...rest } = schema;
    return types.includes('array') && rest.items === undefined ? withItems(rest) : rest;
  }
  const whole = types.includes('array') && schema.items === undefined ? withItems(schema) : schema;
  return withRequired(whole);
}

function withItems({ prefixItems, ...schema }: Fields): Fields {
  return { ...schema, items: Array.isArray(prefixItems) ? { anyOf: prefixItems } : {} };
}

function withRequired(schema: Fields): Fields {
  if (!Object.hasOwn(schema, 'required')) return schema;
  const there = list(schema.required).filter(
    (name) => typeof name === 'string' && Object.hasOwn(fields(schema.properties), name),
  );
  const { required, ...rest } = schema;
  if (there.length === 0) return rest;
  return Array.isArray(required) && there.length === required.length
    ? schema
    : { ...schema, required: there };
}

const typesOf = ({ type }: Fields): readonly unknown[] =>
  Array.isArray(type) ? type : type === undefined ? [] : [type];

/** The top is an object with properties; alternatives there become one object, since providers refuse them. */
function topLevel(schema: unknown): Fields | undefined {
  if (!isObject(schema)) return undefined;
  const { anyOf, oneOf, allOf, ...own } = schema;
  const types = typesOf(own);
  if (types.length > 0 && !types.includes('object')) return undefined;
  const variants = [...list(anyOf), ...list(oneOf)];
  const parts = list(allOf);
  if (variants.length + parts.length === 0) return asObject(own);
  const objects = [...variants, ...parts].map(topLevel);
  if (objects.every((each) => each === undefined)) return undefined;
  const known = objects.map(fields);
  return asObject({
    ...own,
    properties: Object.fromEntries(
      [...known, own].flatMap((each) => Object.entries(fields(each.properties))),
    ),
    ...requiredOf(own, known.slice(0, variants.length), known.slice(variants.length)),
  });
}

/** What every alternative asks for, and what each of the parts does. */
function requiredOf(own: Fields, variants: readonly Fields[], parts: readonly Fields[]): Fields {
  const common = list(variants[0]?.required).filter((name) =>
    variants.every((each) => list(each.required).includes(name)),
  );
  const all = [...list(own.required), ...parts.flatMap((each) => list(each.required)), ...common];
  return all.length === 0 ? {} : { required: [...new Set(all)] };
}

function asObject(schema: Fields): Fields {
  const { type, ...rest } = schema;
  const typed = type === 'object' ? schema : { type: 'object', ...rest };
  return isObject(typed.properties) ? typed : { ...typed, properties: {} };
}
