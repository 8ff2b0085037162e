// Turns the arguments of a command into a Call, checked against the command's literal. Runs nothing.

import { parseArgs } from 'node:util';
import { type Failure, usageFailure } from '../errors.ts';
import { allOptions } from './globals.ts';
import type { ArgumentSpec, Call, CommandSpec, OptionSpec } from './spec.ts';
import { commandName } from './words.ts';

interface Parsed {
  readonly positionals: readonly string[];
  /** Values by long name; a flag has '' for each time it was given. */
  readonly given: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads the arguments that stand after the command's name. Options and arguments mix, `--` ends the options, the last of
 * a repeated option counts unless its values add up. `--help` and `--version` win over everything that is wrong elsewhere.
 * Rejects with a usage Failure.
 */
export async function parseCall(spec: CommandSpec, argv: readonly string[]): Promise<Call> {
  const options = allOptions(spec.options);
  if (asksForHelp(argv))
    return createCall([], new Map([[askedFor(argv), ['']]]), options, new Map());
  const name = commandName(spec.path);
  const { positionals, given } = await readTokens(argv, options, name);
  await checkArguments(positionals, spec.arguments, name);
  const values = new Map<string, unknown>();
  for (const option of options) {
    for (const text of given.get(option.long) ?? []) {
      if (option.choices !== undefined) await checkChoice(text, option.choices, `--${option.long}`);
      values.set(option.long, option.read === undefined ? text : option.read(text));
    }
  }
  return createCall(positionals, given, options, values);
}

const HELP = new Set(['-h', '--help', '--version']);

function asksForHelp(argv: readonly string[]): boolean {
  return argv.some((argument, index) => HELP.has(argument) && !argv.slice(0, index).includes('--'));
}

function askedFor(argv: readonly string[]): string {
  return argv.find((argument) => HELP.has(argument)) === '--version' ? 'version' : 'help';
}

async function readTokens(
  argv: readonly string[],
  options: readonly OptionSpec[],
  name: string,
): Promise<Parsed> {
  const known = new Map(options.map((option) => [option.long, option]));
  const positionals: string[] = [];
  const given = new Map<string, string[]>();
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(options.map(parserOption)),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = known.get(token.name);
    if (option === undefined)
      throw await unknownOption(argv[token.index] ?? '', token.rawName, options, name);
    const value = checkValue(option, token.value, token.inlineValue === true, options);
    given.set(option.long, [...(given.get(option.long) ?? []), value]);
  }
  return { positionals, given };
}

function parserOption({ long, short, value }: OptionSpec) {
  const type: 'string' | 'boolean' = value === undefined ? 'boolean' : 'string';
  return [long, { type, multiple: true, ...(short === undefined ? {} : { short }) }] as const;
}

function checkValue(
  option: OptionSpec,
  value: string | undefined,
  inline: boolean,
  options: readonly OptionSpec[],
): string {
  const { long } = option;
  if (option.value === undefined) {
    if (value === undefined) return '';
    if (option.joined) return value;
    throw usageFailure('unexpected-value', `--${long} takes no value, but "${value}" was given`);
  }
  if (value === undefined)
    throw usageFailure('missing-value', `--${long} needs a value`, {
      next: `--${long} <${option.value}>`,
    });
  if (!inline && isOption(value, options))
    throw usageFailure('missing-value', `--${long} needs a value, and "${value}" is an option`, {
      next: `--${long}=${value} if that is meant`,
    });
  // Most often a variable of a script that is not set: the default in its place could be another model, or another folder.
  if (value.trim() === '' && !option.mayBeEmpty)
    throw usageFailure('missing-value', `--${long} needs a value, and what was given is empty`, {
      next: `--${long} <${option.value}>, or leave it out`,
    });
  return value;
}

function isOption(text: string, options: readonly OptionSpec[]): boolean {
  return (
    text === '--' || options.some(({ long, short }) => text === `--${long}` || text === `-${short}`)
  );
}

async function unknownOption(
  typed: string,
  rawName: string,
  options: readonly OptionSpec[],
  name: string,
): Promise<Failure> {
  const shown = rawName.startsWith('--') || /^-\w+$/.test(typed) ? rawName : typed;
  return usageFailure('unknown-option', `${name} has no option "${shown}"`, {
    next: (await suggestOption(rawName, options)) ?? hint(typed, name),
  });
}

async function suggestOption(rawName: string, options: readonly OptionSpec[]) {
  if (!rawName.startsWith('--')) return undefined;
  const { nearestNames } = await import('../nearest.ts');
  const names = options.map(({ long }) => long);
  const [near] = nearestNames(rawName.slice(2), names);
  return near === undefined ? undefined : `did you mean "--${near}"?`;
}

function hint(typed: string, name: string): string {
  return / |^-\d/.test(typed)
    ? 'put "--" before text that begins with a dash'
    : `${name} --help lists its options`;
}

async function checkArguments(
  given: readonly string[],
  specs: readonly ArgumentSpec[],
  name: string,
): Promise<void> {
  const missing = specs.find((spec, index) => spec.required && given[index] === undefined);
  if (missing !== undefined)
    throw usageFailure(
      'missing-argument',
      `${name} needs <${missing.name}>: ${lowerFirst(missing.summary)}`,
      {
        next: `${name} --help`,
      },
    );
  const extra = given[specs.length];
  if (extra !== undefined && !specs.at(-1)?.repeat) throw tooMany(extra, specs.length, name);
  for (const [index, text] of given.entries()) {
    const spec = specs[Math.min(index, specs.length - 1)];
    if (spec?.choices !== undefined) await checkChoice(text, spec.choices, `<${spec.name}>`);
  }
}

function tooMany(extra: string, most: number, name: string): Failure {
  const count =
    most === 0 ? 'no arguments' : most === 1 ? 'one argument' : `at most ${most} arguments`;
  return usageFailure('too-many-arguments', `${name} takes ${count}: "${extra}" is one too many`, {
    next: most === 0 ? `${name} --help` : 'put quotes around an argument that has spaces in it',
  });
}

async function checkChoice(text: string, choices: readonly string[], what: string): Promise<void> {
  if (choices.includes(text)) return;
  const { didYouMean } = await import('../nearest.ts');
  const next = didYouMean(text, choices);
  throw usageFailure('bad-value', `${what} is one of ${choices.join(', ')}, not "${text}"`, {
    ...(next === undefined ? {} : { next }),
  });
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function createCall(
  positionals: readonly string[],
  given: Parsed['given'],
  options: readonly OptionSpec[],
  values: ReadonlyMap<string, unknown>,
): Call {
  const valuesOf = (long: string): readonly string[] => {
    // A command that asks for an option which its literal does not have is a fault of the program.
    if (!options.some((option) => option.long === long)) throw new Error(`no option --${long}`);
    return given.get(long) ?? [];
  };
  return {
    arguments: positionals,
    flag: (long) => valuesOf(long).length > 0,
    text: (long) => valuesOf(long).at(-1),
    list: valuesOf,
    // The literal's own reader made it: its author knows the type.
    value: <T>(long: string) => (valuesOf(long).length > 0 ? (values.get(long) as T) : undefined),
  };
}
