// Styled text as data: runs of text with marks, and the function that turns them into terminal sequences at the very end.

import type { ChalkInstance } from 'chalk';

/** Why a run of text looks different. What it looks like is decided in `painter` alone. */
export type Mark =
  | 'strong'
  | 'emphasis'
  | 'deleted'
  | 'code'
  | 'link'
  | 'faint'
  | 'title'
  | 'heading';

export interface Span {
  readonly text: string;
  readonly marks: readonly Mark[];
}

export type Paint = (spans: readonly Span[]) => string;

/** A run of text without marks. */
export const plain = (text: string): Span => ({ text, marks: [] });

/** The text of the spans alone. */
export const textOf = (spans: readonly Span[]): string => spans.map(({ text }) => text).join('');

/** Every span with one more mark. */
export const marked = (spans: readonly Span[], mark: Mark): Span[] =>
  spans.map(({ text, marks }) => ({ text, marks: [...marks, mark] }));

/** The part of the spans between two offsets of their joined text. */
export function slice(
  spans: readonly Span[],
  start: number,
  end = Number.POSITIVE_INFINITY,
): Span[] {
  const parts: Span[] = [];
  let offset = 0;
  for (const { text, marks } of spans) {
    const part = text.slice(Math.max(0, start - offset), Math.max(0, end - offset));
    if (part !== '') parts.push({ text: part, marks });
    offset += text.length;
  }
  return parts;
}

/** Paints with the sequences of the given chalk; spans with the same marks that stand side by side are painted as one. */
export function painter(chalk: ChalkInstance): Paint {
  const styles: Record<Mark, (style: ChalkInstance) => ChalkInstance> = {
    strong: (style) => style.bold,
    emphasis: (style) => style.italic,
    deleted: (style) => style.strikethrough,
    code: (style) => style.cyan,
    link: (style) => style.underline,
    faint: (style) => style.dim,
    title: (style) => style.bold.underline,
    heading: (style) => style.bold,
  };
  const paintOne = ({ text, marks }: Span): string =>
    marks.length === 0 ? text : marks.reduce((style, mark) => styles[mark](style), chalk)(text);
  return (spans) => joinAlike(spans).map(paintOne).join('');
}

/** Without any style: the text alone. */
export const paintNothing: Paint = textOf;

function joinAlike(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last !== undefined && last.marks.join() === span.marks.join())
      joined[joined.length - 1] = { text: last.text + span.text, marks: span.marks };
    else joined.push(span);
  }
  return joined;
}
