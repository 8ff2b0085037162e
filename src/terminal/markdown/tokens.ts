// Inline Markdown (emphasis, code, links) as styled spans. The grammar is marked's; where it would swallow characters that
// were hardly meant as markup, in formulas above all, they stay.

import type { MarkedToken, Token } from 'marked';
import { neutralise } from '../neutralise.ts';
import { type Mark, marked, plain, type Span, textOf } from '../spans.ts';
import type { ParseInline } from './inline.ts';

/** Text without any of these has no inline markup. */
const MARKUP = /[\\`*_~[\]<!@]|:\/\/|www\./;
/** Behind a backslash other signs keep it: "\(" and "\," are formulas. */
const ESCAPES = /^\\[*_`#~|<>!+.-]/;
/** A name like `__init__` of Python is no strong text. */
const NAME = /^__[a-z][a-z0-9_]*__(?![A-Za-z0-9_])/;

/**
 * A parser over the given library. `keepSigns`: signs of emphasis and code stay in the text, for output
 * that cannot show them in another way. What it returns is harmless for a terminal.
 */
export function inlineParser(
  { Lexer, Marked }: Pick<typeof import('marked'), 'Lexer' | 'Marked'>,
  keepSigns: boolean,
): ParseInline {
  const { defaults } = new Marked({
    gfm: true,
    extensions: [
      {
        name: 'name',
        level: 'inline',
        tokenizer(source) {
          const [raw] = NAME.exec(source) ?? [];
          return raw === undefined ? undefined : { type: 'text', raw, text: raw };
        },
      },
    ],
    tokenizer: {
      // `false` lets marked go on with its own rule, `undefined` says that there is nothing.
      // `2*3*4` is a product.
      emStrong: (source, _masked, before = '') =>
        source.startsWith('*') && /[A-Za-z0-9]/.test(before) ? undefined : false,
      del: (source) => (source.startsWith('~~') ? false : undefined),
      escape: (source) => (source.startsWith('\\') && !ESCAPES.test(source) ? undefined : false),
    },
  });
  const spans = (tokens: readonly Token[]) =>
    tokens.flatMap((token) => spansOf(token as MarkedToken));
  const signed = (sign: string, inner: Span[], mark: Mark) =>
    keepSigns ? [plain(sign), ...inner, plain(sign)] : marked(inner, mark);

  const spansOf = (token: MarkedToken): Span[] => {
    switch (token.type) {
      case 'strong':
        return signed(token.raw.slice(0, 2), spans(token.tokens), 'strong');
      case 'em':
        return signed(token.raw.slice(0, 1), spans(token.tokens), 'emphasis');
      case 'del':
        return signed('~~', spans(token.tokens), 'deleted');
      case 'codespan':
        return signed(/^`+/.exec(token.raw)?.[0] ?? '`', [plain(token.text)], 'code');
      case 'link':
        return link(spans(token.tokens), token.href, token.title);
      case 'image':
        return link([plain(token.text)], token.href, token.title);
      case 'br':
        return [plain('\n')];
      case 'text':
      case 'escape':
        return [plain(token.text)];
      default:
        return [plain(token.raw)];
    }
  };
  return (text) => {
    if (!MARKUP.test(text)) return [plain(text)];
    try {
      return spans(Lexer.lexInline(text, defaults)).map(harmless);
    } catch {
      // marked throws when its rules do not advance: the text is shown all the same.
      return [plain(text)];
    }
  };
}

/** References in link targets can stand for control characters. */
const harmless = ({ text, marks }: Span): Span => ({
  text: neutralise(text, { keepLineEnds: true }),
  marks,
});

/** The text, then where it leads to, unless the text says that itself. */
function link(inner: Span[], target: string, title: string | null | undefined): Span[] {
  const text = textOf(inner);
  const told = target === text || target === `mailto:${text}` || target === `http://${text}`;
  const parts = [...(told ? [] : [target]), ...(title ? [`"${title}"`] : [])];
  const behind = parts.length === 0 ? '' : `${text === '' ? '' : ' '}(${parts.join(' ')})`;
  return [
    ...marked(inner, 'link'),
    ...(behind === '' ? [] : [{ text: behind, marks: ['faint'] as const }]),
  ];
}
