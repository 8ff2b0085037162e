// One line on standard error that is written over and over: what a program is doing now. Rows above it are never touched, the
// cursor is never hidden, so nothing has to be put right when the program is killed.

import type { Output, Stream } from '../world/types/streams.ts';

export interface LiveLine {
  /** Shows the text, cut to the row. The cursor waits at the start of the row, so that a shell's prompt would write over it. */
  draw(text: string): void;
  erase(): void;
}

/** Whether what stands on the stream's last line can be written over. */
export const canRedraw = ({ terminal, redraws }: Stream): boolean => terminal && redraws !== false;

/** The line of a terminal. Text must be harmless and of one line. */
export function liveLine(output: Pick<Output, 'noteRaw' | 'stderr'>): LiveLine {
  let shown = '';
  let width: typeof import('./width.ts') | undefined;

  // Loaded with the first text that needs it: most of what is shown is ASCII.
  const needWidth = () => {
    void import('./width.ts').then((loaded) => {
      width = loaded;
    });
  };
  const cut = (text: string, room: number): string | undefined => {
    if (/^[\x20-\x7e\u2800-\u28ff]*$/.test(text)) return text.slice(0, room);
    if (width === undefined) needWidth();
    return width?.shortenEnd(text, room);
  };
  const erasure = () => {
    if (shown === '') return '';
    // Without colour the terminal may know no sequences at all.
    if (output.stderr.colour) return '\x1b[K';
    const taken = width?.cells(shown) ?? shown.length;
    return `${' '.repeat(taken)}\r`;
  };
  return {
    draw(text) {
      // A full row would move the cursor to the next one on some terminals.
      const fitting = cut(text, Math.max(0, output.stderr.columns - 1));
      if (fitting === undefined || fitting === shown) return;
      output.noteRaw(`${erasure()}${fitting}\r`);
      shown = fitting;
    },
    erase() {
      if (shown !== '') output.noteRaw(erasure());
      shown = '';
    },
  };
}
