// Files with further certificates to trust: whether they hold any, and whether those count today. Trusts and sends nothing.

import { X509Certificate } from 'node:crypto';
import { shellWord } from '../errors.ts';
import type { World } from '../world/types/world.ts';
import type { Finding } from './types.ts';

type Judged = Omit<Finding, 'area'>;

/** More than every root there is takes. */
const LARGEST = 16 * 1024 * 1024;

/**
 * What SSL_CERT_FILE and NODE_EXTRA_CA_CERTS name. Node passes over a wrong NODE_EXTRA_CA_CERTS; beside a SSL_CERT_FILE the program reads both, and
 * a wrong one is an error of every encrypted request.
 */
export async function checkCertificates(world: World): Promise<readonly Finding[]> {
  const { SSL_CERT_FILE: own = '', NODE_EXTRA_CA_CERTS: extra = '' } = world.env;
  const named = [
    ['SSL_CERT_FILE', own, 'fail'],
    ['NODE_EXTRA_CA_CERTS', extra, own === '' ? 'warn' : 'fail'],
  ] as const;
  const findings: Finding[] = [];
  for (const [name, file, wrong] of named) {
    if (file === '') continue;
    const { message, ...rest } = await judge(file, wrong, world);
    findings.push({ area: 'certificates', message: `${name}: ${file}${message}`, ...rest });
  }
  return findings;
}

const NEXT = 'correct the path, or unset it';

/** `wrong` is how bad it is when the file is of no use. */
async function judge(
  file: string,
  wrong: 'warn' | 'fail',
  { files, clock }: World,
): Promise<Judged> {
  const stat = await files.stat(file).catch(() => undefined);
  if (stat?.kind === 'directory')
    return { status: wrong, message: ' is a folder, not a file', next: NEXT };
  const loaded = await files.load(file, LARGEST).catch(() => undefined);
  if (loaded === undefined) return { status: wrong, message: ' cannot be read', next: NEXT };
  const text = Buffer.from(loaded.bytes).toString('latin1');
  const blocks = text.match(BLOCK) ?? [];
  if (blocks.length === 0) return withoutAny(file, wrong, loaded.bytes, text);
  const read = blocks.map(certificateIn);
  const damaged = read.indexOf(undefined);
  if (damaged !== -1)
    // TLS reads up to there, and passes over the rest without a word.
    return {
      status: 'warn',
      message: `: certificate ${damaged + 1} of ${blocks.length} cannot be read, so that none counts from there on`,
      next: 'take that part out of the file, or fetch the file again',
    };
  return inTime(
    read.filter((each) => each !== undefined),
    clock.now(),
  );
}

/** None goes over the beginning of another: beginnings without an end are looked through once, and not once for each. */
const BLOCK = /-----BEGIN ([A-Z0-9 ]*CERTIFICATE)-----(?:(?!-----BEGIN )[\s\S])*?-----END \1-----/g;

function certificateIn(source: string | Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(source);
  } catch {
    return undefined;
  }
}

function withoutAny(file: string, wrong: 'warn' | 'fail', bytes: Uint8Array, text: string): Judged {
  // Adds nothing, and stops nothing.
  if (text.trim() === '') return { status: 'warn', message: ' is empty', next: NEXT };
  if (bytes[0] === DER_SEQUENCE && certificateIn(bytes) !== undefined)
    return {
      status: wrong,
      message: ' is a certificate in DER, where PEM is needed',
      next: `openssl x509 -inform der -in ${shellWord(file)} -out FILE.pem, and name that file`,
    };
  return {
    status: wrong,
    message: ' holds no certificate',
    next: 'name a PEM file with certificates, or unset it',
  };
}

const DER_SEQUENCE = 0x30;

/** Certificates that count no more, or not yet, help nobody; the others of the file still do. */
function inTime(certificates: readonly X509Certificate[], now: Date): Judged {
  const count = certificates.length === 1 ? '1 certificate' : `${certificates.length} certificates`;
  const late = certificates.filter(({ validTo }) => new Date(validTo) < now);
  const early = certificates.filter(({ validFrom }) => new Date(validFrom) > now);
  const [first] = [...late, ...early];
  if (first === undefined) return { status: 'ok', message: ` (${count})` };
  const [names, date] =
    late.length > 0 ? ['expired', first.validTo] : ['not valid', first.validFrom];
  const when = new Date(date).toISOString().slice(0, 10);
  const since = late.length > 0 ? `on ${when}` : `before ${when}`;
  const of = certificates.length === 1 ? '' : `${late.length || early.length} of `;
  return {
    status: 'warn',
    message: ` (${of}${count} ${names} ${since}: ${subjectOf(first)})`,
    next: 'put newer certificates into the file; if the date is wrong, set the clock of this machine',
  };
}

const subjectOf = ({ subject }: X509Certificate): string =>
  (subject ?? '').split('\n').at(-1)?.slice(0, 80) ?? '';
