// Asks for one job: `produce-one FOLDER`. While FOLDER/hang is there it does not end; with FOLDER/stream its pieces never end.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTask, storeIn } from '../tasks.ts';

const [folder = ''] = process.argv.slice(2);
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function* endless() {
  for (;;) {
    yield 'half ';
    await wait(1);
  }
}

const task = makeTask('one', {
  async run() {
    writeFileSync(join(folder, 'began'), 'x');
    while (existsSync(join(folder, 'hang'))) await wait(10);
    return existsSync(join(folder, 'stream')) ? endless() : 'result';
  },
});
const store = await storeIn(folder, [task]);
const job = await store.jobFor(task);
const [outcome] = await store.produce([job], {
  onEvent({ kind }) {
    if (kind === 'wait') writeFileSync(join(folder, 'waits'), '');
  },
});
if (outcome?.kind === 'done')
  process.stdout.write(`${await store.loadResult({ path: job.path, type: 'string' })}\n`);
else {
  process.stderr.write(`${outcome?.failure.message}\n`);
  process.exitCode = 1;
}
