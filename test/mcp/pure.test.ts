// Declarations, names, lines and matching, without a server.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { turnStart } from '../../src/chat/rounds.ts';
import { readServer, serverName } from '../../src/tools/mcp/declaration.ts';
import { secretsIn, serverEnvironment } from '../../src/tools/mcp/environment.ts';
import { lineReader } from '../../src/tools/mcp/lines.ts';
import { matchLength } from '../../src/tools/mcp/matching.ts';
import { nameTools } from '../../src/tools/mcp/names.ts';
import { toolOutput } from '../../src/tools/mcp/result.ts';

const declared = (content: string) => readServer({ role: 'mcp', content });
const program = (command: string, ...args: readonly string[]) =>
  ({ kind: 'program', command, args }) as const;
const address = (url: string) => ({ kind: 'address', url }) as const;

describe('a declaration', () => {
  test.each([
    ['stdio server', program('server'), []],
    ['stdio server --port 1', program('server', '--port', '1'), []],
    ["stdio 'my server' \"a b\" -- one 'two x'", program('my server', 'a b'), ['one', 'two x']],
    ['stdio npx pkg -- --flag --', program('npx', 'pkg', '--', '--flag'), []],
    ['https://h.example/mcp', address('https://h.example/mcp'), []],
    ['https://h.example/mcp?x=1 one two', address('https://h.example/mcp?x=1'), ['one', 'two']],
    ['http://127.0.0.1:8000/mcp -- one', address('http://127.0.0.1:8000/mcp'), ['one']],
  ])('%s', (content, place, only) => {
    expect(declared(content)).toMatchObject({ place, only });
  });

  test.each([
    [program('/usr/bin/mcp-server-git', '/x'), 'mcp-server-git'],
    [program('npx', '-y', '@scope/server-files@1.2.3', '/tmp'), 'server-files'],
    [program('node', '--inspect', './dist/words.js'), 'words'],
    [program('uvx', 'mcp-server-time'), 'mcp-server-time'],
    [program('docker', 'run', '-i', 'tickets'), 'tickets'],
    [program('node'), 'node'],
    [address('https://mcp.example.org:8443/v1'), 'mcp.example.org:8443'],
  ])('%j is called %s', (place, name) => {
    expect(serverName(place)).toBe(name);
  });
});

describe('names of tools', () => {
  const named = (names: readonly string[], taken: readonly string[] = [], server = 's') =>
    nameTools(
      names.map((name) => ({ server, tool: { name, description: '', parameters: {} } })),
      taken,
    ).names;

  test('are safe, unique, not taken and independent of order, whatever a server lists', () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 100, unit: 'grapheme' }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(names, fc.array(fc.constantFrom('a', 'b', 'mcp_s_a')), (list, taken) => {
        const result = named(list, taken);
        expect(new Set(result).size).toBe(list.length);
        for (const name of result) {
          expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
          expect(taken).not.toContain(name);
        }
      }),
    );
  });

  test('that are fine stay as they are', () => {
    expect(named(['read', 'write-all', 'A_1'])).toEqual(['read', 'write-all', 'A_1']);
  });
});

test('lines: any cutting of the bytes gives the same messages, and the text between them', () => {
  const message = fc.record({
    jsonrpc: fc.constant('2.0' as const),
    id: fc.nat(),
    result: fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 40 }) }),
  });
  const noise = fc.constantFrom(
    'Ready on 3000\n',
    '[1,2]\n',
    '{"x": 1}\n',
    '\n',
    '\uFEFF',
    '"{"\n',
    'half {',
  );
  const pieces = fc.array(fc.oneof(message, noise), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, fc.array(fc.nat(60), { maxLength: 40 }), (parts, cuts) => {
      const bytes = Buffer.from(
        parts
          .map((part) => (typeof part === 'string' ? part : `${JSON.stringify(part)}\n`))
          .join(''),
      );
      const found: unknown[] = [];
      const reader = lineReader({ onMessage: (each) => found.push(each), onNoise: () => {} });
      let at = 0;
      for (const cut of cuts) {
        reader.push(bytes.subarray(at, at + cut));
        at += cut;
      }
      reader.push(bytes.subarray(at));
      expect(found).toEqual(parts.filter((part) => typeof part !== 'string'));
    }),
  );
});

describe('an entry of etc/mcp.yaml', () => {
  test.each([
    ['https://h.example/v1/mcp', 'https://h.example/v1', true],
    ['https://h.example/v1/mcp', 'https://h.example/', true],
    ['https://h.example/v10/mcp', 'https://h.example/v1', false],
    ['https://h.example.evil/v1', 'https://h.example', false],
    ['http://h.example/v1', 'https://h.example/v1', false],
    ['https://h.example:444/v1', 'https://h.example/v1', false],
  ])('for %s: %s is meant: %s', (url, prefix, meant) => {
    expect(matchLength(address(url), { url: prefix }) > 0).toBe(meant);
    expect(matchLength(program(url), { url: prefix })).toBe(0);
  });

  test.each([
    [program('/opt/bin/server', '--a'), 'server', true],
    [program('server', '--a'), 'server --a', true],
    [program('server', '--b'), 'server --a', false],
    [program('server2'), 'server', false],
  ])('for %j: %s is meant: %s', (place, command, meant) => {
    expect(matchLength(place, { command }) > 0).toBe(meant);
  });
});

test('keys of the environment do not reach a program', () => {
  const env = {
    PATH: '/bin',
    LC_ALL: 'C',
    OPENAI_API_KEY: 'k',
    AWS_SECRET: 's',
    HOME: '() { x; }',
  };
  expect(serverEnvironment(env, { OWN: '1' })).toEqual({ PATH: '/bin', LC_ALL: 'C', OWN: '1' });
});

describe('images that tools made', () => {
  const chat = (roles: string) => roles.split(' ').map((role) => ({ role, content: 'x' }));
  test.each([
    ['user function_call function_call_output image', 0],
    ['user function_call function_call_output image image assistant', 0],
    ['user function_call function_call_output image assistant image user', 5],
    ['user assistant image user', 2],
    ['image user', 0],
  ])('%s: the turn starts at %i', (roles, start) => {
    expect(turnStart(chat(roles))).toBe(start);
  });
});

test('a value is a key by its name, or when it comes from the environment and is no path; plain settings stay readable', () => {
  const written = {
    API_KEY: '$A',
    REGION: 'north-by-northwest',
    PLACE: '$HOME',
    'X-Workspace': 'production',
    Authorization: 'Bearer planted-1',
    FROM: '$SOMEWHERE',
    NOTES: '$NOTES_TOKEN',
    PIN: '$PIN',
  };
  const values = {
    ...written,
    API_KEY: 'planted-2',
    PLACE: '/home/somebody',
    FROM: 'planted-3',
    NOTES: '/planted-4',
    PIN: '1234',
  };
  expect(new Set(secretsIn(written, values))).toEqual(
    new Set(['planted-2', 'Bearer planted-1', 'planted-1', 'planted-3', '/planted-4']),
  );
});

test('structured content that is nested past the stack is named as that', () => {
  let structuredContent: unknown = [];
  for (let depth = 0; depth < 100_000; depth++) structuredContent = [structuredContent];
  expect(toolOutput({ content: [], structuredContent })).toEqual({
    content: '[structured content that is nested more than 500 deep, which cannot be shown]',
  });
});
