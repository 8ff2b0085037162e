// How commands, arguments and options are spelled in help, manual pages and messages.

import type { ArgumentSpec, CommandSpec, OptionSpec } from './spec.ts';

/** `chat endpoint list`. */
export function commandName(path: readonly string[]): string {
  return ['chat', ...path].join(' ');
}

/** `chat-endpoint-list`: the name of the manual page, without the section. */
export function pageName(path: readonly string[]): string {
  return ['chat', ...path].join('-');
}

/** `chat print [options] <file>`. */
export function usage(spec: CommandSpec): string {
  const options = spec.options.length === 0 ? [] : ['[options]'];
  return [commandName(spec.path), ...options, ...spec.arguments.map(argumentUsage)].join(' ');
}

function argumentUsage({ name, required, repeat }: ArgumentSpec): string {
  const text = repeat ? `<${name}> ...` : `<${name}>`;
  return required ? text : `[${text}]`;
}

/** `-m, --model <name>`. */
export function optionUsage({ long, short, value }: OptionSpec): string {
  const letter = short === undefined ? '    ' : `-${short}, `;
  return `${letter}--${long}${value === undefined ? '' : ` <${value}>`}`;
}

/** Options by their group, in the order in which the groups first appear; without a group: `Options`. */
export function grouped(
  options: readonly OptionSpec[],
): readonly (readonly [string, readonly OptionSpec[]])[] {
  const groups = new Map<string, OptionSpec[]>();
  for (const option of options) {
    const name = option.group ?? 'Options';
    groups.set(name, [...(groups.get(name) ?? []), option]);
  }
  return [...groups];
}

/** `chat compile` and `chat-compile(1)` both name a page: the latter form. */
export function reference(text: string): string {
  return /\(\d\)$/.test(text) ? text : `${text.trim().replace(/\s+/g, '-')}(1)`;
}

/** The pages that a command refers to, the overview last. */
export function references(spec: CommandSpec): readonly string[] {
  return [...new Set([...(spec.seeAlso ?? []).map(reference), 'chat(1)'])];
}

/** Whether a summary names all the choices itself, so that they need not be listed again. */
export function mentions(summary: string, choices: readonly string[]): boolean {
  return choices.every((choice) => summary.includes(choice));
}

/** What an example does, with a capital and without a full stop, however it was written. */
export function sentence(does: string): string {
  return does.charAt(0).toUpperCase() + does.slice(1).replace(/\.$/, '');
}
