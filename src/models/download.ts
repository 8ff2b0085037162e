// Downloads one file into a place for unfinished ones and goes on where an earlier try stopped, also one of another process.

import { errorWords, Failure, providerFailure } from '../errors.ts';
import type { Clock } from '../world/types/clock.ts';
import type { Files } from '../world/types/files.ts';
import type { Http, HttpResponse } from '../world/types/network.ts';
import { writeStream } from './disk.ts';

export interface DownloadSource {
  /** Without a user and password. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** PEM file of further certificates to trust. */
  readonly certificates?: string;
  /** Of the whole file. Two addresses with the same digest give the same file. */
  readonly sha256?: string;
}

export interface DownloadPorts {
  readonly http: Http;
  readonly files: Files;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Bytes that are there, and how many there will be when the server says so. */
export type OnProgress = (done: number, total: number | undefined) => void;

/** Kept beside an unfinished file: from this the next try knows whether it may go on. */
interface Facts {
  readonly url: string;
  readonly sha256?: string;
  /** For If-Range. */
  readonly validator?: string;
  /** Bytes of the whole file. */
  readonly total?: number;
}

/** Tries that bring nothing, in a row, before it is given up. */
const TRIES = 4;
const READ_TIMEOUT = 60_000;

const factsPlace = (path: string): string => `${path}.json`;

/**
 * Downloads to `path`; the start of the same file that is there already is kept. `resumed` says whether it was: then a wrong digest
 * may be the fault of the older part. Rejects with a Failure (exit 4, or 1 for the disk); what arrived stays.
 */
export async function download(
  source: DownloadSource,
  path: string,
  ports: DownloadPorts,
  onProgress: OnProgress,
): Promise<{ readonly resumed: boolean }> {
  let failures = 0;
  for (let first = true; ; first = false) {
    const kept = await keptPart(source, path, ports.files);
    try {
      const from = await fetchRest(source, path, kept, ports, onProgress);
      return { resumed: first && from > 0 };
    } catch (error) {
      ports.signal.throwIfAborted();
      const failure = asFailure(error, source);
      const { length } = await keptPart(source, path, ports.files);
      failures = length > kept.length ? 1 : failures + 1;
      if (failure.facts.retryable !== true || failures >= TRIES) throw failure;
      await ports.clock.sleep(500 * 2 ** (failures - 1), ports.signal);
    }
  }
}

/** Removes an unfinished file and what is known about it. */
export async function forget(path: string, files: Pick<Files, 'remove'>): Promise<void> {
  await files.remove(path);
  await files.remove(factsPlace(path));
}

interface Kept {
  /** Bytes; 0 when nothing there can be used. */
  readonly length: number;
  readonly validator?: string;
  readonly total?: number;
}

async function keptPart(source: DownloadSource, path: string, files: Files): Promise<Kept> {
  const stat = await files.stat(path);
  if (stat === undefined || stat.size === 0) return { length: 0 };
  const facts = await readFacts(path, files);
  if (facts === undefined) return { length: 0 };
  const { validator } = facts;
  const total = facts.total === undefined ? {} : { total: facts.total };
  const sameAddress = facts.url === source.url && validator !== undefined;
  if (source.sha256 !== undefined && facts.sha256 === source.sha256)
    return { length: stat.size, ...total, ...(sameAddress ? { validator } : {}) };
  if (source.sha256 === undefined && sameAddress) return { length: stat.size, ...total, validator };
  return { length: 0 };
}

async function readFacts(path: string, files: Files): Promise<Facts | undefined> {
  try {
    const text = new TextDecoder().decode(await files.read(factsPlace(path)));
    const facts: unknown = JSON.parse(text);
    if (typeof facts === 'object' && facts !== null && 'url' in facts) return facts as Facts;
  } catch {
    // None, or one that cannot be read: the file is downloaded from its start.
  }
  return undefined;
}

/** Fetches what is missing. Returns from which byte on. */
async function fetchRest(
  source: DownloadSource,
  path: string,
  kept: Kept,
  ports: DownloadPorts,
  onProgress: OnProgress,
): Promise<number> {
  if (kept.length > 0 && kept.length === kept.total) return kept.length;
  const answer = await ports.http.send({
    method: 'GET',
    url: source.url,
    headers: { ...source.headers, ...rangeHeaders(kept) },
    signal: ports.signal,
    redirects: 5,
    readTimeout: READ_TIMEOUT,
    ...(source.certificates === undefined ? {} : { certificates: source.certificates }),
  });
  const range = contentRange(answer);
  if (answer.status === 416 && range.total === kept.length) return kept.length;
  if (answer.status === 416) {
    await forget(path, ports.files);
    throw passing(`${hostOf(source)} does not go on at byte ${kept.length}`);
  }
  if (answer.status !== 200 && answer.status !== 206) throw statusFailure(answer, source);
  const offset = answer.status === 206 ? kept.length : 0;
  if (answer.status === 206 && range.start !== offset)
    throw passing(`${hostOf(source)} sent another part than the one asked for`);
  const total = answer.status === 206 ? range.total : numberOf(answer.headers['content-length']);
  await ports.files.write(factsPlace(path), JSON.stringify(factsOf(source, answer, total)));
  let done = offset;
  onProgress(done, total);
  await writeStream(path, answer.body, {
    offset,
    onPiece: (piece) => {
      done += piece.length;
      onProgress(done, total);
    },
  });
  if (total !== undefined && done !== total)
    throw passing(`${hostOf(source)} sent ${done} of ${total} bytes`);
  return offset;
}

function rangeHeaders({ length, validator }: Kept): Record<string, string> {
  if (length === 0) return {};
  return {
    range: `bytes=${length}-`,
    ...(validator === undefined ? {} : { 'if-range': validator }),
  };
}

function contentRange(answer: HttpResponse): { readonly start?: number; readonly total?: number } {
  const match = /^bytes\s+(?:(\d+)-\d+|\*)\/(\d+|\*)/i.exec(answer.headers['content-range'] ?? '');
  const start = numberOf(match?.[1]);
  const total = numberOf(match?.[2]);
  return { ...(start === undefined ? {} : { start }), ...(total === undefined ? {} : { total }) };
}

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;

function factsOf(source: DownloadSource, answer: HttpResponse, total: number | undefined): Facts {
  const { etag, 'last-modified': modified } = answer.headers;
  // A weak tag does not promise the same bytes.
  const validator = etag?.startsWith('"') ? etag : modified;
  return {
    url: source.url,
    ...(source.sha256 === undefined ? {} : { sha256: source.sha256 }),
    ...(validator === undefined ? {} : { validator }),
    ...(total === undefined ? {} : { total }),
  };
}

function asFailure(error: unknown, source: DownloadSource): Failure {
  if (error instanceof Failure) return error;
  const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
  const reason = errorWords(error);
  return passing(`the connection to ${hostOf(source)} failed: ${reason}${code}`, error);
}

/** Worth another try. */
function passing(message: string, cause?: unknown): Failure {
  return providerFailure('download-failed', message, {
    next: 'run the same command again: it goes on where it stopped',
    facts: { kind: 'connection', retryable: true },
    cause,
  });
}

function statusFailure(answer: HttpResponse, source: DownloadSource): Failure {
  const { status } = answer;
  return providerFailure(
    'download-failed',
    `${hostOf(source)} answered ${status} to the download`,
    {
      next:
        status === 401 || status === 403 || status === 407
          ? 'check the user and password in the address of the index or proxy'
          : 'run the same command again later: it goes on where it stopped',
      facts: {
        kind: 'connection',
        status,
        retryable: status === 408 || status === 429 || status >= 500,
      },
    },
  );
}

const hostOf = (source: DownloadSource): string => new URL(source.url).host;
