// A small package index for tests: a wheel (a zip archive with deflated files) that is built here, and a server that hands it out
// as an index does, with ranges, or with a fault.

import { createHash } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import type { CatalogueModel } from '../../src/models/catalogue.ts';
import type { RecordedRequest, Script } from './fake-server.ts';

export const sha256 = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** Bytes that look like a model file and cannot be compressed: the same ones for the same size. */
export function fakeGguf(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let state = 1;
  for (let index = 0; index < size; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[index] = state >>> 24;
  }
  bytes.write('GGUF');
  return bytes;
}

/** The header of a GGUF file with so many descriptions after it. */
export function ggufHeader(version: number, tensors: number, values: number): Buffer {
  const bytes = Buffer.alloc(24, 'GGUF');
  bytes.writeUInt32LE(version, 4);
  bytes.writeBigUInt64LE(BigInt(tensors), 8);
  bytes.writeBigUInt64LE(BigInt(values), 16);
  return bytes;
}

/** A zip archive of deflated files. */
export function zip(files: Readonly<Record<string, Uint8Array>>): Buffer {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const name = Buffer.from(path);
    const data = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    bodies.push(Buffer.from('PK\x03\x04'), common, name, data);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    entries.push(Buffer.from('PK\x01\x02\x14\x00'), common, tail, name);
    offset += 30 + name.length + data.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, directory, end]);
}

export const PACKAGE = 'tiny-model';
export const WHEEL = 'tiny_model-1.0-py3-none-any.whl';
const MEMBER = 'tiny_model/tiny.gguf';

/** The content of the model and the wheel that holds it. */
export function tinyWheel(
  size = 300_000,
  model = fakeGguf(size),
): { readonly model: Buffer; readonly wheel: Buffer } {
  const wheel = zip({
    'tiny_model/__init__.py': Buffer.from('# nothing\n'),
    [MEMBER]: model,
    'tiny_model-1.0.dist-info/METADATA': Buffer.from('Name: tiny-model\nVersion: 1.0\n'),
  });
  return { model, wheel };
}

/** The catalogue entry of that model. */
export function tinyModel(model: Uint8Array, fields: Partial<CatalogueModel> = {}): CatalogueModel {
  return {
    name: 'tiny',
    summary: 'a model for tests',
    quantisation: 'none',
    license: 'MIT',
    size: model.length,
    sha256: sha256(model),
    sources: [{ kind: 'package', package: PACKAGE, version: '1.0', file: MEMBER }],
    ...fields,
  };
}

export interface IndexOptions {
  /** The digest that the index tells; the right one when absent, none when `''`. */
  readonly digest?: string;
  /** `html`: the index knows no JSON. */
  readonly form?: 'json' | 'html';
  /** Changes the answer to the n-th request for the wheel (from 0), undefined leaves it. */
  readonly fault?: (index: number, request: RecordedRequest) => Script | undefined;
}

/** Answers of an index at `/simple` that holds one wheel at `/files`. */
export function packageIndex(
  wheel: Uint8Array,
  options: IndexOptions = {},
): (request: RecordedRequest) => Script {
  const digest = options.digest ?? sha256(wheel);
  let asked = 0;
  return (request) => {
    if (request.path === `/simple/${PACKAGE}/`) return page(digest, options.form ?? 'json');
    if (request.path !== `/files/${WHEEL}`) return plain(404, 'no such page');
    return options.fault?.(asked++, request) ?? ranged(wheel, request);
  };
}

export const plain = (status: number, body: string): Script => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
});

function page(digest: string, form: 'json' | 'html'): Script {
  const hash = digest === '' ? '' : `#sha256=${digest}`;
  if (form === 'html')
    return {
      headers: { 'content-type': 'text/html' },
      body: `<!DOCTYPE html><html><body><a href="../../files/tiny_model-0.9-py3-none-any.whl">tiny_model-0.9-py3-none-any.whl</a><br/>
        <a data-requires-python="&gt;=3.9" href="../../files/${WHEEL}${hash}">${WHEEL}</a></body></html>`,
    };
  const file = { filename: WHEEL, url: `../../files/${WHEEL}` };
  return {
    headers: { 'content-type': 'application/vnd.pypi.simple.v1+json' },
    body: JSON.stringify({
      meta: { 'api-version': '1.0' },
      name: PACKAGE,
      files: [{ ...file, hashes: digest === '' ? {} : { sha256: digest } }],
    }),
  };
}

/** The file, or the part that is asked for, as a good server sends it. */
export function ranged(bytes: Uint8Array, request: RecordedRequest): Script {
  const headers = {
    'content-type': 'application/octet-stream',
    etag: `"${sha256(bytes).slice(0, 12)}"`,
    'accept-ranges': 'bytes',
  };
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? Number.NaN);
  const stale =
    request.headers['if-range'] !== undefined && request.headers['if-range'] !== headers.etag;
  if (Number.isNaN(start) || stale)
    return { headers: { ...headers, 'content-length': String(bytes.length) }, body: bytes };
  if (start >= bytes.length)
    return {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${bytes.length}` },
      body: '',
    };
  const rest = bytes.subarray(start);
  return {
    status: 206,
    headers: {
      ...headers,
      'content-length': String(rest.length),
      'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}`,
    },
    body: rest,
  };
}

/** The first bytes of an answer; the connection closes when the reader has them (a client may drop what it has not handed on yet). */
export function cutAfter(length: number, script: Script, read: Promise<unknown>): Script {
  const body = script.body instanceof Uint8Array ? script.body.subarray(0, length) : '';
  return { ...script, body: [body, { until: read }], ending: 'close' };
}
