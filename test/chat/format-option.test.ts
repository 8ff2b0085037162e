// The `format` option: any JSON, a schema, its short form, or a file with one of these.

import { describe, expect, test } from 'vitest';
import { answerFormat } from '../../src/chat/format.ts';
import { schemaOf } from '../../src/chat/schema.ts';
import { compilePorts } from '../../src/config/ports.ts';
import { failureOf, placeOf } from '../helpers/compiling.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { createWorld } from '../helpers/run.ts';

const object = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const string = { type: 'string' };

describe('schemas', () => {
  const full = { type: 'object', properties: { a: { type: 'string' } } };
  const cases: readonly { name: string; value: object; schema: object }[] = [
    {
      name: 'a short form',
      value: { name: 'string', age: 'int' },
      schema: object({ name: string, age: { type: 'integer' } }),
    },
    {
      name: 'a short form with lists',
      value: { a: 'string[]', b: ['number'] },
      schema: object({
        a: { type: 'array', items: string },
        b: { type: 'array', items: { type: 'number' } },
      }),
    },
    {
      name: 'a short form with words to choose from',
      value: { size: ['small', 'large'] },
      schema: object({ size: { type: 'string', enum: ['small', 'large'] } }),
    },
    {
      name: 'a nested short form',
      value: { person: { name: 'string' } },
      schema: object({ person: object({ name: string }) }),
    },
    {
      name: 'a short form with a schema inside',
      value: { a: { type: 'string', maxLength: 3 } },
      schema: object({ a: { type: 'string', maxLength: 3 } }),
    },
    {
      name: 'a short form whose fields are words of JSON Schema',
      value: { title: 'string', description: 'string' },
      schema: object({ title: string, description: string }),
    },
    {
      name: 'a field called type',
      value: { type: 'string', name: 'string' },
      schema: object({ type: string, name: string }),
    },
    { name: 'a schema', value: full, schema: full },
    { name: 'a schema of a text', value: { type: 'string' }, schema: { type: 'string' } },
    { name: 'a schema of choices', value: { anyOf: [string] }, schema: { anyOf: [string] } },
    {
      name: 'a schema in an envelope',
      value: { name: 'x', strict: true, schema: full },
      schema: full,
    },
    {
      name: 'a field called schema',
      value: { schema: 'string' },
      schema: object({ schema: string }),
    },
  ];
  for (const { name, value, schema } of cases)
    test(name, () => expect(schemaOf(value)).toEqual(schema));

  for (const value of [[], 'text', null, { a: 'strng' }, { a: 5 }, { a: { b: null } }, { a: [] }])
    test(`${JSON.stringify(value)} is no format`, async () => {
      expect(await failureOf(() => schemaOf(value))).toMatchObject({
        code: 'bad-format',
        exitCode: 2,
      });
    });
});

describe('the option', () => {
  const ports = (files = {}) =>
    compilePorts(createWorld(temporaryFolder(files)), { warn: () => {} }).ports;

  test('json', async () => expect(await answerFormat(' json ', ports())).toBe('json'));

  test('a JSON object of several lines', async () => {
    expect(await answerFormat('{\n"a":\n"string"}', ports())).toEqual(object({ a: string }));
  });

  test('a file is found beside the chat that names it', async () => {
    const files = { 'notes/schema.json': '{"a":"string"}' };
    const source = { origin: { file: 'notes/a.chat', line: 1 } };
    expect(await answerFormat('schema.json', ports(files), source)).toEqual(object({ a: string }));
    expect(await answerFormat('schema.json', ports(files), { file: 'notes/a.chat' })).toEqual(
      object({ a: string }),
    );
  });

  const bad: readonly { name: string; value: string; code: string; files?: object }[] = [
    { name: 'broken JSON', value: '{"a":', code: 'bad-format' },
    { name: 'a file that is not there', value: 'none.json', code: 'not-found' },
    {
      name: 'a file with broken JSON',
      value: 'a.json',
      code: 'bad-format',
      files: { 'a.json': '{' },
    },
    { name: 'a folder', value: 'd', code: 'is-folder', files: { 'd/': '' } },
  ];
  for (const { name, value, code, files } of bad)
    test(`${name} is an error with its place`, async () => {
      const failure = await failureOf(
        answerFormat(value, ports(files), { origin: { file: 'f.chat', line: 3 } }),
      );
      expect(failure).toMatchObject({ code, exitCode: 2 });
      expect(placeOf(failure)).toBe('f.chat:3');
    });
});
