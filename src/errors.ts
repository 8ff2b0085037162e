// Failures as values with fields. Thrown where the fact is known, completed where the place is known, printed in cli/report only.

import type { Origin } from './types.ts';

/** Exit codes of every command (man page, "EXIT STATUS"). */
export const EXIT = {
  ok: 0,
  work: 1,
  usage: 2,
  configuration: 3,
  provider: 4,
  limit: 5,
  approval: 6,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface FailureFields {
  /** Stable, kebab-case; listed in the man page. */
  readonly code: string;
  /** One line, lower case, no full stop, the bad value quoted. */
  readonly message: string;
  readonly exitCode: ExitCode;
  /** A message's place, or any words that name it ("endpoint local", "--model"). */
  readonly at?: Origin | string;
  /** More facts, a line each: what was tried, what was found. */
  readonly detail?: readonly string[];
  /** What to do next: a command, a flag, a file, the nearest name. */
  readonly next?: string;
  readonly cause?: unknown;
  /** Facts for `--json` and events (host, status, attempts, kind …). Never keys, headers or bodies. */
  readonly facts?: Readonly<Record<string, string | number | boolean | null>>;
}

export class Failure extends Error {
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly at: Origin | string | undefined;
  readonly detail: readonly string[];
  readonly next: string | undefined;
  readonly facts: Readonly<Record<string, string | number | boolean | null>>;

  constructor(fields: FailureFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = 'Failure';
    this.code = fields.code;
    this.exitCode = fields.exitCode;
    this.at = fields.at;
    this.detail = fields.detail ?? [];
    this.next = fields.next;
    this.facts = fields.facts ?? {};
  }
}

type Rest = Omit<FailureFields, 'code' | 'message' | 'exitCode'>;

const make =
  (exitCode: ExitCode) =>
  (code: string, message: string, rest: Rest = {}) =>
    new Failure({ code, message, exitCode, ...rest });

/** Wrong use: an option, a missing or unreadable file, a bad chat. Exit 2. */
export const usageFailure = make(EXIT.usage);
/** An endpoint, key, agent or workflow that cannot be used. Exit 3. */
export const configFailure = make(EXIT.configuration);
/** The work failed: a tool, a job, a save, a schema. Exit 1. */
export const workFailure = make(EXIT.work);
/** The provider refused or could not be reached. Exit 4. */
export const providerFailure = make(EXIT.provider);
/** Rounds, tokens, cost or length used up. Exit 5. */
export const limitFailure = make(EXIT.limit);

/** The same failure with a place added, when it has none yet. */
export function locate(error: unknown, at: Origin | string): unknown {
  return error instanceof Failure && error.at === undefined ? changed(error, { at }) : error;
}

/** The same failure at another place: a chat's line says more to its writer than the place further in. */
export function relocate(error: unknown, at: Origin | string): unknown {
  return error instanceof Failure ? changed(error, { at }) : error;
}

/** The same failure with another word on what to do next. */
export function advise(error: Failure, next: string): Failure {
  return changed(error, { next });
}

function changed(error: Failure, changes: Partial<FailureFields>): Failure {
  const { code, message, exitCode, at, detail, next, facts, cause } = error;
  const changedFailure = new Failure({
    code,
    message,
    exitCode,
    detail,
    facts,
    cause,
    ...(at === undefined ? {} : { at }),
    ...(next === undefined ? {} : { next }),
    ...changes,
  });
  if (error.stack !== undefined) changedFailure.stack = error.stack;
  return changedFailure;
}

/** What any thrown value says; code of others throws whatever it likes. */
export function errorWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's word for what went wrong, as `ENOENT`; '' for an error that has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** A name as one word of a command that people may copy out of a message: a shell takes nothing in it for more than the name. */
export function shellWord(name: string): string {
  return shellQuoted(name.startsWith('-') ? `./${name}` : name);
}

/** A word as a shell takes it, in quotes where it needs them. */
export function shellQuoted(word: string): string {
  return /^[\w%+,./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Why a run was stopped from outside; the reason of every AbortSignal of this program. */
export class Interruption extends Error {
  readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP';

  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') {
    super(`stopped by ${signal}`);
    this.name = 'Interruption';
    this.signal = signal;
  }
}
