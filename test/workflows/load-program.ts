// Loads a workflow file and runs its tasks without inputs; prints what came of it. Arguments: package folder, file.

import { dirname } from 'node:path';
import { Failure } from '../../src/errors.ts';
import { loadModule } from '../../src/workflows/typescript.ts';
import { nodeWorld } from '../../src/world/node.ts';
import { testJob } from './job.ts';

const [packageFolder = '', file = ''] = process.argv.slice(2);
const world = { ...nodeWorld({ signals: false }), packageFolder };

const told = (error: unknown) =>
  error instanceof Failure
    ? {
        code: error.code,
        message: error.message,
        at: error.at,
        detail: error.detail,
        next: error.next,
      }
    : { message: (error as Error).message, stack: (error as Error).stack };

async function wholeOf(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result))
    return result;
  const pieces: unknown[] = [];
  for await (const piece of result as AsyncIterable<unknown>) pieces.push(piece);
  return pieces;
}

async function outcome() {
  const workflow = await loadModule(file, 'Baking', world);
  const values: Record<string, unknown> = {};
  for (const task of workflow.tasks)
    values[task.name] = await Promise.resolve(task.run({}, testJob(dirname(file)).job))
      .then(wholeOf)
      .catch((error: unknown) => ({ failed: told(error) }));
  return { values };
}

console.log(JSON.stringify(await outcome().catch((error: unknown) => ({ failed: told(error) }))));
