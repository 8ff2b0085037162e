// The only place where a failure becomes text: one or two lines on standard error (what, where, what next), or one JSON
// object there with --json, so that standard output holds answers alone. Returns the exit code.

import { EXIT, Failure, Interruption } from '../errors.ts';
import { harmlessJson, neutralise } from '../terminal/neutralise.ts';
import type { Origin } from '../types.ts';
import type { Output } from '../world/types/streams.ts';

export interface ReportStyle {
  readonly json: boolean;
  /** The stack follows, also those of the causes. */
  readonly debug: boolean;
}

/** Tells what went wrong. A run that a signal stopped needs no words. */
export function report(
  error: unknown,
  output: Pick<Output, 'note' | 'stderr'>,
  style: ReportStyle,
): number {
  const stop = interruption(error);
  if (stop !== undefined) return stop.signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  const failure = asFailure(error);
  output.note(style.json ? toJson(failure) : toLines(failure, output.stderr.colour).join('\n'));
  if (style.debug) output.note(stacks(error));
  return failure.exitCode;
}

/** One or two lines: `error: what (where)` and `  next: …`. */
export function toLines(failure: Failure, colour = false): readonly string[] {
  const place = failure.at === undefined ? '' : ` (${placeText(failure.at)})`;
  const first = `${paint('error:', '1;31', colour)} ${oneLine(failure.message + place)}`;
  const known = failure.detail.join('; ');
  if (failure.next === undefined) return known === '' ? [first] : [first, `  ${oneLine(known)}`];
  const more = known === '' ? '' : ` (${known})`;
  return [first, `  ${paint('next:', '1', colour)} ${oneLine(failure.next + more)}`];
}

/** `{"error": {code, message, at?, detail?, next?, exit, …facts}}` on one line. */
export function toJson(failure: Failure): string {
  const error = {
    ...failure.facts,
    code: failure.code,
    message: failure.message,
    at: failure.at,
    detail: failure.detail.length === 0 ? undefined : failure.detail,
    next: failure.next,
    exit: failure.exitCode,
  };
  return harmlessJson({ error });
}

/** A run that was stopped says so itself when there is more to tell (what was kept): that Failure is printed. */
function interruption(error: unknown): Interruption | undefined {
  if (error instanceof Failure && STOPPED.includes(error.exitCode)) return undefined;
  for (let each = error; each instanceof Error; each = each.cause)
    if (each instanceof Interruption) return each;
  return undefined;
}

const STOPPED: readonly number[] = [EXIT.interrupted, EXIT.terminated];

function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof RangeError && NO_MEMORY.test(error.message)) return shortOfMemory(error);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new Failure({
    code: 'unexpected',
    message: `unexpected ${text}`,
    exitCode: EXIT.work,
    next: 'this is a fault of the program; the same command with --debug shows where',
    cause: error,
  });
}

/** What the engine says when the system refuses it memory. */
const NO_MEMORY = /out of memory|could not allocate memory|allocation failed/i;

/** Seldom a lack of memory: the engine reserves some ten gigabytes of addresses, which limits of batch systems forbid. */
function shortOfMemory(error: RangeError): Failure {
  return new Failure({
    code: 'out-of-memory',
    message: `the system gives this program no more memory: ${error.message}`,
    exitCode: EXIT.work,
    next: 'raise the limit (`ulimit -v`), or do with less: `export NODE_OPTIONS=--disable-wasm-trap-handler`',
    cause: error,
  });
}

function placeText(at: Origin | string): string {
  if (typeof at === 'string') return at;
  if (at.file === undefined) return `line ${at.line}`;
  // What an option says has no lines.
  return at.file.startsWith('--') ? at.file : `${at.file}:${at.line}`;
}

const oneLine = (text: string): string => neutralise(text.trim().replace(/\s*\n\s*/g, ' '));

function stacks(error: unknown): string {
  const parts: string[] = [];
  for (let each = error; each instanceof Error && parts.length < 8; each = each.cause)
    parts.push(each.stack ?? String(each));
  return neutralise(parts.join('\ncaused by: '), { keepLineEnds: true });
}

const paint = (text: string, code: string, colour: boolean): string =>
  colour ? `\x1b[${code}m${text}\x1b[0m` : text;
