// What code of others prints (a task, a strategy, a library) must not stand in the result: standard output is for that alone. Costs nothing
// until somebody prints.

import { noteText } from './output.ts';
import { divertWrites } from './reserve.ts';

/** From now on whatever is printed past `Output.write` goes to standard error. For a process that is ours alone. */
export function divertStrayOutput(): void {
  const own = Object.getOwnPropertyDescriptor(process, 'stdout');
  if (own?.get === undefined || own.configurable !== true) return;
  const state = { mutedErrors: false };
  Object.defineProperty(process, 'stdout', {
    ...own,
    get() {
      Object.defineProperty(process, 'stdout', own);
      divertWrites(process.stdout, (piece) => noteText(piece, state));
      return process.stdout;
    },
  });
}
