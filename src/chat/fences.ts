// CommonMark code fences: what opens one, what closes it, and whether one that opens in a text is closed in it.

import { skipWhite } from './white-space.ts';

const SPACE = 32;
const BACKTICK = 96;
const TILDE = 126;
const LARGEST_INDENT = 3;

/** Offset behind the run of backticks or tildes that opens a fence on this line, or -1. */
export function fenceRunEnd(text: string, start: number, end: number): number {
  const at = skipIndent(text, start, end);
  const code = at < end ? text.charCodeAt(at) : 0;
  if (code !== BACKTICK && code !== TILDE) return -1;
  const runEnd = skipRun(text, at, end, code);
  if (runEnd - at < 3) return -1;
  // Between backticks is code on one line. An info string after tildes may hold anything.
  if (code === BACKTICK) {
    for (let index = runEnd; index < end; index++)
      if (text.charCodeAt(index) === BACKTICK) return -1;
  }
  return runEnd;
}

/** The character and length of the fence that opens on this line, which must open one. */
export function fenceOf(text: string, start: number, end: number): Fence {
  const runEnd = fenceRunEnd(text, start, end);
  return {
    code: text.charCodeAt(runEnd - 1),
    length: runEnd - skipIndent(text, start, end),
  };
}

export interface Fence {
  readonly code: number;
  readonly length: number;
}

/** Whether the line closes the fence: at least as many of its character and nothing else. */
export function closesFence(text: string, start: number, end: number, fence: Fence): boolean {
  const at = skipIndent(text, start, end);
  if (at >= end || text.charCodeAt(at) !== fence.code) return false;
  const runEnd = skipRun(text, at, end, fence.code);
  return runEnd - at >= fence.length && skipWhite(text, runEnd, end) === end;
}

/**
 * Finds for each fence that opens a line of the text the end of the line that closes it, -1 when none does. Lines are asked
 * about in the order of the text. Reads the text once, however many fences open in it.
 */
export function matchFences(text: string): (lineStart: number) => number {
  const lines = fenceLines(text);
  const ends = closingEnds(text, lines);
  let index = 0;
  return (lineStart) => {
    while (index < lines.length && (lines[index]?.start ?? 0) < lineStart) index++;
    return lines[index]?.start === lineStart ? (ends[index] ?? -1) : -1;
  };
}

interface FenceLine extends Fence {
  readonly start: number;
  readonly end: number;
}

function fenceLines(text: string): readonly FenceLine[] {
  const lines: FenceLine[] = [];
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    if (fenceRunEnd(text, start, end) !== -1)
      lines.push({ start, end, ...fenceOf(text, start, end) });
    start = end + 1;
  }
  return lines;
}

/** From the last line to the first: what closes a fence is the nearest bare line behind it that is long enough. */
function closingEnds(text: string, lines: readonly FenceLine[]): readonly number[] {
  const ends: number[] = [];
  const closers = new Map<number, FenceLine[]>([
    [BACKTICK, []],
    [TILDE, []],
  ]);
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index];
    const behind = line && closers.get(line.code);
    if (line === undefined || behind === undefined) continue;
    ends[index] = nearest(behind, line.length)?.end ?? -1;
    if (!closesFence(text, line.start, line.end, line)) continue;
    while ((behind.at(-1)?.length ?? Infinity) <= line.length) behind.pop();
    behind.push(line);
  }
  return ends;
}

/** The last of the lines, which get shorter, that has at least this length. */
function nearest(lines: readonly FenceLine[], length: number): FenceLine | undefined {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.length ?? 0) >= length) low = middle + 1;
    else high = middle;
  }
  return lines[low - 1];
}

function skipIndent(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && at - start < LARGEST_INDENT && text.charCodeAt(at) === SPACE) at++;
  return at;
}

function skipRun(text: string, start: number, end: number, code: number): number {
  let at = start;
  while (at < end && text.charCodeAt(at) === code) at++;
  return at;
}
