// What would happen to a question: the endpoint that would be used, its key, and the embedded model.

import { folders } from '../config/folders.ts';
import { listEndpoints } from '../config/listing.ts';
import { Failure } from '../errors.ts';
import { DEFAULT_MODEL } from '../models/catalogue.ts';
import { findModel } from '../models/installed.ts';
import { modelsFolder, runtimeEntry, runtimeFolder } from '../models/places.ts';
import { findPlatform } from '../models/platform.ts';
import type { Warning } from '../types.ts';
import type { World } from '../world/types/world.ts';
import type { Finding } from './types.ts';

/** The endpoint of a question that names none, its key, the endpoints that are not right, and the embedded model when it is the one. */
export async function checkAsking(world: World): Promise<readonly Finding[]> {
  const warnings: Warning[] = [];
  const { endpoints, chosen, why } = await listEndpoints(world, (warning) =>
    warnings.push(warning),
  );
  const used = endpoints.find(({ name }) => name === chosen);
  const findings: Finding[] = [
    used === undefined
      ? {
          area: 'endpoint',
          status: 'fail',
          message: `"${chosen}" would be used, since ${why}, but there is none`,
          next: 'chat endpoint list',
        }
      : used.problem === undefined
        ? { area: 'endpoint', status: 'ok', message: `${chosen} would be used, since ${why}` }
        : {
            area: 'endpoint',
            status: 'fail',
            message: `${chosen} would be used, since ${why}: ${used.problem}`,
            next: `correct ${used.source}`,
          },
  ];
  if (used !== undefined) findings.push(keyFinding(chosen, used.key));
  for (const { name, problem, source } of endpoints)
    if (problem !== undefined && name !== chosen)
      findings.push({
        area: 'endpoint',
        status: 'warn',
        message: `${name} cannot be used: ${problem}`,
        next: `correct or remove ${source}`,
      });
  for (const { message, origin } of warnings)
    findings.push({
      area: 'endpoint',
      status: 'warn',
      message: origin?.file === undefined ? message : `${origin.file}:${origin.line}: ${message}`,
    });
  return [
    ...findings,
    ...(await checkEmbedded(world, used?.backend === 'local' ? used : undefined)),
  ];
}

function keyFinding(endpoint: string, key: string): Finding {
  if (!key.startsWith('missing '))
    return { area: 'key', status: 'ok', message: `of ${endpoint}: ${key}` };
  const variable = key.slice('missing '.length);
  return {
    area: 'key',
    status: 'fail',
    message: `of ${endpoint}: ${variable} is not set`,
    next: `export ${variable}=…`,
  };
}

/** A model or a runtime that is missing matters only when the endpoint that would be used needs it. */
async function checkEmbedded(
  world: World,
  used: { readonly model?: string } | undefined,
): Promise<readonly Finding[]> {
  const status = used === undefined ? 'warn' : 'fail';
  const models = modelsFolder(await folders(world.env, world.files));
  const next = `chat model pull ${used?.model ?? DEFAULT_MODEL}`;
  return [
    await runtimeFinding(world, models, status, next),
    await modelFinding(world, models, used?.model, status),
  ];
}

async function runtimeFinding(
  { platform, files }: World,
  models: string,
  status: 'fail' | 'warn',
  next: string,
): Promise<Finding> {
  const found = await findPlatform(platform, files);
  if (found.kind === 'unsupported')
    return {
      area: 'runtime',
      status,
      message: `the embedded model cannot run here: ${found.reason}`,
      next: 'use another endpoint: chat help endpoints',
    };
  const folder = runtimeFolder(models, found.platform.name);
  const there = (await files.stat(runtimeEntry(folder))) !== undefined;
  if (there) return { area: 'runtime', status: 'ok', message: folder };
  return {
    area: 'runtime',
    status,
    message: 'the runtime of the embedded model is not installed',
    next,
  };
}

async function modelFinding(
  world: World,
  models: string,
  model: string | undefined,
  status: 'fail' | 'warn',
): Promise<Finding> {
  try {
    const { name, path } = await findModel(model, models, world);
    return { area: 'model', status: 'ok', message: `${name} in ${path}` };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return {
      area: 'model',
      status,
      message: error.message,
      ...(error.next === undefined ? {} : { next: error.next }),
    };
  }
}
