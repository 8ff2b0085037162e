// Finds one wheel in a Python package index: the JSON form of the simple API, its HTML form where an index knows no other.

import { providerFailure } from '../errors.ts';
import type { Http } from '../world/types/network.ts';
import { withoutCredentials } from './pip.ts';
import type { PipSettings } from './pip-config.ts';

export interface Wheel {
  /** Without a user and password. */
  readonly url: string;
  readonly filename: string;
  /** Sent with the download, when it goes to the index's own host. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the wheel, where the index gives it. */
  readonly sha256?: string;
}

interface IndexFile {
  readonly filename: string;
  readonly url: string;
  readonly sha256?: string;
}

const ACCEPT =
  'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01';
/** An index page of one package is never larger. */
const PAGE_LIMIT = 32 * 1024 * 1024;

/**
 * The wheel of exactly that version, from the first index that has it. Rejects with a Failure (exit 4) that says of each index why
 * it was none.
 */
export async function findWheel(
  wanted: { readonly package: string; readonly version: string },
  settings: PipSettings,
  ports: { readonly http: Http; readonly signal: AbortSignal },
): Promise<Wheel> {
  const problems: string[] = [];
  for (const index of settings.indexes) {
    try {
      const { files, url, headers } = await readPage(index, wanted.package, settings, ports);
      const found = files.find((file) => isWheel(file.filename, wanted));
      if (found !== undefined) return toWheel(found, url, { index, headers });
      problems.push(`${hostOf(index)} has no wheel of ${wanted.package} ${wanted.version}`);
    } catch (error) {
      ports.signal.throwIfAborted();
      problems.push(`${hostOf(index)}: ${reasonOf(error)}`);
    }
  }
  throw providerFailure('package-not-found', `cannot find the Python package "${wanted.package}"`, {
    detail: problems.length === 0 ? ['no package index is known on this machine'] : problems,
    next:
      settings.indexes.length === 0
        ? 'install pip, or set PIP_INDEX_URL to the address of a package index'
        : 'check the network and the index that pip is configured with ("pip config list")',
    facts: { kind: 'connection' },
  });
}

async function readPage(
  index: string,
  name: string,
  settings: PipSettings,
  ports: { readonly http: Http; readonly signal: AbortSignal },
): Promise<{
  files: readonly IndexFile[];
  url: string;
  headers: Readonly<Record<string, string>>;
}> {
  const { url, headers } = splitCredentials(
    `${index.replace(/\/+$/, '')}/${name.toLowerCase().replace(/[-_.]+/g, '-')}/`,
  );
  const answer = await ports.http.send({
    method: 'GET',
    url,
    headers: { ...headers, accept: ACCEPT },
    signal: ports.signal,
    redirects: 5,
    readTimeout: 60_000,
    ...(settings.certificates === undefined ? {} : { certificates: settings.certificates }),
  });
  const text = await readText(answer.body, answer.status === 200 ? PAGE_LIMIT : 4096);
  if (answer.status === 404) return { files: [], url: answer.url, headers };
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
  const json = (answer.headers['content-type'] ?? '').includes('json');
  return { files: json ? fromJson(text) : fromHtml(text), url: answer.url, headers };
}

async function readText(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > limit) break;
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** The files of a page in JSON; entries that look different are passed over. */
export function fromJson(text: string): readonly IndexFile[] {
  const page: unknown = JSON.parse(text);
  const files = typeof page === 'object' && page !== null && 'files' in page ? page.files : [];
  if (!Array.isArray(files)) return [];
  return files.flatMap((file: unknown): IndexFile[] => {
    if (typeof file !== 'object' || file === null) return [];
    const { filename, url, hashes } = file as Record<string, unknown>;
    if (typeof filename !== 'string' || typeof url !== 'string') return [];
    const sha256 = (hashes as Record<string, unknown> | undefined)?.sha256;
    return [{ filename, url, ...(typeof sha256 === 'string' ? { sha256 } : {}) }];
  });
}

/** The files of a page in HTML: one anchor each, the digest in the fragment of its address. */
export function fromHtml(text: string): readonly IndexFile[] {
  return [...text.matchAll(/<a\s([^>]*)>([^<]*)<\/a\s*>/gi)].flatMap(([, attributes, label]) => {
    const match = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes ?? '');
    const href = unescapeHtml(match?.[1] ?? match?.[2] ?? '');
    const [url = '', fragment = ''] = href.split('#');
    const filename = unescapeHtml(label ?? '').trim();
    if (url === '' || filename === '') return [];
    const sha256 = /(?:^|&)sha256=([0-9a-f]{64})(?:&|$)/i.exec(fragment)?.[1]?.toLowerCase();
    return [{ filename, url, ...(sha256 === undefined ? {} : { sha256 }) }];
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#x27': "'",
};

const unescapeHtml = (text: string): string =>
  text.replace(/&([a-z]+|#x?[0-9a-f]+);/gi, (all, name: string) => ENTITIES[name] ?? all);

function isWheel(
  filename: string,
  wanted: { readonly package: string; readonly version: string },
): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[-_.]+/g, '_');
  const [name = '', version, ...rest] = filename.split('-');
  return (
    filename.endsWith('.whl') &&
    rest.length >= 3 &&
    plain(name) === plain(wanted.package) &&
    version === wanted.version
  );
}

/** The index's own user and password go with a file of the same origin, and nowhere else. */
function toWheel(
  file: IndexFile,
  page: string,
  asked: { readonly index: string; readonly headers: Readonly<Record<string, string>> },
): Wheel {
  const { url, headers } = splitCredentials(new URL(file.url, page).href);
  const own = new URL(url).origin === new URL(asked.index).origin;
  return {
    url,
    filename: file.filename,
    headers: own ? { ...asked.headers, ...headers } : headers,
    ...(file.sha256 === undefined ? {} : { sha256: file.sha256.toLowerCase() }),
  };
}

/** An address without its user and password, and the header that stands for them. */
export function splitCredentials(address: string): {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const url = new URL(address);
  if (url.username === '' && url.password === '') return { url: url.href, headers: {} };
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  return { url: url.href, headers: { authorization } };
}

const hostOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).host : withoutCredentials(address);

const reasonOf = (error: unknown): string =>
  error instanceof Error
    ? withoutCredentials('code' in error ? `${error.message} (${error.code})` : error.message)
    : String(error);
