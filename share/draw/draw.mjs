// Draws, in a process of its own that may be stopped: DOT to SVG, SVG to PNG or PDF. Reads standard input, writes standard output.
//
//   node draw.mjs svg            DOT to SVG, by Graphviz in WebAssembly
//   node draw.mjs png FOLDERS    SVG to PNG; FOLDERS is a JSON list of folders in which fonts may be
//   node draw.mjs pdf FOLDERS    SVG to PDF, with the fonts it needs inside
//
// What people should know is written to standard error, a line each.

import { readFileSync, writeSync } from 'node:fs';

/** Pixels for a unit of the drawing, and at most so many on a side. */
const ZOOM = 2;
const MOST_PIXELS = 8000;
/** Smaller letters are hard to read: a long picture may then have more pixels on a side, as far as programs that show it can take. */
const READABLE_ZOOM = 1;
const LONGEST_SIDE = 30_000;
const MOST_AREA = MOST_PIXELS ** 2;
/** No page of a PDF may be longer. */
const LONGEST_PAGE = 14_400;
const PIXELS_PER_POINT = 96 / 72;

const [form, folders = '[]'] = process.argv.slice(2);
const input = readFileSync(0, 'utf8');

const forms = { svg: toSvg, png: toPng, pdf: toPdf };
writeFully(await forms[form](input, JSON.parse(folders)));

async function toSvg(dot) {
  const { Graphviz } = await import('@hpcc-js/wasm-graphviz');
  const graphviz = await Graphviz.load();
  return graphviz.layout(dot, 'svg', 'dot');
}

async function toPng(svg, places) {
  const { default: resvg } = await import('@resvg/resvg-js');
  const { fontsFor, splitByFont } = await import('./fonts.mjs');
  const { fonts, missing } = fontsFor(svg, places);
  tell(missing);
  const [width, height] = sizeOf(svg).map((points) => points * PIXELS_PER_POINT);
  const zoom = zoomOf(Math.max(width, 1), Math.max(height, 1));
  if (zoom < READABLE_ZOOM)
    say(
      `the picture is ${Math.ceil(width)}×${Math.ceil(height)} pixels large and was made ${(1 / zoom).toFixed(1)} times smaller: an SVG or a PDF keeps its letters readable, and --depth, --only or --max-nodes show less`,
    );
  const image = new resvg.Resvg(
    splitByFont(replaceMissing(svg, missing), fonts, ({ family }) => cssName(family)),
    {
      fitTo: { mode: 'zoom', value: zoom },
      background: 'white',
      font: {
        loadSystemFonts: false,
        fontFiles: fonts.map(({ file }) => file),
        defaultFontFamily: fonts[0].family,
      },
      logLevel: 'off',
    },
  );
  return image.render().asPng();
}

function zoomOf(width, height) {
  const longest = Math.max(width, height);
  const readable = Math.min(
    READABLE_ZOOM,
    LONGEST_SIDE / longest,
    Math.sqrt(MOST_AREA / (width * height)),
  );
  return Math.max(readable, Math.min(ZOOM, MOST_PIXELS / longest));
}

async function toPdf(svg, places) {
  const { default: PDFDocument } = await import('pdfkit');
  const { default: toDocument } = await import('svg-to-pdfkit');
  const { fontsFor, splitByFont } = await import('./fonts.mjs');
  const { fonts, missing } = fontsFor(svg, places);
  tell(missing);
  const whole = sizeOf(svg);
  const scale = Math.min(1, LONGEST_PAGE / Math.max(...whole));
  const size = whole.map((points) => points * scale);
  const document = new PDFDocument({ size, margin: 0, autoFirstPage: true });
  const pieces = [];
  document.on('data', (piece) => pieces.push(piece));
  const done = new Promise((resolve) => document.on('end', resolve));
  for (const [index, { file, name }] of fonts.entries())
    document.registerFont(`font${index}`, file, name);
  const known = new Set(fonts.map((_, index) => `font${index}`));
  const nameOf = (_, index) => `font${index}`;
  const shown = splitByFont(replaceMissing(svg, missing), fonts, nameOf);
  toDocument(document, shown, 0, 0, {
    width: size[0],
    height: size[1],
    fontCallback: (family) => (known.has(family) ? family : 'font0'),
    warningCallback: () => {},
  });
  document.end();
  await done;
  return Buffer.concat(pieces);
}

/** Width and height in points, as Graphviz writes them. */
function sizeOf(svg) {
  const found = /<svg width="([\d.]+)pt" height="([\d.]+)pt"/.exec(svg);
  return found === null ? [800, 600] : [Number(found[1]), Number(found[2])];
}

/** The name of a font as a style in an attribute has it. */
function cssName(family) {
  return `'${family.replace(/['&<"]/g, '')}'`;
}

/** A box in place of what no font has. */
function replaceMissing(svg, missing) {
  let shown = svg;
  for (const letter of missing) shown = shown.replaceAll(letter, '\u25a1');
  return shown;
}

function tell(missing) {
  if (missing.length === 0) return;
  const more = missing.length > 20 ? ' …' : '';
  say(
    `no font here has ${missing.slice(0, 20).join(' ')}${more}: boxes stand in their place; an SVG keeps them, or install a font that has them`,
  );
}

function say(text) {
  writeSync(2, `${text}\n`);
}

function writeFully(data) {
  const bytes = Buffer.from(data);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
