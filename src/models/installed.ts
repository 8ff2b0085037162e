// What is pulled: model files in the models folder, and which file a model's name or path means.

import { basename, isAbsolute, join } from 'node:path';
import { configFailure, shellWord } from '../errors.ts';
import type { Files } from '../world/types/files.ts';
import type { Environment } from '../world/types/world.ts';
import { CATALOGUE, type CatalogueModel, catalogueModel, DEFAULT_MODEL } from './catalogue.ts';
import { modelFile } from './places.ts';

export interface InstalledModel {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** The models in the folder, by name. A folder that is not there holds none. */
export async function listInstalled(
  models: string,
  files: Pick<Files, 'list' | 'stat'>,
): Promise<readonly InstalledModel[]> {
  if ((await files.stat(models))?.kind !== 'directory') return [];
  const found: InstalledModel[] = [];
  for (const entry of await files.list(models)) {
    if (!entry.toLowerCase().endsWith('.gguf')) continue;
    const path = join(models, entry);
    const stat = await files.stat(path);
    if (stat?.kind === 'file')
      found.push({ name: basename(entry).slice(0, -'.gguf'.length), path, size: stat.size });
  }
  return found;
}

/** Whether the words mean a file rather than a pulled model's name. */
export function isModelPath(model: string): boolean {
  return /[\\/]/.test(model) || model.toLowerCase().endsWith('.gguf');
}

/**
 * The GGUF file that `model:` means, and the name it is known by. Rejects with a Failure (exit 3) when it is not there or is
 * no GGUF file; the failure says how to get it.
 */
export async function findModel(
  model: string | undefined,
  models: string,
  world: { readonly files: Files; readonly env: Environment },
  catalogue: readonly CatalogueModel[] = CATALOGUE,
): Promise<{ readonly name: string; readonly path: string }> {
  const wanted = model ?? DEFAULT_MODEL;
  if (isModelPath(wanted)) {
    const path = withHome(wanted, world.env);
    if ((await world.files.stat(path))?.kind !== 'file')
      throw configFailure('model-missing', `there is no model file "${path}"`, {
        next: 'give the path of a GGUF file, or the name of a model of "chat model list"',
      });
    await checkHeader(path, world.files);
    return { name: basename(path), path };
  }
  const known = catalogueModel(wanted, catalogue);
  const name = known?.name ?? wanted;
  const installed = await listInstalled(models, world.files);
  const found = installed.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (found === undefined) throw missing(name, known, installed);
  await checkHeader(found.path, world.files);
  return { name: found.name, path: found.path };
}

function missing(
  name: string,
  known: CatalogueModel | undefined,
  installed: readonly InstalledModel[],
): unknown {
  if (known !== undefined)
    return configFailure('model-missing', `the model "${name}" is not pulled yet`, {
      next: `chat model pull ${shellWord(name)}`,
    });
  return configFailure('model-missing', `there is no model "${name}"`, {
    detail:
      installed.length === 0 ? [] : [`pulled: ${installed.map((each) => each.name).join(', ')}`],
    next: 'chat model list shows those that can be used; the path of a GGUF file works too',
  });
}

/** Magic, version, and counts that the file has room for: the runtime would read on and on in a file that only looks like one. */
async function checkHeader(path: string, files: Pick<Files, 'readStart' | 'stat'>): Promise<void> {
  const bytes = await files.readStart(path, HEADER);
  const start = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (new TextDecoder('latin1').decode(bytes.subarray(0, 4)) !== 'GGUF')
    throw unreadable(path, 'is not a GGUF file');
  if (bytes.length < HEADER) throw unreadable(path, 'is only the start of a GGUF file');
  const version = start.getUint32(4, true);
  if (version < 2 || version > 3)
    throw unreadable(path, `is a GGUF file of version ${version}, and only 2 and 3 can be read`);
  const tensors = Number(start.getBigUint64(8, true));
  const values = Number(start.getBigUint64(16, true));
  const size = (await files.stat(path))?.size ?? 0;
  if (HEADER + tensors * LEAST_TENSOR + values * LEAST_VALUE > size)
    throw unreadable(path, 'is a damaged GGUF file, or only the start of one');
}

/** Bytes of a header, and of the shortest description of a tensor and of a value that follow it. */
const HEADER = 24;
const LEAST_TENSOR = 32;
const LEAST_VALUE = 13;

function unreadable(path: string, what: string): unknown {
  return configFailure('model-unreadable', `"${path}" ${what}`, {
    next: 'name another GGUF file, or pull the model again with "chat model pull"',
    facts: { kind: 'configuration' },
  });
}

function withHome(path: string, env: Environment): string {
  const home = env.HOME ?? env.USERPROFILE;
  if (isAbsolute(path) || !/^~[\\/]/.test(path) || home === undefined) return path;
  return join(home, path.slice(2));
}

/** Whether a catalogue model's file is there in full size (it is put in place only after its digest was checked). */
export async function isInstalled(
  model: CatalogueModel,
  models: string,
  files: Pick<Files, 'stat'>,
): Promise<boolean> {
  const stat = await files.stat(modelFile(models, model.name));
  return stat?.kind === 'file' && stat.size === model.size;
}
