// How far a download is: a bar on one line of a terminal's standard error, elsewhere a line for every tenth.

import type { Clock } from '../world/types/clock.ts';
import type { Output } from '../world/types/streams.ts';
import { canRedraw, liveLine } from './live-line.ts';
import { neutralise } from './neutralise.ts';

export interface ProgressBar {
  /** Bytes so far, and all of them if known. The first call may stand anywhere (a download that goes on). */
  update(done: number, total?: number): void;
  /** A line that stays, above the bar. */
  note(text: string): void;
  /** Takes the bar away for good. */
  end(): void;
}

const LONGEST_BAR = 24;
const INTERVAL = 100;
/** Between two lines about a download of unknown size. */
const UNKNOWN_STEP = 100_000_000;

/** A bar called `name` on the standard error of `output`. Every call is safe at any time, also after `end`. */
export function progressBar(
  output: Pick<Output, 'note' | 'noteRaw' | 'stderr'>,
  clock: Pick<Clock, 'monotonic'>,
  { name, quiet = false }: { readonly name: string; readonly quiet?: boolean },
): ProgressBar {
  const label = neutralise(name);
  const line = canRedraw(output.stderr) ? liveLine(output) : undefined;
  let first: { done: number; at: number } | undefined;
  let drawn: { text: string; at: number } | undefined;
  let step = -1;
  let ended = false;

  const drawBar = (done: number, total: number | undefined) => {
    const now = clock.monotonic();
    const whole = total !== undefined && done >= total;
    if (drawn !== undefined && now - drawn.at < INTERVAL && !whole) return;
    const since = now - (first?.at ?? now);
    const rate = since < 500 ? undefined : ((done - (first?.done ?? 0)) * 1000) / since;
    const text = barText({ label, done, total, rate }, output.stderr.columns);
    drawn = { text, at: now };
    line?.draw(text);
  };
  const tellStep = (done: number, total: number | undefined) => {
    const known = total !== undefined && total > 0;
    const next = known ? Math.floor((10 * done) / total) : Math.floor(done / UNKNOWN_STEP);
    if (next <= step) return;
    step = next;
    output.note(`${label}: ${known ? `${next * 10} %, ` : ''}${amount(done, total)}`);
  };
  return {
    update(done, total) {
      if (ended || quiet) return;
      first ??= { done, at: clock.monotonic() };
      if (line === undefined) tellStep(done, total);
      else drawBar(done, total);
    },
    note(text) {
      if (quiet) return;
      line?.erase();
      output.note(text);
      if (drawn !== undefined && !ended) line?.draw(drawn.text);
    },
    end() {
      ended = true;
      line?.erase();
    },
  };
}

interface State {
  readonly label: string;
  readonly done: number;
  readonly total: number | undefined;
  /** Bytes in a second. */
  readonly rate: number | undefined;
}

/** The most important first: what does not fit is cut from the end. */
function barText({ label, done, total, rate }: State, columns: number): string {
  const known = total !== undefined && total > 0;
  const share = known ? Math.min(1, done / total) : 0;
  const percent = known ? `${String(Math.floor(100 * share)).padStart(3)} % ` : '';
  const speed = rate === undefined ? '' : `  ${size(rate)}/s`;
  const left =
    rate === undefined || !known || rate <= 0 ? '' : `  ${time((total - done) / rate)} left`;
  const numbers = `${amount(done, total)}${speed}${left}`;
  const room = columns - 1 - label.length - 1 - percent.length - numbers.length - 1;
  const width = known ? Math.min(LONGEST_BAR, room) : 0;
  const filled = Math.round(width * share);
  const bar = width < 5 ? '' : `${'#'.repeat(filled)}${'-'.repeat(width - filled)} `;
  return `${percent}${label} ${bar}${numbers}`;
}

function amount(done: number, total: number | undefined): string {
  return total !== undefined && total > 0 ? `${size(done)} of ${size(total)}` : size(done);
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes as people read them: decimal units, three figures. */
export function size(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

function time(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
