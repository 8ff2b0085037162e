// Whether a descriptor is a terminal. `node:tty` brings the network and all streams with it, so it is loaded for terminals only.

import * as fs from 'node:fs';

export function isTerminal(descriptor: 0 | 1 | 2): boolean {
  try {
    if (!fs.fstatSync(descriptor).isCharacterDevice()) return false;
  } catch {
    return false;
  }
  return process.getBuiltinModule('node:tty').isatty(descriptor);
}
