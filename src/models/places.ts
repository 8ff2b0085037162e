// Where embedded models and the runtime that runs them lie below the data folder.

import { dirname, join } from 'node:path';
import type { Folders } from '../config/types.ts';

/** Version of node-llama-cpp that this program was made for. */
export const RUNTIME_VERSION = '3.21.1';

/** Folder of the pulled models, one `NAME.gguf` each. */
export function modelsFolder(folders: Pick<Folders, 'data'>): string {
  return join(folders.data, 'share', 'models');
}

/** Where a pulled model of that name lies. */
export function modelFile(models: string, name: string): string {
  return join(models, `${name}.gguf`);
}

/** Folder of what is being downloaded, in the same file system as the models so that a rename is enough at the end. */
export function pullFolder(models: string): string {
  return join(models, 'incomplete');
}

/** Folder of the runtime for one platform: machines of several kinds may share a home folder. */
export function runtimeFolder(models: string, platform: string): string {
  return join(dirname(models), 'runtime', `node-llama-cpp-${RUNTIME_VERSION}-${platform}`);
}

/** The module that is imported from an installed runtime. */
export function runtimeEntry(folder: string): string {
  return join(folder, 'node_modules', 'node-llama-cpp', 'dist', 'index.js');
}
