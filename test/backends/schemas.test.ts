// Tool schemas as providers take them: what is adapted, what is left out and how that is told.

import { describe, expect, test } from 'vitest';
import { wireSchema, wireTools } from '../../src/backends/schemas.ts';

const object = (properties: unknown, rest: object = {}) => ({
  type: 'object',
  properties,
  ...rest,
});

const rows: readonly { name: string; schema: unknown; sent: unknown }[] = [
  {
    name: 'a plain schema stays as it is',
    schema: object({ a: { type: 'number', minimum: 1 } }, { required: ['a'] }),
    sent: object({ a: { type: 'number', minimum: 1 } }, { required: ['a'] }),
  },
  { name: 'no schema at all', schema: undefined, sent: object({}) },
  { name: 'an empty schema', schema: {}, sent: object({}) },
  { name: 'a schema that allows everything', schema: true, sent: object({}) },
  {
    name: 'the name of the language is left out, a property of that name is not',
    schema: { $schema: 'http://json-schema.org/draft-07/schema#', ...object({ $schema: {} }) },
    sent: object({ $schema: {} }),
  },
  {
    name: 'references are written out, with what stands beside them',
    schema: object(
      { from: { $ref: '#/$defs/place', description: 'start' }, to: { $ref: '#/$defs/place' } },
      { $defs: { place: { type: 'string', description: 'a place' } } },
    ),
    sent: object({
      from: { type: 'string', description: 'start' },
      to: { type: 'string', description: 'a place' },
    }),
  },
  {
    name: 'a definition that holds itself ends after two rounds',
    schema: {
      $ref: '#/definitions/node',
      definitions: {
        node: object({ name: { type: 'string' }, next: { $ref: '#/definitions/node' } }),
      },
    },
    sent: object({
      name: { type: 'string' },
      next: object({ name: { type: 'string' }, next: {} }),
    }),
  },
  {
    name: 'the whole schema as its own part',
    schema: object({ child: { $ref: '#' } }),
    sent: object({ child: object({ child: object({ child: {} }) }) }),
  },
  {
    name: 'a reference to nowhere may be anything',
    schema: object({ a: { $ref: 'https://example.org/x.json', description: 'odd' } }),
    sent: object({ a: { description: 'odd' } }),
  },
  {
    name: 'names with slashes and tildes in a reference',
    schema: object(
      { a: { $ref: '#/$defs/x~1y~0z%20w' } },
      { $defs: { 'x/y~z w': { type: 'null' } } },
    ),
    sent: object({ a: { type: 'null' } }),
  },
  {
    name: 'a text or nothing, and numbers to choose from',
    schema: object({ a: { type: ['string', 'null'] }, b: { enum: [1, 2] } }),
    sent: object({ a: { type: ['string', 'null'] }, b: { enum: [1, 2] } }),
  },
  {
    name: 'an array without items',
    schema: object({ list: { type: 'array' }, pair: { type: 'array', items: [{ type: 'null' }] } }),
    sent: object({
      list: { type: 'array', items: {} },
      pair: { type: 'array', items: { anyOf: [{ type: 'null' }] } },
    }),
  },
  {
    name: 'properties under a text',
    schema: object({ a: { type: 'string', properties: { b: {} }, required: ['b'] } }),
    sent: object({ a: { type: 'string' } }),
  },
  {
    name: 'required names a property that is not there',
    schema: object({ a: {} }, { required: ['a', 'gone'] }),
    sent: object({ a: {} }, { required: ['a'] }),
  },
  {
    name: 'required names nothing that is there',
    schema: object({}, { required: ['gone'] }),
    sent: object({}),
  },
  {
    name: 'properties without a type',
    schema: { properties: { a: {} } },
    sent: object({ a: {} }),
  },
  {
    name: 'alternatives at the top become one object',
    schema: {
      anyOf: [
        object({ a: {}, both: {} }, { required: ['a', 'both'] }),
        object({ b: {}, both: {} }, { required: ['both'] }),
      ],
    },
    sent: object({ a: {}, both: {}, b: {} }, { required: ['both'] }),
  },
  {
    name: 'parts at the top become one object',
    schema: { allOf: [object({ a: {} }, { required: ['a'] }), object({ b: {} })] },
    sent: object({ a: {}, b: {} }, { required: ['a'] }),
  },
];

describe('a schema as it is sent', () => {
  for (const { name, schema, sent } of rows)
    test(name, () => {
      const before = JSON.stringify(schema);
      expect(wireSchema(schema)).toEqual(sent);
      expect(JSON.stringify(schema)).toBe(before);
      // Once adapted, it is plain: the same bytes each time.
      expect(JSON.stringify(wireSchema(wireSchema(schema)))).toBe(JSON.stringify(sent));
    });
});

describe('an odd tool does not make the whole request fail', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 30 }, (_, level) => [
      `d${level}`,
      object({ a: { $ref: `#/$defs/d${level + 1}` }, b: { $ref: `#/$defs/d${level + 1}` } }),
    ]),
  );
  const odd: readonly { name: string; parameters: unknown; why: RegExp }[] = [
    { name: 'text', parameters: { type: 'string' }, why: /its schema describes no object/ },
    { name: 'list', parameters: [], why: /its schema is no object/ },
    { name: 'never', parameters: false, why: /its schema is no object/ },
    {
      name: 'huge',
      parameters: object({ a: { type: 'string', description: 'x'.repeat(300_000) } }),
      why: /its schema has 300,\d\d\d characters, more than 100,000/,
    },
    {
      name: 'doubling',
      parameters: { ...object({ a: { $ref: '#/$defs/d0' } }), $defs: doubling },
      why: /grows too large/,
    },
  ];
  for (const { name, parameters, why } of odd)
    test(`${name} is left out by name, the others stay in order`, () => {
      const good = (each: string) => ({ name: each, description: '', parameters: object({}) });
      const bad = { name, description: '', parameters: parameters as Record<string, unknown> };
      const { tools, warnings } = wireTools([good('first'), bad, good('last')]);
      expect(tools).toEqual([good('first'), good('last')]);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatch(new RegExp(`^the tool "${name}" is left out: .*${why.source}`));
    });
});
