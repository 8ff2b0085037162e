// DOT that any name comes through: exactly, without a statement more, in Graphviz as it comes with the program and as it is installed.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Graphviz } from '@hpcc-js/wasm-graphviz';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dot, linkTo } from '../../../src/prov/render/dot.ts';
import { dotLine } from '../../../src/prov/render/dot-text.ts';
import type { Box, Drawing } from '../../../src/prov/render/drawing.ts';
import { textWidth } from '../../../src/prov/render/text-width.ts';

/** As the program does it: an instance lays out one graph. One that is used again fails after a few. */
async function laidOut(text: string, format: 'svg' | 'plain'): Promise<string> {
  Graphviz.unload();
  return (await Graphviz.load()).layout(text, format, 'dot');
}

const HOSTILE = [
  'a"b',
  'end\\',
  'x\\N',
  'two\nlines',
  '<b>t</b>',
  '<',
  '<>',
  '*/ evil -> evil',
  '};',
  '"]; evil [label="',
  '\\"]; evil [label=\\"',
  'tab\there',
  'ctl\u0001x',
  'nul\u0000x',
  'esc\u001b[31m',
  'turned\u202eround',
  'é🐌',
  'node',
  'subgraph',
  'strict digraph {',
  '&lt;&amp;&#65;&#x41;',
  '&',
  '%s %n',
  '--',
  'a|b{c}',
  '\\E\\G\\T\\H\\L\\l\\r',
  '\\\\',
  '\\\\"',
  '#comment',
  '//comment',
  'é́',
  '表計算',
  'مرحبا',
  '\ud800',
  '\ufffe',
  ' ',
  '',
];

const box = (id: string, text: string, more: Partial<Box> = {}): Box => ({
  id,
  kind: 'job',
  name: dotLine(text),
  detail: 'done',
  status: undefined,
  isRoot: false,
  count: 1,
  tooltip: dotLine(text),
  file: '/data/x',
  frame: undefined,
  ...more,
});

/** A drawing in which every text is a name, a tooltip, the title of a frame and a line of the caption. */
function drawingOf(texts: readonly string[]): Drawing {
  return {
    boxes: texts.map((text, index) =>
      box(`n${index}`, text, { kind: index % 2 === 0 ? 'job' : 'chat', frame: `f${index}` }),
    ),
    arrows: texts.slice(1).map((_, index) => ({
      from: `n${index}`,
      to: `n${index + 1}`,
      name: 'dependency',
      count: 1,
    })),
    frames: texts.map((text, index) => ({
      id: `f${index}`,
      title: dotLine(text),
      kind: 'workflow',
      parent: undefined,
    })),
    caption: texts.map(dotLine),
  };
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function unescaped(xml: string): string {
  const text = xml.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (_, decimal, hexadecimal, name) =>
    decimal !== undefined
      ? String.fromCodePoint(Number(decimal))
      : hexadecimal !== undefined
        ? String.fromCodePoint(Number.parseInt(hexadecimal, 16))
        : (NAMED[name] ?? '?'),
  );
  // Graphviz writes runs of spaces with spaces that do not break.
  return text.replaceAll('\u00a0', ' ');
}

/** Texts and tooltips by the identifier of the box or frame. */
function readBack(svg: string) {
  const parts = new Map<string, { texts: string[]; tooltip: string | undefined }>();
  for (const [, kind, title, body] of svg.matchAll(
    /<g id="[^"]*" class="(node|edge|cluster)">\s*<title>([^<]*)<\/title>(.*?)<\/g>\n(?:<\/g>)?/gs,
  )) {
    if (kind === 'edge') continue;
    const texts = [...(body ?? '').matchAll(/<text [^>]*>([^<]*)</g)].map(([, text]) =>
      unescaped(text ?? ''),
    );
    const tooltip = /xlink:title="([^"]*)"/.exec(body ?? '')?.[1];
    parts.set(title ?? '', {
      texts,
      tooltip: tooltip === undefined ? undefined : unescaped(tooltip),
    });
  }
  return parts;
}

function expectExact(texts: readonly string[], svg: string): void {
  const parts = readBack(svg);
  expect([...parts.keys()].sort()).toEqual(
    texts.flatMap((_, index) => [`cluster_f${index}`, `n${index}`]).sort(),
  );
  expect(svg.match(/class="edge"/g) ?? []).toHaveLength(Math.max(0, texts.length - 1));
  for (const [index, text] of texts.entries()) {
    const shown = dotLine(text).replaceAll('\u00a0', ' ');
    const found = parts.get(`n${index}`);
    expect(found?.texts, JSON.stringify(text)).toEqual(shown === '' ? ['done'] : [shown, 'done']);
    if (shown.trim() !== '') expect(found?.tooltip, JSON.stringify(text)).toBe(shown);
    expect(parts.get(`cluster_f${index}`)?.texts.join('').trimEnd()).toBe(shown.trimEnd());
  }
}

