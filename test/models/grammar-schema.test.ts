import { describe, expect, it } from 'vitest';
import { toGrammarSchema } from '../../src/models/grammar-schema.ts';
import { withoutOptionalNulls } from '../../src/models/optional-nulls.ts';

const anything = {
  oneOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array' },
    { type: 'object', additionalProperties: true },
  ],
};

const rows: readonly {
  name: string;
  schema: unknown;
  becomes: unknown;
  ignored?: readonly string[];
  optionalAs?: 'nullable';
}[] = [
  { name: 'a scalar', schema: { type: 'integer' }, becomes: { type: 'integer' } },
  {
    name: 'several scalars',
    schema: { type: ['string', 'null'] },
    becomes: { type: ['string', 'null'] },
  },
  {
    name: 'a scalar or an object',
    schema: { type: ['string', 'object'], properties: { a: { type: 'null' } } },
    becomes: {
      oneOf: [{ type: 'string' }, { type: 'object', properties: { a: { type: 'null' } } }],
    },
  },
  { name: 'true allows anything', schema: true, becomes: anything },
  { name: 'an empty schema allows anything', schema: {}, becomes: anything },
  { name: 'a constant', schema: { const: 5 }, becomes: { const: 5 } },
  {
    name: 'a constant object',
    schema: { const: { a: [1] } },
    becomes: {
      type: 'object',
      properties: { a: { type: 'array', prefixItems: [{ const: 1 }], minItems: 1, maxItems: 1 } },
    },
  },
  {
    name: 'an enumeration',
    schema: { enum: ['a', null] },
    becomes: { oneOf: [{ const: 'a' }, { const: null }] },
  },
  {
    name: 'a choice',
    schema: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'd' },
    becomes: { oneOf: [{ type: 'string' }, { type: 'null' }], description: 'd' },
  },
  {
    name: 'an object: its properties and no others',
    schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    becomes: { type: 'object', properties: { a: { type: 'string' } } },
  },
  {
    name: 'an object that names no properties may have any',
    schema: { type: 'object' },
    becomes: { type: 'object', additionalProperties: true },
  },
  {
    name: 'an object as a map',
    schema: { type: 'object', additionalProperties: { type: 'number' }, maxProperties: 3 },
    becomes: { type: 'object', additionalProperties: { type: 'number' }, maxProperties: 3 },
  },
  {
    name: 'an optional property of an answer is written',
    schema: { type: 'object', properties: { a: { type: 'string' } } },
    becomes: { type: 'object', properties: { a: { type: 'string' } } },
  },
  {
    name: 'an optional property of arguments may be null',
    optionalAs: 'nullable',
    schema: {
      type: 'object',
      properties: { a: { type: 'string', description: 'd' }, b: { type: 'null' } },
    },
    becomes: {
      type: 'object',
      properties: {
        a: { oneOf: [{ type: 'string' }, { type: 'null' }], description: 'd' },
        b: { type: 'null' },
      },
    },
  },
  {
    name: 'arrays with limits that make sense',
    schema: { type: 'array', items: { type: 'string' }, minItems: 3, maxItems: 1 },
    becomes: { type: 'array', items: { type: 'string' }, minItems: 3, maxItems: 3 },
  },
  {
    name: 'arrays by position, in the old and the new spelling',
    schema: { anyOf: [{ items: [{ type: 'null' }] }, { prefixItems: [{ type: 'null' }] }] },
    becomes: {
      oneOf: [
        { type: 'array', prefixItems: [{ type: 'null' }] },
        { type: 'array', prefixItems: [{ type: 'null' }] },
      ],
    },
  },
  {
    name: 'a known text format',
    schema: { type: 'string', format: 'date' },
    becomes: { type: 'string', format: 'date' },
  },
  {
    name: 'lengths',
    schema: { type: 'string', minLength: 2, maxLength: 1 },
    becomes: { type: 'string', minLength: 2, maxLength: 2 },
  },
  {
    name: 'what a grammar does not know is told',
    schema: {
      type: 'object',
      properties: { a: { type: 'number', minimum: 1 }, b: { pattern: 'x', format: 'uri' } },
    },
    becomes: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'string' } } },
    ignored: ['format', 'minimum', 'pattern'],
  },
  {
    name: 'a schema that refers to itself',
    schema: {
      type: 'object',
      properties: { next: { $ref: '#/definitions/node' } },
      definitions: { node: { anyOf: [{ type: 'null' }, { $ref: '#/definitions/node' }] } },
    },
    becomes: {
      type: 'object',
      properties: { next: { $ref: '#/$defs/node' } },
      $defs: { node: { oneOf: [{ type: 'null' }, { $ref: '#/$defs/node' }] } },
    },
  },
  {
    name: 'a reference to nowhere',
    schema: { $ref: '#/properties/a' },
    becomes: anything,
    ignored: ['$ref'],
  },
  {
    name: 'members that all count',
    schema: {
      allOf: [{ $ref: '#/$defs/base' }, { properties: { b: { type: 'string' } }, required: ['b'] }],
      $defs: { base: { type: 'object', properties: { a: { type: 'null' } }, required: ['a'] } },
    },
    becomes: {
      type: 'object',
      properties: { a: { type: 'null' }, b: { type: 'string' } },
      $defs: { base: { type: 'object', properties: { a: { type: 'null' } } } },
    },
  },
  {
    name: 'nullable',
    schema: { type: 'string', nullable: true },
    becomes: { oneOf: [{ type: 'string' }, { type: 'null' }] },
  },
];

describe('a schema for a grammar', () => {
  for (const { name, schema, becomes, ignored = [], optionalAs = 'required' } of rows)
    it(name, () => {
      expect(toGrammarSchema(schema, optionalAs)).toEqual({ schema: becomes, ignored });
    });
});

describe('arguments without the nulls of optional properties', () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      unit: { enum: ['C', null] },
      when: { type: ['string', 'null'] },
      inner: { properties: { a: { type: 'string' } } },
      list: { type: 'array', items: { properties: { b: { type: 'number' } } } },
    },
    required: ['city'],
  };
  const table: readonly { name: string; value: unknown; becomes: unknown }[] = [
    {
      name: 'an optional one is left out',
      value: { city: 'x', inner: null },
      becomes: { city: 'x' },
    },
    { name: 'a required one stays', value: { city: null }, becomes: { city: null } },
    {
      name: 'one that may be null stays',
      value: { unit: null, when: null },
      becomes: { unit: null, when: null },
    },
    {
      name: 'inner ones too',
      value: { inner: { a: null }, list: [{ b: null }] },
      becomes: { inner: {}, list: [{}] },
    },
    { name: 'unknown ones stay', value: { other: null }, becomes: { other: null } },
    { name: 'no object', value: 'text', becomes: 'text' },
  ];
  for (const { name, value, becomes } of table)
    it(name, () => {
      expect(withoutOptionalNulls(value, schema)).toEqual(becomes);
    });
});
