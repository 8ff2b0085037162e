// Asks for the top of a diamond of 50 jobs: `produce-diamond FOLDER [SEED]`. Each job writes a line to FOLDER/counter when it begins.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Task } from '../../../src/workflows/types.ts';
import { makeTask, storeIn } from '../tasks.ts';

const [folder = '', seed = '1'] = process.argv.slice(2);
const counter = join(folder, 'counter');
const MIDDLE = 48;

/** A result whose end proves that it is whole: 600 lines, the last one says so. */
const text = (name: string) => `${`${name} ${'x'.repeat(60)}\n`.repeat(600)}end of ${name}\n`;

function counted(name: string, deps: readonly string[]): Task {
  const begin = () => appendFileSync(counter, `${name} ${process.pid}\n`);
  const number = Number(name.replace(/\D/g, ''));
  const below = async (dep: (name: string) => Promise<unknown>) => {
    for (const each of deps)
      if ((await dep(each)) !== text(each)) throw new Error(`${each} is not whole`);
  };
  // Some come as a value, some piece by piece, some hold the processor.
  return makeTask(name, {
    deps,
    run: async (_, job) => {
      begin();
      await below(job.dep);
      if (number % 3 === 0) return pieces(name);
      if (number % 3 === 1) spin(2);
      else await new Promise((resolve) => setTimeout(resolve, 3));
      return text(name);
    },
  });
}

async function* pieces(name: string) {
  const whole = text(name);
  for (let at = 0; at < whole.length; at += 20_000) {
    yield whole.slice(at, at + 20_000);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

const names = Array.from({ length: MIDDLE }, (_, index) => `middle${index}`);
const rank = (name: string) => (Number(name.replace(/\D/g, '')) * 7 * Number(seed)) % 101;
// Each process meets the jobs in another order.
const order = [...names].sort((one, other) => rank(one) - rank(other));
const top = counted('top', order);
const tasks = [counted('base', []), ...names.map((name) => counted(name, ['base'])), top];

const store = await storeIn(folder, tasks);
const job = await store.jobFor(top);
const [outcome] = await store.produce([job], { cpus: 2 });
if (outcome?.kind !== 'done') {
  process.stderr.write(`${outcome?.failure.message}\n`);
  process.exitCode = 1;
}
