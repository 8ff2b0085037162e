// Texts of a picture in the order and with the accents that they have on paper, for programs that draw PNG and PDF.

import { describe, expect, test } from 'vitest';

interface Fonts {
  fontsFor(svg: string, folders: readonly string[]): { readonly fonts: readonly unknown[] };
  splitByFont(svg: string, fonts: readonly unknown[], nameOf: () => string): string;
}

/** The elements that a text becomes, from left to right. */
async function elements(text: string): Promise<readonly string[]> {
  const place = new URL('../../../share/draw/fonts.mjs', import.meta.url).href;
  const { fontsFor, splitByFont }: Fonts = await import(place);
  const svg = `<text xml:space="preserve" text-anchor="middle" x="100" y="10" font-family="DejaVu Sans" font-size="10.00">${text}</text>`;
  const split = splitByFont(svg, fontsFor(svg, []).fonts, () => 'F');
  return [...split.matchAll(/ x="([-\d.]+)"[^>]*>([^<]*)</g)]
    .map(([, x, words = '']) => ({ x: Number(x), words }))
    .toSorted((one, other) => one.x - other.x)
    .map(({ words }) => words);
}

describe('a text', () => {
  test.each([
    ['W/t مرحبا بالعالم', ['W/t ', 'بالعالم', 'مرحبا']],
    ['שלום עולם end', ['עולם', 'שלום', ' end']],
    ['plain words', ['plain words']],
    ['表計算 x', ['表計算', 'x']],
  ])(
    '%s: words that run to the left stood in a PNG in the order of the others',
    async (text, words) => {
      expect((await elements(text)).map((each) => each.trim())).toEqual(
        words.map((each) => each.trim()),
      );
    },
  );

  test('lost the accents that stand behind their letters in a PDF', async () => {
    expect(await elements('Cafe\u0301 u\u0308ber')).toEqual(['Café über']);
  });
});
