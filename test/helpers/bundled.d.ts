// Types of bundled.js, which is JavaScript since Node runs it before anything is built.

/** `file` is the program, `remove` deletes it. `source` is a path below `root`, the folder of the package. */
export function bundled(
  root: string,
  source: string,
): Promise<{ readonly file: string; readonly remove: () => void }>;
