// Takes the lock of a file again and again, and appends records made of many equal lines: `append-turns FILE NAME COUNT`.

import * as fs from 'node:fs';
import { createLocks } from '../../../src/world/lock.ts';

const [file = '', name = '', count = '1'] = process.argv.slice(2);
const locks = createLocks();
for (let turn = 0; turn < Number(count); turn++) {
  const lock = await locks.hold(file);
  // Held by two at once, this file would be there already.
  fs.writeFileSync(`${file}.inside`, name, { flag: 'wx' });
  const body = `${name} ${turn}\n`.repeat(400);
  await lock.append(`BEGIN ${name} ${turn}\n${body}END ${name} ${turn}\n`);
  fs.rmSync(`${file}.inside`);
  await lock.release();
}
