// What a command is: one literal, from which the parser, --help, the man page, completion and tests are read.

import { usageFailure } from '../errors.ts';
import type { World } from '../world/types/world.ts';

export interface OptionSpec {
  /** Without dashes. `no-cache` is spelled out as such. */
  readonly long: string;
  /** One letter; the same letter means the same thing in every command. */
  readonly short?: string;
  /** Name of the value; a flag when absent. */
  readonly value?: string;
  /** One line. */
  readonly summary: string;
  readonly group?: string;
  /** May be given several times; values add up. */
  readonly repeat?: true;
  readonly choices?: readonly string[];
  /** What completion offers for the value. A `file` that is an argument is a chat, a `path` is any file. */
  readonly complete?:
    | 'file'
    | 'path'
    | 'folder'
    | 'endpoint'
    | 'model'
    | 'agent'
    | 'workflow'
    | 'knowledge';
  /** Words that completion offers, where others may stand too. */
  readonly offers?: readonly string[];
  /** Checks and converts; throws a usage Failure. */
  readonly read?: (text: string) => unknown;
  /** An empty value means something. */
  readonly mayBeEmpty?: true;
  /** Of a flag: a value may be joined to it (`--deep=false`). */
  readonly joined?: true;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly required?: true;
  readonly repeat?: true;
  readonly choices?: readonly string[];
  readonly complete?: OptionSpec['complete'];
  /** Words that completion offers, where others may stand too. */
  readonly offers?: readonly string[];
}

export interface ExampleSpec {
  readonly command: string;
  readonly does: string;
}

export interface CommandSpec {
  /** ['ask'], ['endpoint', 'list'] … */
  readonly path: readonly string[];
  /** One line, no full stop. */
  readonly summary: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  /** Paragraphs of the man page and of --help. */
  readonly details: readonly string[];
  /** At least two. */
  readonly examples: readonly ExampleSpec[];
  readonly seeAlso?: readonly string[];
  /** The literal for this command line, where what is named on it decides which options there are. Throws a Failure. */
  readonly forArguments?: (argv: readonly string[], world: World) => Promise<CommandSpec>;
  /** Returns the exit code; throws a Failure. */
  run(call: Call, world: World): Promise<number>;
}

/** One row of the table of commands: enough to find a command and to list it without loading it. */
export interface CommandRow {
  readonly path: readonly string[];
  /** The same text as in the literal (a test compares them). */
  readonly summary: string;
  /** The first argument may also stand before the last word of the path: `chat kb NAME list`. */
  readonly nameFirst?: true;
  load(): Promise<CommandSpec>;
}

/** A command line after parsing: checked against the literal. */
export interface Call {
  readonly arguments: readonly string[];
  /** The flag was given. */
  flag(long: string): boolean;
  /** The value of an option, undefined when it was not given. */
  text(long: string): string | undefined;
  /** All values of a repeated option, in order. */
  list(long: string): readonly string[];
  /** What the option's `read` made of its last value. */
  value<T>(long: string): T | undefined;
}

/** Identity function that keeps the literal's type. */
export function defineCommand(spec: CommandSpec): CommandSpec {
  return spec;
}

/** Reader for whole numbers from `least` on. */
export function wholeNumber(name: string, least = 0): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw usageFailure(
      'bad-value',
      `--${name} takes a whole number from ${least} on, not "${text}"`,
    );
  };
}

/** Reader for numbers above 0. */
export function positiveNumber(name: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
    throw usageFailure('bad-value', `--${name} takes a number above 0, not "${text}"`);
  };
}
