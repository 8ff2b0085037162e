import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readFlatYaml } from '../../src/config/flat-yaml.ts';
import { parseYaml } from '../../src/config/yaml-file.ts';

const runs = { numRuns: Number(process.env.DEEP ?? 1000) };
const key = fc.constantFrom(
  'backend',
  'url',
  'model',
  'key_env',
  'max_tokens',
  'a',
  'y',
  'null',
  'true',
);
const value = fc.oneof(
  fc.constantFrom(
    'openai',
    'http://127.0.0.1:80/v1',
    'https://x.org',
    'http://a:b',
    'true',
    'No',
    'on',
    '~',
    'null',
    '0',
    '007',
    '1.50',
    '1e3',
    '0x1f',
    '.5',
    '5.',
    '-1',
    '+1',
    '12:30',
    '2020-01-01',
    'a#b',
    'a:',
    'a: b',
    '[a]',
    '{a: b}',
    '"q"',
    "'q'",
    '&x',
    '*x',
    '!t',
    '|',
    '>',
    '- x',
    '%a',
    '@a',
    '`a`',
    'a\tb',
    'é',
    'NaN',
    '.inf',
    '123456789012345678',
    'x/y-z_1.0',
    '',
  ),
  fc.string({
    unit: fc.constantFrom('a', 'Z', '0', '1', '.', '-', '_', '/', ':', '#', ' ', '~', 'e', 'x'),
  }),
);
const line = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(key, fc.constantFrom('openai', 'http://127.0.0.1:80/v1', '12', '0.5', 'm-1.5/x'))
      .map(([name, text]) => `${name}: ${text}`),
  },
  { weight: 6, arbitrary: fc.tuple(key, value).map(([name, text]) => `${name}: ${text}`) },
  fc.constantFrom(
    '',
    '# a comment',
    '  # indented',
    '---',
    '...',
    ' key: x',
    'key:x',
    'a:  b  ',
    '\tkey: x',
    'url: http://h:1/p # c',
    '#\u0007',
  ),
);

test('what is read without the YAML reader is what the YAML reader reads, with the same lines', () => {
  let flat = 0;
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
      const source = lines.join('\n');
      const quick = readFlatYaml(source);
      if (quick === undefined) return;
      flat++;
      expect(quick.values).toEqual(parse(source));
      const slow = parseYaml(source, 'x.yaml');
      for (const name of Object.keys(quick.values))
        expect(quick.lineOf(name)).toBe(slow.lineOf(name));
    }),
    runs,
  );
  // Enough of them were read that way, or this proves nothing.
  expect(flat).toBeGreaterThan(50);
});

test('an ordinary endpoint file needs no YAML reader', () => {
  const source =
    '# ours\nbackend: openai\nurl: http://127.0.0.1:8080/v1\nmodel: m-1.5/large\nmax_tokens: 100\n';
  expect(readFlatYaml(source)?.values).toEqual({
    backend: 'openai',
    url: 'http://127.0.0.1:8080/v1',
    model: 'm-1.5/large',
    max_tokens: 100,
  });
});
