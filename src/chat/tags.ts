// The syntax of tags on one line: `<name>`, `<name attributes>` and `</name>`. Which of them belong together is not
// decided here (tag-blocks.ts).

import { isWhite } from './white-space.ts';

const LESS = 60;
const GREATER = 62;
const SLASH = 47;

/** Offset behind the tag name that starts at `at`, which is `at` when there is none. */
export function tagNameEnd(text: string, at: number, end: number): number {
  let index = at;
  while (index < end && isNameCode(text.charCodeAt(index))) index++;
  return index;
}

/** Offset of the first `>` or `</` from `at` on, which ends or spoils attributes; `end` when there is neither. */
export function attributesEnd(text: string, at: number, end: number): number {
  for (let index = at; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code === GREATER) return index;
    if (code === LESS && text.charCodeAt(index + 1) === SLASH && index + 1 < end) return index;
  }
  return end;
}

/** Whether `<name>` or `<name attributes>` stands at `at`. */
export function isOpener(text: string, at: number, end: number): boolean {
  if (text.charCodeAt(at) !== LESS) return false;
  const nameEnd = tagNameEnd(text, at + 1, end);
  if (nameEnd === at + 1 || nameEnd === end) return false;
  if (!isWhite(text.charCodeAt(nameEnd))) return text.charCodeAt(nameEnd) === GREATER;
  const stop = attributesEnd(text, nameEnd, end);
  return stop < end && text.charCodeAt(stop) === GREATER;
}

/** Offset behind the `</name>` that stands at `at`, or -1. */
export function closerEnd(text: string, at: number, end: number): number {
  if (text.charCodeAt(at) !== LESS || text.charCodeAt(at + 1) !== SLASH) return -1;
  const nameEnd = tagNameEnd(text, at + 2, end);
  if (nameEnd === at + 2 || nameEnd >= end) return -1;
  return text.charCodeAt(nameEnd) === GREATER ? nameEnd + 1 : -1;
}

/** Whether any `</name>` stands in [start, end). */
export function holdsCloser(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (text.charCodeAt(at) === LESS && closerEnd(text, at, end) !== -1) return true;
  }
  return false;
}

function isNameCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95
  );
}
