// Makes a folder with all that lead to it. By hand: the platform's own way ends never where a system takes no folders and says that something
// is missing (/proc), and says the same of a file system that is read-only.

import * as fs from 'node:fs';
import * as path from 'node:path';
import { errorCode } from '../errors.ts';

/** The folder is there when this returns. Throws the system's error. */
export function makeFolder(folder: string, mode?: number): void {
  if (isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent, mode);
  try {
    fs.mkdirSync(folder, mode === undefined ? {} : { mode });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    // Another process may have been faster; but it may also be a file.
    if (!isFolder(folder)) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  }
}

const isFolder = (place: string): boolean =>
  fs.statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
