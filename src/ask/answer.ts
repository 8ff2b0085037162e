// Where the text of an answer goes: as it is, or rendered for a terminal, or nowhere.

import type { Stream } from '../world/types/streams.ts';
import { afterRestart, plainText } from './plain.ts';

export interface AnswerSink {
  push(text: string): Promise<void> | void;
  /** What was pushed since the last end is void; the round's text starts again. */
  restart(): Promise<void> | void;
  end(): Promise<void> | void;
}

/** An answer that something else may come between. */
export interface BreakableAnswer extends AnswerSink {
  /** Its last line may still go on. */
  readonly open: boolean;
  /** Ends that line; what is pushed after it begins anew. */
  break(): Promise<void>;
}

type Write = (text: string) => Promise<void>;

/** Text exactly as stored. On a terminal, control characters of foreign text are shown instead of sent. */
export function plainAnswer(write: Write, harmless: boolean): AnswerSink {
  const text = plainText();
  let shown = '';
  let visible: { push(piece: string): string; end(): string } | undefined;
  let repeated: ReturnType<typeof afterRestart> | undefined;
  return {
    async push(piece) {
      const fresh = text.push(repeated === undefined ? piece : repeated.push(piece));
      if (fresh === '') return;
      shown += fresh;
      visible ??= harmless ? (await import('../terminal/neutralise.ts')).neutralStream() : asItIs;
      await write(visible.push(fresh));
    },
    restart() {
      repeated = afterRestart(shown);
    },
    end: () => write((visible?.end() ?? '') + text.end()),
  };
}

const asItIs = { push: (piece: string) => piece, end: () => '' };

/** Rendered Markdown as it streams. */
export async function markdownAnswer(write: Write, stream: Stream): Promise<AnswerSink> {
  const { markdownStream } = await import('../terminal/markdown.ts');
  const pending: Promise<void>[] = [];
  const start = () =>
    markdownStream({
      // Asked again for every row: the window may have changed.
      get columns() {
        return stream.columns;
      },
      colour: stream.colour,
      write: (text) => void pending.push(write(text)),
    });
  let rendering = await start();
  const settle = async () => {
    await Promise.all(pending.splice(0));
  };
  return {
    async push(piece) {
      rendering.push(piece);
      await settle();
    },
    async restart() {
      rendering.end();
      rendering = await start();
      await settle();
    },
    async end() {
      rendering.end();
      await settle();
    },
  };
}

export function silentAnswer(): AnswerSink {
  return { push: () => {}, restart: () => {}, end: () => {} };
}

/** An answer of several sinks, one after the other. */
export function breakable(
  first: AnswerSink,
  start: () => AnswerSink | Promise<AnswerSink>,
): BreakableAnswer {
  let sink = first;
  let open = false;
  return {
    get open() {
      return open;
    },
    push(text) {
      open ||= text.trim() !== '';
      return sink.push(text);
    },
    restart() {
      open = false;
      return sink.restart();
    },
    end() {
      open = false;
      return sink.end();
    },
    async break() {
      if (!open) return;
      open = false;
      await sink.end();
      sink = await start();
    },
  };
}
