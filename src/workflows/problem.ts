// What is wrong with a definition, before it is known in which file and line that stands.

/** Thrown while a definition is read. `path` leads to the place: ['tasks', 'bake', 'run']. */
export class DefinitionProblem extends Error {
  readonly path: readonly string[];
  readonly next: string | undefined;

  constructor(path: readonly string[], message: string, next?: string) {
    super(message);
    this.name = 'DefinitionProblem';
    this.path = path;
    this.next = next;
  }
}

/** Names become folders, tool parameters and words of a chat line. */
export function checkName(what: 'task' | 'input', name: string, path: readonly string[]): void {
  if (/^(?!__)[\p{L}_][\p{L}\p{N}_-]*$/u.test(name) && name.length <= 100) return;
  throw new DefinitionProblem(
    path,
    `a name of ${what === 'task' ? 'a task' : 'an input'} has letters, digits, _ and -, and begins with a letter, unlike ${JSON.stringify(name)}`,
  );
}

/** What a value is, in words. */
export function kindOf(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'function') return 'a function';
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80);
}

export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
