// Where a line may end inside text that has no spaces: between the characters of scripts that are written without them.

// Ideographs, kana, full-width forms and their punctuation. Hangul is left out: Korean is written with spaces.
const UNSPACED =
  '\\u2e80-\\u303e\\u3041-\\u312f\\u31a0-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\ufe30-\\ufe4f\\uff01-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}';
// Closing punctuation, small kana and everything that belongs to the character before it never begin a line.
const NOT_FIRST =
  '、。，．・：；？！）］｝〕〉》」』】〙〗〟’”ー々ゝゞぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ…‥,.:;?!)\\]}\\p{M}\\u200d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}';
const NOT_LAST = '（［｛〔〈《「『【〘〖〝‘“(\\[{';

const AFTER = `(?<=(?![${NOT_LAST}])[${UNSPACED}])(?![${NOT_FIRST}])`;
const BEFORE = `(?<![${NOT_LAST}\\s])(?=(?![${NOT_FIRST}])[${UNSPACED}])`;

const ANY_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
const BREAK = new RegExp(`${AFTER}|${BEFORE}`, 'u');
const BREAK_AFTER = new RegExp(`${AFTER}(?!$)`, 'gu');

/** A word cut into the pieces between which a line may end; one piece for words of spaced scripts. */
export function pieces(word: string): string[] {
  return ANY_UNSPACED.test(word) ? word.split(BREAK) : [word];
}

/** The first offset greater than `from` behind an unspaced character at which a line may end, the end of the text excepted: what follows there is not known. */
export function breakAfter(text: string, from: number): number | undefined {
  // Inside a pair of surrogates a search would begin before it, at `from` again.
  BREAK_AFTER.lastIndex = from + ((text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1);
  return BREAK_AFTER.exec(text)?.index;
}
