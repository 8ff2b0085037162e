// `{{name}}` in the texts of a YAML workflow: found, and replaced in values. Text around it stays as it is, whatever it looks like.

import { DefinitionProblem } from './problem.ts';
import type { Inputs, TaskInput } from './types.ts';
import { isList } from './values.ts';

export interface Placeholder {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const PATTERN = /\{\{[ \t]*([\p{L}_][\p{L}\p{N}_-]*)[ \t]*\}\}/uy;

/** The placeholder that begins at this position. */
export function findPlaceholder(text: string, at: number): Placeholder | undefined {
  PATTERN.lastIndex = at;
  const [whole, name] = PATTERN.exec(text) ?? [];
  return whole === undefined || name === undefined
    ? undefined
    : { name, start: at, end: at + whole.length };
}

/** All of them, in order. */
export function findPlaceholders(text: string): readonly Placeholder[] {
  const found: Placeholder[] = [];
  for (let at = text.indexOf('{{'); at >= 0; at = text.indexOf('{{', at)) {
    const placeholder = findPlaceholder(text, at);
    if (placeholder !== undefined) found.push(placeholder);
    at = placeholder?.end ?? at + 1;
  }
  return found;
}

/** The text with something in the place of each placeholder. One pass: what is put in is not searched again. */
export function replacePlaceholders<Found extends Placeholder>(
  text: string,
  found: readonly Found[],
  by: (placeholder: Found) => string,
): string {
  let at = 0;
  let replaced = '';
  for (const placeholder of found) {
    replaced += text.slice(at, placeholder.start) + by(placeholder);
    at = placeholder.end;
  }
  return replaced + text.slice(at);
}

/** The input that a placeholder names. Throws a DefinitionProblem when the task has none of that name. */
export function inputFor(
  { name }: Placeholder,
  inputs: readonly TaskInput[],
  path: readonly string[],
): TaskInput {
  const found = inputs.find((input) => input.name === name);
  if (found !== undefined) return found;
  throw new DefinitionProblem(path, `{{${name}}} is no input of this task`, {
    word: name,
    among: inputs.map((input) => input.name),
  });
}

/** A value as the text that a command gets: texts as they are, numbers as JSON has them, `true` or `false`. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** A text that is made from inputs. */
export interface Template {
  /** One text for each value of a list that stands alone; none for an input without a value that stands alone. */
  texts(inputs: Inputs): readonly string[];
  /** The value itself when a placeholder stands alone, else the text. */
  value(inputs: Inputs): unknown;
}

/** Throws a DefinitionProblem for an unknown input, and for a list that does not stand alone: it has no text of its own. */
export function template(
  text: string,
  inputs: readonly TaskInput[],
  path: readonly string[],
): Template {
  const found = findPlaceholders(text);
  const used = found.map((placeholder) => inputFor(placeholder, inputs, path));
  const [first] = found;
  const alone =
    found.length === 1 && first?.start === 0 && first.end === text.length ? first.name : undefined;
  const list = used.find(isList);
  if (list !== undefined && alone === undefined)
    throw new DefinitionProblem(
      path,
      `{{${list.name}}} is a list and cannot stand inside other text`,
      'give it an element of its own',
    );
  const whole = (values: Inputs) =>
    replacePlaceholders(text, found, ({ name }) =>
      values[name] === undefined ? '' : textOf(values[name]),
    );
  return {
    texts(values) {
      if (alone === undefined) return [whole(values)];
      const value = values[alone];
      if (value === undefined || value === null) return [];
      return Array.isArray(value) ? value.map(textOf) : [textOf(value)];
    },
    value: (values) => (alone === undefined ? whole(values) : values[alone]),
  };
}
