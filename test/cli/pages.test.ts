// One literal with everything in it, as --help, as a manual page and as Markdown; and the Markdown of hand-written pages.

import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { commandHelp } from '../../src/cli/help.ts';
import { markdownReference, parsePage } from '../../src/cli/markdown.ts';
import { commandPage } from '../../src/cli/page.ts';
import { toPlainText } from '../../src/cli/plain-text.ts';
import { toRoff } from '../../src/cli/roff.ts';
import type { CommandSpec } from '../../src/cli/spec.ts';

const spec: CommandSpec = {
  path: ['tea', 'make'],
  summary: 'Make tea, the way that is asked for',
  arguments: [
    { name: 'leaves', summary: 'Which leaves; - is standard input', required: true },
    { name: 'guest', summary: 'Who drinks it', repeat: true },
  ],
  options: [
    {
      long: 'strength',
      short: 's',
      value: 'n',
      choices: ['weak', 'strong'],
      summary: 'How strong',
    },
    { long: 'no-milk', summary: 'Without milk' },
    { long: 'add', value: 'key=value', repeat: true, group: 'Taste', summary: 'Add something' },
    {
      long: 'an-option-with-a-long-name',
      value: 'and-value',
      group: 'Taste',
      summary: 'Stands alone',
    },
  ],
  details: [
    "A paragraph of the page that is long enough to be wrapped at the edge of eighty columns, with `--no-milk` and a \\ and a 'quote'.",
    '    .an example that\n    is kept as it is',
    '.This begins with a dot.',
  ],
  examples: [
    { command: 'chat tea make --no-milk green | cat', does: 'makes it without milk.' },
    { command: 'chat tea make - Ann Bob', does: 'makes tea for two' },
  ],
  seeAlso: ['chat print', 'chat-format(5)'],
  run: async () => 0,
};

test('--help has everything in its place, in 80 columns', () => {
  expect(commandHelp(spec)).toMatchInlineSnapshot(`
    "Usage: chat tea make [options] <leaves> [<guest> ...]

    Make tea, the way that is asked for.

    A paragraph of the page that is long enough to be wrapped at the edge of eighty
    columns, with \`--no-milk\` and a \\ and a 'quote'.

        .an example that
        is kept as it is

    .This begins with a dot.

    Arguments:
      <leaves>               Which leaves; - is standard input
      <guest>                Who drinks it

    Options:
      -s, --strength <n>     How strong (weak, strong)
          --no-milk          Without milk

    Taste:
          --add <key=value>  Add something; may be repeated
          --an-option-with-a-long-name <and-value>
                             Stands alone

    Global options:
      -h, --help             Show this help and exit
          --version          Show the version and exit
      -q, --quiet            Print nothing on standard error but errors
      -v, --verbose          Print more on standard error
          --color <when>     Colour the output: auto (on a terminal), always or
                             never
          --debug            Add the stack to an error message

    Examples:
      chat tea make --no-milk green | cat
          Makes it without milk
      chat tea make - Ann Bob
          Makes tea for two

    Exit status: 0 done, 1 the work failed, 2 wrong use, 3 configuration,
                 4 provider, 5 limit reached, 6 approval missing, 130 Ctrl-C,
                 143 TERM

    See also: chat-print(1), chat-format(5), chat(1)
    "
  `);
});

test('the manual page escapes every dash once, and lines that begin with a dot', () => {
  expect(toRoff(commandPage(spec))).toMatchInlineSnapshot(`
    ".\\" Made by "npm run man"; edit its source, not this file.
    .TH "CHAT\\-TEA\\-MAKE" "1" "" "scout\\-chat" "Chat manual"
    .nh
    .ad l
    .SH NAME
    chat\\-tea\\-make \\- make tea, the way that is asked for
    .SH "SYNOPSIS"
    .PP
    \\fBchat tea make\\fR [options] <leaves> [<guest> ...]
    .SH "DESCRIPTION"
    .PP
    Make tea, the way that is asked for.
    .PP
    A paragraph of the page that is long enough to be wrapped at the edge of eighty columns, with \\fB\\-\\-no\\-milk\\fR and a \\e and a \\(aqquote\\(aq.
    .PP
    .RS 4
    .nf
    \\&.an example that
    is kept as it is
    .fi
    .RE
    .PP
    \\&.This begins with a dot.
    .SH "ARGUMENTS"
    .TP
    \\fIleaves\\fR
    Which leaves; \\- is standard input.
    .TP
    \\fIguest\\fR
    Who drinks it.
    .SH "OPTIONS"
    .TP
    \\fB\\-s\\fR, \\fB\\-\\-strength\\fR \\fIn\\fR
    How strong. One of weak, strong.
    .TP
    \\fB\\-\\-no\\-milk\\fR
    Without milk.
    .SS "Taste"
    .TP
    \\fB\\-\\-add\\fR \\fIkey=value\\fR
    Add something. May be repeated.
    .TP
    \\fB\\-\\-an\\-option\\-with\\-a\\-long\\-name\\fR \\fIand\\-value\\fR
    Stands alone.
    .SS "Global options"
    .TP
    \\fB\\-h\\fR, \\fB\\-\\-help\\fR
    Show this help and exit.
    .TP
    \\fB\\-\\-version\\fR
    Show the version and exit.
    .TP
    \\fB\\-q\\fR, \\fB\\-\\-quiet\\fR
    Print nothing on standard error but errors.
    .TP
    \\fB\\-v\\fR, \\fB\\-\\-verbose\\fR
    Print more on standard error.
    .TP
    \\fB\\-\\-color\\fR \\fIwhen\\fR
    Colour the output: auto (on a terminal), always or never.
    .TP
    \\fB\\-\\-debug\\fR
    Add the stack to an error message.
    .SH "EXAMPLES"
    .PP
    Makes it without milk:
    .PP
    .RS 4
    .nf
    chat tea make \\-\\-no\\-milk green | cat
    .fi
    .RE
    .PP
    Makes tea for two:
    .PP
    .RS 4
    .nf
    chat tea make \\- Ann Bob
    .fi
    .RE
    .SH "EXIT STATUS"
    .TP
    \\fB0\\fR
    Done: there is an answer, and it is saved where there is a file. Also when the reader of the output closed the pipe.
    .TP
    \\fB1\\fR
    The work failed: a tool, a job, a save, a schema that was not met, strict findings.
    .TP
    \\fB2\\fR
    Wrong use: an option, a missing or unreadable file, a bad chat.
    .TP
    \\fB3\\fR
    Configuration: an endpoint, a key, an agent or a workflow that cannot be used.
    .TP
    \\fB4\\fR
    The provider refused, or could not be reached after retries.
    .TP
    \\fB5\\fR
    A limit was reached (rounds, tokens, cost, length). What was done until then is saved.
    .TP
    \\fB6\\fR
    A tool call needed an approval that nobody could give.
    .TP
    \\fB130\\fR
    Stopped by Ctrl\\-C.
    .TP
    \\fB143\\fR
    Stopped by TERM, or because the terminal closed.
    .SH "ENVIRONMENT"
    .PP
    Variables that all commands share are listed in \\fBchat\\fR(1).
    .SH "FILES"
    .PP
    The folders of the program are listed in \\fBchat\\fR(1).
    .SH "SEE ALSO"
    .PP
    \\fBchat\\-print\\fR(1), \\fBchat\\-format\\fR(5), \\fBchat\\fR(1)
    "
  `);
});

