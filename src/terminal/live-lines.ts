// Several lines on standard error that are written over and over: one for each thing that goes on. Nothing of them stays.

import type { Output } from '../world/types/streams.ts';

export interface LiveLines {
  /** Shows these lines in place of the ones before, each cut to the row. Text must be harmless and of one line. */
  draw(lines: readonly string[]): void;
  erase(): void;
}

/** More than this many would push what stands above out of a small terminal. */
const MOST = 10;

/** For a terminal that knows sequences. The cursor waits at the start of the last line. */
export function liveLines(output: Pick<Output, 'noteRaw' | 'stderr'>): LiveLines {
  let rows = 0;
  let shown = '';
  let width: typeof import('./width.ts') | undefined;
  void import('./width.ts').then((loaded) => {
    width = loaded;
  });
  const erasure = () => (rows === 0 ? '' : `${rows > 1 ? `\x1b[${rows - 1}A` : ''}\r\x1b[J`);
  return {
    draw(lines) {
      if (width === undefined) return;
      const room = Math.max(0, output.stderr.columns - 1);
      const some = lines.length > MOST ? lines.slice(0, MOST - 1) : lines;
      const rest = lines.length - some.length;
      const all = rest === 0 ? some : [...some, `  … and ${rest} more`];
      const text = all.map((line) => width?.shortenEnd(line, room)).join('\n');
      if (text === shown) return;
      output.noteRaw(`${erasure()}${text}\r`);
      shown = text;
      rows = text === '' ? 0 : all.length;
    },
    erase() {
      if (rows > 0) output.noteRaw(erasure());
      rows = 0;
      shown = '';
    },
  };
}
