// Pulls a model in a process of its own: `pull-model FOLDER MODEL-JSON`. Tells its exit code as the command line would.

import { toLines } from '../../../src/cli/report.ts';
import { Failure } from '../../../src/errors.ts';
import type { CatalogueModel } from '../../../src/models/catalogue.ts';
import { pullModel } from '../../../src/models/pull.ts';
import { nodeWorld } from '../../../src/world/node.ts';

const [folder = '', json = ''] = process.argv.slice(2);
const world = nodeWorld();
try {
  const { present } = await pullModel(JSON.parse(json) as CatalogueModel, folder, world, {
    note: (text) => process.stdout.write(`${text}\n`),
    progress: () => {},
  });
  process.stdout.write(present ? 'present\n' : 'pulled\n');
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.stdout.write(`${error.code}\n${toLines(error).join('\n')}\n`);
  process.exitCode = error.exitCode;
}
