// Runs code of others so that what would end a process ends that code alone: a call of `process.exit`, an error that nobody waits for, a
// wait for what cannot come. A loop that never gives control back is beyond it.

import { AsyncLocalStorage } from 'node:async_hooks';
import { noteText } from './output.ts';
import { onStrayError, strayText } from './stray-errors.ts';
import type { Foreign, ForeignRun } from './types/workers.ts';

/** What some code and all that it set going belong to. */
interface Scope {
  state: 'open' | 'over';
  /** The trouble that the next step rejects with. */
  broken: { readonly error: unknown } | undefined;
  /** Ends the step that is waited for. */
  stop: ((error: unknown) => void) | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();
/** Those with a step that is waited for, the one that began last at the end. */
const waiting: Scope[] = [];
/** Errors that were thrown only to end the code that called `process.exit`. */
const exits = new WeakSet<object>();

/** For a process that is ours alone: from the first piece of such code on, its `exit` and its stray errors are looked at. */
export function createForeign(): Foreign {
  install();
  return {
    begin: () => runOf(newScope()),
    async load(work, patience) {
      const scope = newScope();
      const late =
        patience === undefined ? undefined : setTimeout(giveUp, patience, scope, patience);
      // Who waits for what can never come is told so, and earlier.
      late?.unref();
      try {
        return await step(scope, work);
      } finally {
        clearTimeout(late);
        scope.state = 'over';
      }
    },
  };
}

const newScope = (): Scope => ({ state: 'open', broken: undefined, stop: undefined });

function runOf(scope: Scope): ForeignRun {
  return {
    step: (work) => step(scope, work),
    end() {
      scope.state = 'over';
    },
  };
}

async function step<T>(scope: Scope, work: () => T | Promise<T>): Promise<T> {
  if (scope.broken !== undefined) throw scope.broken.error;
  waiting.push(scope);
  try {
    return await new Promise<T>((resolve, reject) => {
      scope.stop = reject;
      scopes.run(scope, async () => work()).then(resolve, reject);
    });
  } finally {
    scope.stop = undefined;
    waiting.splice(waiting.lastIndexOf(scope), 1);
  }
}

function fail(scope: Scope, error: unknown): void {
  scope.broken ??= { error };
  scope.stop?.(error);
}

function giveUp(scope: Scope, patience: number): void {
  fail(scope, new Error(`it is not at its end after ${patience / 1000} seconds`));
}

let installed = false;

function install(): void {
  if (installed) return;
  installed = true;
  replaceExit();
  catchInMicrotasks();
  onStrayError(takeStray);
  process.on('beforeExit', () => {
    const last = waiting.at(-1);
    if (last === undefined) return;
    fail(
      last,
      new Error('it waits for something that can never come: nothing is left that goes on'),
    );
    // Others may wait for this one; should they wait in vain, too, they are next.
    setImmediate(() => {});
  });
}

function replaceExit(): void {
  const { exit } = process;
  process.exit = (...codes) => {
    const scope = scopes.getStore();
    if (scope === undefined) return Reflect.apply(exit, process, codes);
    const error = new Error(
      `it called process.exit(${codes.join()}), which would end the whole program`,
    );
    exits.add(error);
    if (scope.state === 'open') fail(scope, error);
    else tell(error);
    throw error;
  };
  // For those who import it by name.
  process.getBuiltinModule('node:module').syncBuiltinESMExports();
}

/** The platform has left the context of a microtask when it tells of an error in one. */
function catchInMicrotasks(): void {
  const queue = globalThis.queueMicrotask;
  globalThis.queueMicrotask = (work) => {
    // What is none is refused at once, as ever.
    if (typeof work !== 'function') return queue(work);
    queue(() => {
      try {
        work();
      } catch (error) {
        if (!takeStray(error)) throw error;
      }
    });
  };
}

function takeStray(error: unknown): boolean {
  if (typeof error === 'object' && error !== null && exits.has(error)) return true;
  const scope = scopes.getStore();
  if (scope === undefined) return false;
  if (scope.state === 'open') fail(scope, error);
  else tell(error);
  return true;
}

const tell = (error: unknown): void => noteText(strayText(error), { mutedErrors: false });
