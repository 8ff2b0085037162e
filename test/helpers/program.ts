// The small TypeScript programs of the tests, for child processes.

import * as path from 'node:path';
import { bundled } from './bundled.js';

const root = path.resolve(import.meta.dirname, '../..');

/** Path of the built program; `remove` deletes it. */
export const buildProgram = (name: string): Promise<{ file: string; remove: () => void }> =>
  bundled(root, `test/helpers/programs/${name}.ts`);
