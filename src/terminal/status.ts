// What a command waits for, on one line of standard error that changes in place; nothing of it stays. Where standard error is
// no terminal only what matters is told, in whole lines.
// Not ora: it needs a real stream, writes to all of them itself, its timer keeps a process alive, and it hides the cursor.

import type { Clock } from '../world/types/clock.ts';
import type { Output } from '../world/types/streams.ts';
import { canRedraw, type LiveLine, liveLine } from './live-line.ts';
import { neutralise } from './neutralise.ts';

export interface StatusLine {
  /** Shows what is being done, with the seconds since it began, or replaces it. The same text again does not restart the seconds. On a terminal only. */
  set(text: string): void;
  /** Shows what comes after a wait: the text, ", in" and the seconds left. Elsewhere than on a terminal one line says it once. */
  countdown(text: string, milliseconds: number): void;
  /** Takes the line away. Call it before anything else writes to the terminal; `set` brings it back. */
  clear(): void;
  /** A line that stays, above the status line. */
  note(text: string): void;
  /** Takes the line away for good; only notes are told from then on. */
  end(): void;
}

export interface StatusOptions {
  /** Nothing is told, notes neither. */
  readonly quiet?: boolean;
}

interface Shown {
  readonly text: string;
  readonly since: number;
  /** For a wait: when it is over. */
  readonly until?: number;
}

const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const INTERVAL = 100;

/** A status line on the standard error of `output`. Every call is safe at any time, also after `end`. Its timer keeps no process alive. */
export function statusLine(
  output: Pick<Output, 'note' | 'noteRaw' | 'stderr'>,
  clock: Pick<Clock, 'monotonic'>,
  { quiet = false }: StatusOptions = {},
): StatusLine {
  const line: LiveLine | undefined =
    canRedraw(output.stderr) && !quiet ? liveLine(output) : undefined;
  let shown: Shown | undefined;
  let timer: NodeJS.Timeout | undefined;
  let frame = 0;
  let ended = false;

  const draw = () => {
    if (shown === undefined) return;
    const sign = FRAMES.charAt(frame % FRAMES.length);
    line?.draw(`${sign} ${shown.text}${time(shown, clock.monotonic())}`);
  };
  const clear = () => {
    clearInterval(timer);
    timer = undefined;
    shown = undefined;
    line?.erase();
  };
  const show = (next: Shown) => {
    if (line === undefined || ended) return;
    shown = next;
    draw();
    timer ??= setInterval(() => {
      frame += 1;
      draw();
    }, INTERVAL).unref();
  };
  return {
    set(text) {
      const harmless = neutralise(text);
      const going = shown?.text === harmless && shown.until === undefined;
      show({ text: harmless, since: going ? (shown?.since ?? 0) : clock.monotonic() });
    },
    countdown(text, milliseconds) {
      const harmless = neutralise(text);
      const now = clock.monotonic();
      show({ text: harmless, since: now, until: now + milliseconds });
      if (line === undefined && !quiet && !ended)
        output.note(`${harmless}, in ${Math.ceil(milliseconds / 1000)} s`);
    },
    clear,
    note(text) {
      if (quiet) return;
      line?.erase();
      output.note(text);
      draw();
    },
    end() {
      clear();
      ended = true;
    },
  };
}

function time({ since, until }: Shown, now: number): string {
  if (until !== undefined) return `, in ${Math.max(0, Math.ceil((until - now) / 1000))} s`;
  const seconds = Math.floor((now - since) / 1000);
  return seconds < 1 ? '' : ` ${seconds} s`;
}
