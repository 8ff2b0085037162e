// Finds fonts for the texts of an SVG: those that come with the program, and for letters that they lack those of the machine.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSync } from 'fontkit';

const OWN = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'fonts');
const OWN_FILES = ['DejaVuSans.ttf', 'DroidSansFallbackFull.ttf'];

/** The machine may have thousands of fonts: looking stops after so many milliseconds. */
const PATIENCE = 5000;

/**
 * The fonts that the texts need, the usual one first, and the letters that no font has.
 * A font is `{file, name, family, has(codePoint), width(text)}`; `name` tells the font in a collection, a width is in font sizes.
 */
export function fontsFor(svg, folders) {
  let missing = new Set(lettersOf(svg));
  const fonts = [];
  const consider = (file, always) => {
    for (const font of open(file)) {
      const found = [...missing].filter((letter) => font.has(letter.codePointAt(0)));
      if (found.length === 0 && !always) continue;
      fonts.push(font);
      missing = new Set([...missing].filter((letter) => !found.includes(letter)));
    }
  };
  for (const [index, name] of OWN_FILES.entries()) consider(path.join(OWN, name), index === 0);
  const end = Date.now() + PATIENCE;
  for (const file of fontFiles(folders)) {
    if (missing.size === 0 || Date.now() > end) break;
    consider(file, false);
  }
  return { fonts, missing: [...missing] };
}

/**
 * Every text as one element for each run of letters that a font has, placed by the font's own measures: programs that look for fonts
 * letter by letter lose some. `nameOf(font, index)` is the name that the element gets. Words of scripts that run to the left are put in the
 * order in which they stand on paper, since each is an element of its own; accents are joined to their letters, since some programs
 * lose those that stand alone.
 */
export function splitByFont(svg, fonts, nameOf) {
  return svg.replace(TEXT, (whole, before, anchor, middle, x, after, content) => {
    const size = Number(/font-size="([\d.]+)"/.exec(after)?.[1] ?? 10);
    const runs = runsOf(reordered(joined(content, fonts)), fonts);
    const widths = runs.map(({ index, text }) => fonts[index].width(decoded(text)) * size);
    const all = widths.reduce((sum, width) => sum + width, 0);
    let at = Number(x) - (anchor === 'middle' ? all / 2 : anchor === 'end' ? all : 0);
    const elements = runs.map(({ index, text }, number) => {
      const font = ` font-family="${nameOf(fonts[index], index)}"`;
      const style = after.replace(/ font-family="[^"]*"/, font);
      const element = `${before}start${middle}${at.toFixed(2)}${style}${text}</text>`;
      at += widths[number];
      return /^(?:\s|&#160;)*$/.test(text) ? '' : element;
    });
    return runs.length === 0 ? whole : elements.join('');
  });
}

/** Accents and their letters as one, unless no font has that. */
function joined(content, fonts) {
  const composed = content.normalize('NFC');
  const isThere = (letter) => fonts.some((font) => font.has(codeOf(letter)));
  return (composed.match(LETTER) ?? []).every((letter) => isThere(letter)) ? composed : content;
}

/** As Graphviz writes it. */
const TEXT = /(<text [^>]*text-anchor=")(\w+)("[^>]* x=")(-?[\d.]+)("[^>]*>)([^<]*)<\/text>/g;
const LETTER = /&[^;]+;|./gsu;

/** Runs of letters with the number of the first font that has them. */
function runsOf(content, fonts) {
  const runs = [];
  for (const letter of content.match(LETTER) ?? []) {
    const code = codeOf(letter);
    const last = runs.at(-1);
    const found = fonts.findIndex((font) => font.has(code));
    // A space or an accent stays with what is before it.
    const stays = last !== undefined && fonts[last.index].has(code);
    const index = stays ? last.index : Math.max(0, found);
    const leftward = LEFTWARD.test(letter);
    if (last?.index === index && last.leftward === leftward) last.text += letter;
    else runs.push({ index, leftward, text: letter });
  }
  return runs;
}

const SCRIPTS =
  '\\p{Script=Arabic}\\p{Script=Hebrew}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}';
const LEFTWARD = new RegExp(`[${SCRIPTS}]`, 'u');
const LEFTWARD_WORDS = new RegExp(`[${SCRIPTS}]+(?:\\s+[${SCRIPTS}]+)+`, 'gu');

const reordered = (content) =>
  content.replace(LEFTWARD_WORDS, (words) => words.split(/(\s+)/).reverse().join(''));

const decoded = (text) =>
  (text.match(LETTER) ?? []).map((letter) => String.fromCodePoint(codeOf(letter))).join('');

const NAMED = { amp: 38, lt: 60, gt: 62, quot: 34, apos: 39 };

function codeOf(letter) {
  const entity = /^&(?:#(\d+)|#x([\da-f]+)|(\w+));$/i.exec(letter);
  if (entity === null) return letter.codePointAt(0);
  if (entity[1] !== undefined) return Number(entity[1]);
  return entity[2] === undefined ? (NAMED[entity[3]] ?? 63) : Number.parseInt(entity[2], 16);
}

/** What stands in the texts, less what is no letter: spaces, joiners, selectors of a style. */
function lettersOf(svg) {
  const texts = [...svg.matchAll(/<text [^>]*>([^<]*)</g)].map(([, content]) => content).join('');
  const all = texts.match(LETTER) ?? [];
  return new Set(
    all
      .map((letter) => String.fromCodePoint(codeOf(letter)))
      .filter((letter) => !/\p{Z}|\p{C}|\p{Variation_Selector}/u.test(letter)),
  );
}

function open(file) {
  try {
    const opened = openSync(file);
    const fonts = opened.fonts ?? [opened];
    return fonts.filter(hasOutlines).map((font) => ({
      file,
      name: opened.fonts === undefined ? undefined : font.postscriptName,
      family: font.familyName,
      has: (code) => font.hasGlyphForCodePoint(code),
      width: (text) => font.layout(text).advanceWidth / font.unitsPerEm,
    }));
  } catch {
    return [];
  }
}

/** Fonts of pictures (coloured emoji) cannot be drawn with lines. */
function hasOutlines({ directory: { tables } }) {
  return tables.glyf !== undefined || tables['CFF '] !== undefined || tables.CFF2 !== undefined;
}

function* fontFiles(folders) {
  for (const folder of folders) {
    let entries;
    try {
      entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
    } catch {
      continue;
    }
    for (const name of entries)
      if (/\.(?:ttf|otf|ttc|otc)$/i.test(name)) yield path.join(folder, name);
  }
}
