// Chat texts and messages drawn to hurt: built from pieces of lines that mean something to the format, nearly do, or do
// only beside another piece.

import fc from 'fast-check';
import type { MessageInput } from '../../src/types.ts';

/** How often a property is tried: 1,000 times, or as often as the environment says. */
export const RUNS = Number(process.env.DEEP ?? 1000);

const oneOf = (...texts: readonly string[]) => fc.constantFrom(...texts);
const joined = (...parts: readonly fc.Arbitrary<string>[]) =>
  fc.tuple(...parts).map((each) => each.join(''));
const repeated = (text: string, least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((count) => text.repeat(count));

/** Roles that headers hold, inline ones among them. */
export const role = oneOf(
  ...'user assistant system meta option function_call function_call_output previous_response_id'.split(
    ' ',
  ),
  ...'provider_content agent clear import exec_task a _x 3 http sh x_1'.split(' '),
);

const tagName = oneOf('a', 'a', 'b', 'A', 'x_1', '7', 'cmd_output');
const white = oneOf(
  '',
  '',
  '',
  ' ',
  '  ',
  '   ',
  '    ',
  '\t',
  '\v',
  '\f',
  ' \t ',
  '\r',
  '\u00a0',
  '\u2003',
);
const word = oneOf(
  'x',
  'some words',
  'é',
  '🐌',
  '0',
  '-',
  ':',
  '::',
  '//',
  '/',
  '"',
  "'",
  '=',
  '{',
  '}',
  '>',
  '<',
);
const strange = oneOf(
  '\u2028',
  '\u2029',
  '\u0085',
  '\v',
  '\f',
  '\0',
  '\ufeff',
  '\ud800',
  '\udc00',
  '\r',
  '\u001b[2J',
);

const header = joined(role, oneOf(':', ':', ': ', ':\t', ': x', '://x', ':/x', ' :', ':-- ', '::'));
const loudHeader = oneOf('User:', 'ASSISTANT: x', 'uſer: x', 'rôle: x', 'user', 'user x:');
const fence = joined(
  oneOf('', '', '', ' ', '  ', '   ', '    ', '\t'),
  fc.oneof(repeated('`', 2, 6), repeated('~', 2, 6), oneOf('``~', '~~`', '```~~~')),
  oneOf('', '', '', '', 'js', ' js x', '`', ' ```', '~', ' ', '\t', ' \r'),
);
const square = oneOf(
  '[[',
  ']]',
  '[[x',
  'x]]',
  '[[x]]',
  '[[]]',
  '[[]',
  '[',
  ']',
  '[[[',
  ']]]',
  '[[1,2],[3,4]]',
  '[[1],2]',
  'a ]] b ]]',
);
const tag = fc.oneof(
  joined(
    oneOf('<', '</', '<', '</', '< '),
    tagName,
    oneOf('>', '>', '>', '', ' >', ' n="1">', ' n="<">', '/>', ' /', '\t>'),
  ),
  joined(oneOf('<'), tagName, oneOf('>x</'), tagName, oneOf('>')),
  oneOf(
    '<!-- x -->',
    '<5 items',
    '<>',
    '</>',
    '<my-tag>',
    '<a <b>',
    '<a </a>',
    '<a x</b>',
    '<a></a><a>',
    '</a><a>',
  ),
);
const command = joined(
  oneOf('sh', '', 'a b', 'http', '\\', 'user', '~/x', '<a>', '```'),
  oneOf(':-- ', ':-- ', ':--', ':--  ', ' :-- '),
  oneOf('', 'ls', 'ls -l', 'echo "hi"', 'x {{{ y', ':-- z'),
  oneOf(' {{{', ' {{{', ' }}}', ' }}}', '{{{', ' {{{ more', ' }}} more', ''),
);
const json = oneOf('{"a":1}', '{"a":"x\\ny: z"}', '[[1],2]', '{', '"', 'a: 1,');
const backslashes = oneOf('', '', '\\', '\\', '\\\\', '\\\\\\', '\\ ', ' \\');

/** A piece of a line; it holds no LF. */
const piece = fc.oneof(
  header,
  loudHeader,
  fence,
  square,
  tag,
  tag,
  command,
  json,
  word,
  strange,
  white,
);

/** A line without its end. */
export const line = fc.oneof(
  { weight: 5, arbitrary: joined(backslashes, piece) },
  { weight: 3, arbitrary: joined(white, piece, white) },
  { weight: 3, arbitrary: joined(backslashes, piece, piece, white) },
  { weight: 1, arbitrary: joined(white, backslashes, piece, piece, piece) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.replaceAll('\n', '')),
  },
  { weight: 2, arbitrary: fc.constant('') },
);

/** Some lines, with ends of all kinds. */
export const text = fc
  .array(
    fc.tuple(line, oneOf('\n', '\n', '\n', '\n', '\n', '\r\n', '\r\r\n', '\r\r\r\n', '\n\n')),
    {
      maxLength: 14,
    },
  )
  .chain((lines) =>
    oneOf('', '', '\n').map((cut) => {
      const all = lines.map((each) => each.join('')).join('');
      return cut === '' ? all.replace(/\r?\n$/, '') : all;
    }),
  );

/** Whatever a program may put into a message. */
export const content: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 12, arbitrary: text },
  { weight: 3, arbitrary: line },
  { weight: 1, arbitrary: oneOf('', ' ', '\r', '\ufeff') },
  { weight: 1, arbitrary: fc.constantFrom(null, undefined, 0, 42, -0.5, true, false) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.oneof(line, fc.string()), fc.oneof(text, fc.integer()), {
      maxKeys: 3,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.oneof(text, fc.array(fc.integer(), { maxLength: 3 })), { maxLength: 3 }),
  },
);

export const message: fc.Arbitrary<MessageInput> = fc.record({ role, content });

export const messages = fc.array(message, { maxLength: 4 });

/** Texts that somebody wrote: headers and contents in any order, closed or not. */
export const chatText = fc.oneof(
  text,
  fc
    .array(
      fc.tuple(fc.oneof(joined(role, oneOf(':\n', ':\n\n', ': x\n', ':')), fc.constant('')), text),
      { maxLength: 4 },
    )
    .map((parts) => parts.map((each) => each.join('')).join('\n')),
  text.map((each) => `\ufeff${each}`),
);

/** Role and content alone, for comparing. */
export const bare = (list: readonly MessageInput[]) =>
  list.map(({ role: name, content: value }) => ({ role: name, content: value }));
