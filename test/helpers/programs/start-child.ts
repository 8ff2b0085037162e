// Starts a child with a child in a session of its own, and ends with status 7 as soon as both have told their numbers.

import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { createProcesses } from '../../../src/world/processes.ts';

const folder = process.argv[2] ?? '.';
const script = 'setsid sleep 300 & echo $$ $! > new; mv new made; wait';
void createProcesses(process.env).run('/bin/sh', ['-c', script], { cwd: folder });
setInterval(() => {
  if (!existsSync(join(folder, 'made'))) return;
  renameSync(join(folder, 'made'), join(folder, 'pids'));
  process.exit(7);
}, 20);
