// Reads a file that must be text: of a regular kind, of bearable size, without NUL, UTF-8. Says what is wrong otherwise.

import { type Failure, locate, usageFailure } from '../errors.ts';
import type { Origin } from '../types.ts';
import { at, type Found, placeName } from './find.ts';
import type { Ports } from './types.ts';

/** Longest file that goes into a prompt as text, in bytes. */
export const TEXT_LIMIT = 10_000_000;
/** Longest chat file that is imported, in bytes. */
const CHAT_LIMIT = 200_000_000;

/** Why a file cannot be used: `problem` completes a sentence about it, `next` is what to do. */
export interface Problem {
  readonly code: string;
  readonly problem: string;
  readonly next: string;
}

/** The text of a file, a byte order mark left out. Rejects with a usage Failure that names the file and what is wrong with it. */
export async function readText(
  found: Found,
  role: string,
  ports: Ports,
  origin: Origin | undefined,
): Promise<string> {
  const text = asText(await readBytes(found, TEXT_LIMIT, role, ports, origin));
  if (typeof text === 'string') return text;
  throw refusal(`read "${placeName(found)}" (${role})`, text, origin);
}

/** The bytes of a chat file. Its decoder deals with single bad bytes and other encodings; a file that is no text at all is refused here. */
export async function readChat(
  found: Found,
  role: string,
  ports: Ports,
  origin: Origin | undefined,
): Promise<Uint8Array> {
  const bytes = await readBytes(found, CHAT_LIMIT, role, ports, origin);
  const binary = bytes.includes(0) && !isUtf16(bytes) && strictText(bytes) === undefined;
  if (binary) throw refusal(`read "${placeName(found)}" (${role})`, BINARY, origin);
  return bytes;
}

/** The text of one file among many, or why it is left out. */
export async function readTextOrProblem(path: string, ports: Ports): Promise<string | Problem> {
  const bytes = await readWithin(path, TEXT_LIMIT, ports);
  return bytes instanceof Uint8Array ? asText(bytes) : bytes;
}

async function readBytes(
  found: Found,
  limit: number,
  role: string,
  ports: Ports,
  origin: Origin | undefined,
): Promise<Uint8Array> {
  try {
    if (found.kind === 'url') return await fetchBytes(found.url, limit, role, ports);
    const bytes = await readWithin(found.path, limit, ports);
    if (bytes instanceof Uint8Array) return bytes;
    throw refusal(`read "${found.path}" (${role})`, bytes, origin);
  } catch (error) {
    throw origin === undefined ? error : locate(error, origin);
  }
}

async function readWithin(
  path: string,
  limit: number,
  ports: Ports,
): Promise<Uint8Array | Problem> {
  const stat = await ports.stat(path);
  if (stat?.kind !== 'file') return notAFile(stat?.kind);
  if (stat.size > limit) return tooLarge(sizeText(stat.size), limit);
  const bytes = await ports.readStart(path, stat.size + 1);
  if (bytes.length <= stat.size) return bytes;
  // It grows, or the system makes it up as it is read and calls its size 0.
  const grown = await ports.readStart(path, limit + 1);
  return grown.length > limit ? tooLarge(`more than ${sizeText(limit)}`, limit) : grown;
}

/** Pipes and devices may never end: they are not even opened. */
export function notAFile(kind: 'directory' | 'other' | undefined): Problem {
  if (kind === 'directory')
    return {
      code: 'is-folder',
      problem: 'is a folder',
      next: 'name a file in it; `directory:` shows all files of a folder',
    };
  if (kind === undefined)
    return { code: 'not-found', problem: 'is not there any more', next: 'check the name' };
  return {
    code: 'special-file',
    problem: 'is no regular file (a pipe, a socket or a device)',
    next: 'save what it gives into a file and name that',
  };
}

const tooLarge = (size: string, limit: number): Problem => ({
  code: 'too-large',
  problem: `is too large: ${size}, and the limit is ${sizeText(limit)}`,
  next: 'name a shorter file, or a part of it',
});

async function fetchBytes(
  url: string,
  limit: number,
  role: string,
  ports: Ports,
): Promise<Uint8Array> {
  if (ports.fetch === undefined)
    throw usageFailure('remote-not-allowed', `"${url}" is a remote address (${role})`, {
      next: 'give --allow-remote to fetch it, or save it and name the file',
    });
  return ports.fetch(url, limit);
}

function asText(bytes: Uint8Array): string | Problem {
  if (isUtf16(bytes))
    return { code: 'not-text', problem: 'is UTF-16, not UTF-8 text', next: 'save it as UTF-8' };
  if (bytes.includes(0)) return BINARY;
  return strictText(bytes) ?? { ...BINARY, problem: 'is not UTF-8 text' };
}

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

function strictText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const BINARY: Problem = {
  code: 'not-text',
  problem: 'is not text (it holds NUL bytes)',
  next: 'images and PDFs go with `image:` and `pdf:`; turn anything else into UTF-8 text first',
};

/** `cannot DOING: it PROBLEM`. */
export function refusal(doing: string, problem: Problem, origin: Origin | undefined): Failure {
  return usageFailure(problem.code, `cannot ${doing}: it ${problem.problem}`, {
    ...at(origin),
    next: problem.next,
  });
}

/** `12.3 MB`, `812 bytes`: decimal units, as file managers show them. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const power = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** power).toFixed(1))} ${['', 'kB', 'MB', 'GB', 'TB'][power]}`;
}