const draw = (texts: readonly string[]) => dot(drawingOf(texts), { folder: '/data' });

describe('hostile names', () => {
  test('come through Graphviz in WebAssembly exactly', async () => {
    expectExact(HOSTILE, await laidOut(await draw(HOSTILE), 'svg'));
  });

  test('come through the dot of the machine exactly', async (context) => {
    if (spawnSync('dot', ['-V']).error) return context.skip('Graphviz is not installed');
    const { stdout, status } = spawnSync('dot', ['-Tsvg'], {
      input: await draw(HOSTILE),
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expectExact(HOSTILE, stdout);
  });

  test('make XML that can be read', async () => {
    const svg = await laidOut(await draw(HOSTILE), 'svg');
    expect(svg).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u);
    expect(svg.replace(/<[^<>]*>/g, '')).not.toMatch(/[<>]|&(?!#\d+;|\w+;)/);
  });

  test('any name at all comes through exactly', async () => {
    const characters = fc.oneof(
      fc.constantFrom(
        '\\',
        '"',
        '<',
        '>',
        '&',
        ';',
        '{',
        '}',
        '[',
        ']',
        '\n',
        '\t',
        ' ',
        'N',
        'n',
        'l',
        '#',
        '-',
        '/',
      ),
      fc.string({ unit: 'binary', maxLength: 2 }),
    );
    // Nothing in a store is named by nothing; Graphviz in WebAssembly fails at some mixtures of empty names.
    const names = fc.array(characters, { maxLength: 12 }).map((parts) => {
      const name = parts.join('');
      return /^[\s\0]*$/.test(name) ? `x${name}` : name;
    });
    await fc.assert(
      fc.asyncProperty(fc.array(names, { minLength: 8, maxLength: 16 }), async (texts) => {
        expectExact(texts, await laidOut(await draw(texts), 'svg'));
      }),
      { numRuns: 15 },
    );
  }, 600_000);
});

describe('a link', () => {
  const rows: readonly (readonly [file: string, folder: string, link: string])[] = [
    ['/a/b/x.chat', '/a/b', './x.chat'],
    ['/a/x.chat', '/a/b/c', '../../x.chat'],
    ['/a/b/javascript:alert(1).chat', '/a/b', './javascript%3Aalert(1).chat'],
    ['/a/b/q?x#y&z%.chat', '/a/b', './q%3Fx%23y%26z%25.chat'],
    ['/a/b/日 本.chat', '/a/b', './%E6%97%A5%20%E6%9C%AC.chat'],
  ];
  for (const [file, folder, link] of rows)
    test(`to ${file} from ${folder} is ${link}`, () => expect(linkTo(file, folder)).toBe(link));

  test('stands in the SVG as it is', async () => {
    const one: Drawing = {
      ...drawingOf([]),
      boxes: [box('n0', 'x', { file: '/data/q?x#y&z%".chat' })],
    };
    const svg = await laidOut(await dot(one, { folder: '/data' }), 'svg');
    expect(svg).toContain('xlink:href="./q%3Fx%23y%26z%25%22.chat"');
  });
});

test('boxes are at least as wide as their texts, whatever letters these are of', async () => {
  const texts = ['plain', 'Щука ЖЖЖ ЮЮЮ', '表計算表計算', 'WWWWWWWWWW', 'ﷺﷺﷺ', 'éééé'];
  const plain = await laidOut(await draw(texts), 'plain');
  for (const [index, text] of texts.entries()) {
    const width = Number(new RegExp(`^node n${index} \\S+ \\S+ (\\S+)`, 'm').exec(plain)?.[1]) * 72;
    expect(width).toBeGreaterThan(textWidth(text) * 10);
  }
});

test('measures of letters are those of the font that comes with the program, or more', async () => {
  const { openSync } = await import('fontkit');
  const font = openSync(join(import.meta.dirname, '../../../share/fonts/DejaVuSans.ttf'));
  for (const text of ['Hello, world! ~{}|', 'Straße àéîõü', 'Ελληνικά', 'Привет, ЖЩШЮ', '──▶ ×5'])
    expect(textWidth(text), text).toBeGreaterThanOrEqual(
      (font.layout(text).advanceWidth / font.unitsPerEm) * 0.97,
    );
});
