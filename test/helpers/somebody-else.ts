// Runs programs as somebody whom the rights on files hold: the administrator may do everything.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packageFolder } from './built.ts';

/** Options for a process; none where the tests are not run by the administrator. */
export const somebodyElse: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Whether they can run Node and read the package: not where one of them lies in a home folder that is shut. */
export const somebodyElseCan: boolean = (() => {
  const look = `require('node:fs').readFileSync(${JSON.stringify(join(packageFolder, 'bin/chat.js'))})`;
  const options = { cwd: '/', ...somebodyElse };
  return spawnSync(process.execPath, ['-e', look], options).status === 0;
})();
