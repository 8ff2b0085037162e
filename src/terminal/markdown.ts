// Markdown, as it arrives from a model, on a terminal. Text is shown word by word; styles appear with the word that completes
// them. Nothing but the last row is ever written twice, so resizing and scrolling back do no harm.

import { blockReader } from './markdown/blocks.ts';
import { createPage } from './markdown/page.ts';
import { createPaper } from './markdown/paper.ts';
import { inlineParser } from './markdown/tokens.ts';
import { neutralStream } from './neutralise.ts';
import { painter, paintNothing } from './spans.ts';

export interface MarkdownOptions {
  /** Cells in a row. Read anew for every row, so a getter follows a resized terminal. */
  readonly columns: number;
  /** With colour, styles are sequences. Without it no sequence is sent at all and the signs of Markdown stay where only they tell a style. */
  readonly colour: boolean;
}

export interface MarkdownStream {
  /** Takes the next piece of the text, cut anywhere, and writes what can be shown. */
  push(piece: string): void;
  /** Writes what is still open, with a line end. The next `push` begins a new text. */
  end(): void;
}

/**
 * A renderer that hands terminal text to `write` as it is pushed Markdown. Text that is still open (the last word, a span,
 * a table) is previewed on the last row and replaced when it is complete, unless `preview` is false. Everything that the
 * text contains is made harmless. Never throws.
 */
export async function markdownStream(
  options: MarkdownOptions & { readonly write: (text: string) => void; readonly preview?: boolean },
): Promise<MarkdownStream> {
  const { colour, preview = true } = options;
  const [library, { Chalk }] = await Promise.all([import('marked'), import('chalk')]);
  const size = {
    get columns() {
      return options.columns > 0 ? options.columns : 80;
    },
  };
  const paper = createPaper(size, {
    sequences: colour,
    paint: colour ? painter(new Chalk({ level: 1 })) : paintNothing,
  });
  const reader = blockReader(createPage(paper, size), inlineParser(library, !colour), !colour);
  let neutral = neutralStream();

  const flush = () => {
    const text = paper.take();
    if (text !== '') options.write(text);
  };
  return {
    push(piece) {
      reader.feed(neutral.push(piece));
      if (preview) paper.preview(reader.waiting());
      flush();
    },
    end() {
      reader.feed(neutral.end());
      reader.end();
      paper.preview('');
      flush();
      neutral = neutralStream();
    },
  };
}

/** A whole text, rendered. Ends with a line end unless there is nothing to show. */
export async function renderMarkdown(text: string, options: MarkdownOptions): Promise<string> {
  let rendered = '';
  const stream = await markdownStream({
    columns: options.columns,
    colour: options.colour,
    preview: false,
    write: (part) => {
      rendered += part;
    },
  });
  stream.push(text);
  stream.end();
  return rendered;
}
