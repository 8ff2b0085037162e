// A command for /bin/sh that takes its inputs through variables: whatever a value holds, the shell never reads it as a command.

import { inputFor, replacePlaceholders, textOf } from './placeholder.ts';
import { DefinitionProblem } from './problem.ts';
import {
  feedsProgram,
  isProgramName,
  isProgramText,
  refuseInProgram,
  wordsOf,
} from './program-text.ts';
import { type ShellPlaceholder, shellPlaceholders } from './shell.ts';
import type { Inputs, TaskInput } from './types.ts';
import { isList } from './values.ts';

export interface ShellScript {
  readonly script: string;
  /** Variables that the script refers to besides those of every command. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The name of the variable that an input comes in, as part of it. */
export const variableName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_]/g, '_');

/**
 * Makes the script from inputs. In the open a placeholder is one quoted word (a list: one word for each value; nothing when there is no
 * value), inside quotes and here-documents it is its text. Throws a DefinitionProblem where a value could become a command or has
 * no meaning: as the command itself (unless its values are fixed), text in arithmetic, a list inside quotes.
 */
export function shellCommand(
  command: string,
  inputs: readonly TaskInput[],
  path: readonly string[],
): (values: Inputs) => ShellScript {
  const found = shellPlaceholders(command);
  for (const placeholder of found) {
    const input = inputFor(placeholder, inputs, path);
    check(placeholder, input, path, command);
    if (isInProgram(placeholder, command)) refuseInProgram(input, path);
  }
  return (values) => {
    const variables: Record<string, string> = {};
    const script = replacePlaceholders(command, found, (placeholder) => {
      const value = values[placeholder.name];
      const name = variableName(placeholder.name);
      if (!Array.isArray(value))
        return reference(placeholder, `INPUT_${name}`, value !== undefined);
      const each = value.map((one, index): [string, string] => [
        `ITEM_${name}_${index + 1}`,
        textOf(one),
      ]);
      Object.assign(variables, Object.fromEntries(each));
      return each.map(([variable]) => reference(placeholder, variable, true)).join(' ');
    });
    return { script, variables };
  };
}

function isInProgram({ place, begin }: ShellPlaceholder, command: string): boolean {
  const before = command.slice(0, begin);
  const isFed = place === 'document' || /<<<\s*$/.test(before);
  if (isFed) return feedsProgram(before);
  return place !== 'comment' && isProgramText(wordsOf(before));
}

/** As the first part of a word that some program runs; a number is no name of a program, but perhaps a time. */
function isRun(
  { place, begin, start }: ShellPlaceholder,
  input: TaskInput,
  command: string,
): boolean {
  if (place === 'comment' || input.type === 'integer' || input.type === 'float') return false;
  return (
    /^["']?$/.test(command.slice(begin, start)) && isProgramName(wordsOf(command.slice(0, begin)))
  );
}

function reference({ place }: ShellPlaceholder, variable: string, isSet: boolean): string {
  switch (place) {
    case 'open':
    case 'command':
      return isSet ? `"\${${variable}}"` : '';
    case 'single':
      return `'"\${${variable}-}"'`;
    case 'arithmetic':
    case 'double':
    case 'document':
      return `\${${variable}-}`;
    case 'comment':
    case 'quoted-document':
      return '';
  }
}

function check(
  placeholder: ShellPlaceholder,
  input: TaskInput,
  path: readonly string[],
  command: string,
): void {
  const { name, place } = placeholder;
  const problem = (message: string, advice: string) => {
    throw new DefinitionProblem(path, `{{${name}}} ${message}`, advice);
  };
  const isCommand = place === 'command' || isRun(placeholder, input, command);
  if (isCommand && input.values === undefined)
    problem(
      'stands where the shell takes a command',
      'write the command itself there, or give the input a list of values',
    );
  if (place === 'quoted-document')
    problem(
      'stands in a here-document that the shell takes as it is',
      'take the quotes off the word after <<',
    );
  const isNumber = input.type === 'integer' || input.type === 'float';
  if (place === 'arithmetic' && !isNumber)
    problem('stands in arithmetic and is no number', 'give the input the type integer or float');
  if (place === 'arithmetic' && !input.required && input.default === undefined)
    problem('stands in arithmetic and may have no value', 'require it, or give it a default');
  if (isList(input) && place !== 'open' && place !== 'comment' && place !== 'command')
    problem(
      'is a list and stands inside quotes',
      'take it out of the quotes: it becomes one word for each value',
    );
}