test('the manual page shows the same when a manual program renders it', (context) => {
  const rendered = spawnSync('groff', ['-man', '-Tascii', '-ww', '-P-cbou'], {
    input: toRoff(commandPage(spec)),
    encoding: 'utf8',
  });
  if (rendered.error) return context.skip('groff is not installed');
  expect(rendered.stderr).toBe('');
  const words = rendered.stdout.replace(/\s+/g, ' ');
  for (const text of [
    'chat-tea-make - make tea, the way that is asked for',
    'chat tea make [options] <leaves> [<guest> ...]',
    "with --no-milk and a \\ and a 'quote'.",
    '.an example that is kept as it is',
    '.This begins with a dot.',
    '-s, --strength n How strong. One of weak, strong.',
    'chat tea make --no-milk green | cat',
    'chat-print(1), chat-format(5), chat(1)',
  ])
    expect(words).toContain(text);
});

test('Markdown has a section for the command, without what all commands share', () => {
  expect(markdownReference([spec])).toMatchInlineSnapshot(`
    "# Commands

    | command | what it does |
    |---|---|
    | [\`chat tea make\`](#chat-tea-make) | Make tea, the way that is asked for |

    ## chat-tea-make

    ### Synopsis

    **chat tea make** [options] &lt;leaves> [&lt;guest> ...]

    ### Description

    Make tea, the way that is asked for.

    A paragraph of the page that is long enough to be wrapped at the edge of eighty columns, with \`--no-milk\` and a \\ and a 'quote'.

    \`\`\`sh
    .an example that
    is kept as it is
    \`\`\`

    .This begins with a dot.

    ### Arguments

    | | |
    |---|---|
    | *leaves* | Which leaves; - is standard input. |
    | *guest* | Who drinks it. |

    ### Options

    | | |
    |---|---|
    | **-s**, **--strength** *n* | How strong. One of weak, strong. |
    | **--no-milk** | Without milk. |

    #### Taste

    | | |
    |---|---|
    | **--add** *key=value* | Add something. May be repeated. |
    | **--an-option-with-a-long-name** *and-value* | Stands alone. |

    ### Examples

    Makes it without milk:

    \`\`\`sh
    chat tea make --no-milk green | cat
    \`\`\`

    Makes tea for two:

    \`\`\`sh
    chat tea make - Ann Bob
    \`\`\`

    ### See also

    **chat-print**(1), **chat-format**(5), **chat**(1)
    "
  `);
});

const PAGE = `# chat-tea - how tea is made

## Leaves

Green *or* black,
in \`pots\`.

### Pots

| pot | size | made of |
|---|---|---|
| \`a\\|b\` | big | clay |

- one
  and more
- two

\`\`\`
# not a title

| not | a table |
\`\`\`

<!-- here -->
`;

describe('a hand-written page', () => {
  const places = new Map([['here', [{ kind: 'paragraph' as const, text: 'made' }]]]);

  test('is read block by block', () => {
    expect(parsePage(PAGE, '7', places)).toEqual({
      name: 'chat-tea',
      section: '7',
      summary: 'how tea is made',
      blocks: [
        { kind: 'section', text: 'Leaves' },
        { kind: 'paragraph', text: 'Green *or* black, in `pots`.' },
        { kind: 'subsection', text: 'Pots' },
        { kind: 'terms', items: [['`a|b`', 'big. clay']] },
        { kind: 'list', items: ['one and more', 'two'] },
        { kind: 'code', text: '# not a title\n\n| not | a table |' },
        { kind: 'paragraph', text: 'made' },
      ],
    });
  });

  test('with a place for which no text is made is a failure', () => {
    expect(() => parsePage(PAGE, '7')).toThrow('no text is made for the place "here" of a page');
  });

  test('is plain text too', () => {
    expect(toPlainText(parsePage(PAGE, '7', places))).toMatchInlineSnapshot(`
      "chat-tea - how tea is made

      LEAVES

        Green or black, in pots.

       Pots

        a|b       big. clay

        - one and more
        - two

          # not a title

          | not | a table |

        made
      "
    `);
  });
});
