// What can go wrong between us and a server, as Failures with a kind, whether it is worth another try, and what to do. Sends nothing.

import type { Endpoint } from '../../config/types.ts';
import { Failure, type FailureFields, providerFailure } from '../../errors.ts';
import type { Attachment } from '../../types.ts';
import { errorText, isHtml, shorten } from './error-text.ts';
import { redactor } from './redact.ts';

/** Where a request went, for the words of its failures. */
export interface Site {
  readonly endpoint: Endpoint;
  /** Where it was sent; its query is never shown. */
  readonly url: URL;
  /** Characters of the request's body. */
  readonly sent: number;
  /** The body itself; absent for a request without one. */
  readonly body?: string;
  /** Files that the question brought along. */
  readonly attachments?: ReadonlyMap<string, Attachment>;
}

export type Facts = NonNullable<FailureFields['facts']>;

/** What a refusal means. */
export interface Reading {
  readonly code: string;
  readonly kind: string;
  readonly retryable?: true;
  readonly facts?: Facts;
  readonly next?: string;
  /** In place of `HOST answered STATUS`. */
  readonly lead?: string;
}

/** A Failure of a request (exit 4) with its place: the endpoint. */
export function problem(
  site: Site,
  code: string,
  message: string,
  rest: { readonly next?: string; readonly facts: Facts; readonly cause?: unknown },
): Failure {
  return providerFailure(code, message, {
    at: `endpoint ${site.endpoint.name}`,
    ...rest,
    facts: { ...rest.facts, host: site.url.host },
  });
}

/** An answer that is none: not the protocol, or not to its end. `quote` is what came instead. */
export function badReply(site: Site, why: string, quote = '', retryable = true): Failure {
  const clean = redactor(site.endpoint)(quote);
  const said = isHtml(clean) ? errorText(clean) : shorten(clean, 200);
  const came = said === '' ? '' : `: ${said}`;
  return problem(site, 'bad-reply', `${site.url.host} ${why}${came}`, {
    next: checkUrl(site),
    facts: { kind: 'protocol', retryable },
  });
}

/** The same failure with other fields; facts are added to. */
export function changed(failure: Failure, fields: Partial<FailureFields>): Failure {
  return new Failure({
    code: failure.code,
    message: failure.message,
    exitCode: failure.exitCode,
    detail: failure.detail,
    ...(failure.at === undefined ? {} : { at: failure.at }),
    ...(failure.next === undefined ? {} : { next: failure.next }),
    ...(failure.cause === undefined ? {} : { cause: failure.cause }),
    ...fields,
    facts: { ...failure.facts, ...fields.facts },
  });
}

/**
 * The Failure of a connection that could not be made or broke, by the error's `code`; undefined for an error that is none of the network.
 * A refused connection, a certificate that is not trusted and an answer that is not HTTP are not worth another try.
 */
export function unreachable(site: Site, error: unknown): Failure | undefined {
  const code = codeOf(error);
  if (!(error instanceof Error) || code === undefined) return undefined;
  const proxy = 'proxy' in error ? String(error.proxy) : undefined;
  const { message, next, final } =
    proxy !== undefined && NOT_FOUND.has(code)
      ? withoutProxy(site, code, proxy)
      : throughProxy(reasonOf(site, code, error.message), proxy);
  return problem(site, 'connection-failed', message, {
    next:
      next ?? (final === true ? checkUrl(site) : 'try again later, or ask another endpoint (-e)'),
    facts: { kind: 'connection', retryable: final !== true, network_code: code },
    cause: error,
  });
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // The parser's error has a code in some cases only.
  return error.name === 'HTTPParserError' ? 'HPE_ERROR' : undefined;
}

interface Reason {
  readonly message: string;
  readonly next?: string;
  readonly final?: true;
}

const CERTIFICATE = /^(?:CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_CERT|HOSTNAME_MISMATCH)/;

function reasonOf({ endpoint, url }: Site, code: string, said: string): Reason {
  const { host } = url;
  if (code === 'ECONNREFUSED')
    return {
      message: `cannot connect to ${host}: the connection was refused`,
      next: `is the server running? start it, or ${otherUrl(endpoint)}`,
      final: true,
    };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return {
      message: `cannot connect to ${host}: there is no address for that name`,
      next: `check the network, or ${otherUrl(endpoint)}`,
    };
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return {
      message: `cannot connect to ${host}: its certificate ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}`,
      next: 'if the clock of this machine is right, whoever runs that server has to renew it',
      final: true,
    };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH')
    return {
      message: `cannot connect to ${host}: its certificate is for other names`,
      next: `use the name that the certificate is for: ${otherUrl(endpoint)}`,
      final: true,
    };
  if (CERTIFICATE.test(code))
    return {
      message: `cannot connect to ${host}: its certificate is not trusted (${code})`,
      next: 'name the certificates of your network in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS',
      final: true,
    };
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return withoutTls(host, code, said);
  if (code === 'UND_ERR_SOCKET' && /^bad (?:response|upgrade)/.test(said))
    return {
      message: `${host} sent an answer that no request of HTTP/1.1 asks for (${said.slice(0, 40)})`,
      next: `${checkUrl({ endpoint })}, and what stands before that server`,
      final: true,
    };
  if (code.startsWith('HPE_'))
    return { message: `${host} does not speak HTTP`, next: 'check "url"', final: true };
  const proxied = /^Proxy response \((\d+)\)/.exec(said)?.[1];
  if (proxied !== undefined) return refusedByProxy(host, Number(proxied));
  const known = CLOSED.has(code) ? `${host} closed the connection before the answer ended` : '';
  if (code === 'NO_ZSTD')
    return {
      message: `${host} sent its answer compressed with zstd, which this version of Node does not read`,
      next: 'use Node 22.15 or later, or have the server, or the proxy before it, send answers as they are',
      final: true,
    };
  if (/^(?:Z_|ZSTD_|ERR__ERROR_FORMAT)/.test(code))
    return { message: `${host} sent a compressed answer that cannot be read (${code})` };
  const unknown = `the request to ${host} failed: ${shorten(redactor(endpoint)(said), 200)} (${code})`;
  return {
    message: known || (SLOW[code]?.(host) ?? unknown),
    ...(code.endsWith('INVALID_ARG') ? { final: true } : {}),
  };
}

/** What is no TLS at all is told apart from a server that speaks it and does not agree. */
function withoutTls(host: string, code: string, said: string): Reason {
  const words = `${code} ${said}`;
  if (/WRONG_VERSION_NUMBER|wrong version number|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG/i.test(words))
    return { message: `${host} does not speak TLS`, next: 'try http:// in "url"', final: true };
  const why = /APPLICATION_PROTOCOL/i.test(words)
    ? 'it speaks no HTTP/1.1'
    : `the two sides do not agree on TLS (${code})`;
  return {
    message: `cannot connect to ${host}: ${why}`,
    next: 'ask it through a gateway that does, or ask another endpoint (-e)',
    final: true,
  };
}

const throughProxy = (reason: Reason, proxy: string | undefined): Reason =>
  proxy === undefined
    ? reason
    : { ...reason, message: `${reason.message} (through the proxy ${proxy})` };

/** With a proxy between, its own address is the only one that this machine looks up and connects to. */
const NOT_FOUND: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

function withoutProxy(site: Site, code: string, proxy: string): Reason {
  const reason = reasonOf({ ...site, url: new URL(proxy) }, code, '');
  return {
    ...reason,
    message: `${reason.message} (the proxy for ${site.url.host})`,
    next: `correct the address of the proxy, or name ${site.url.hostname} in NO_PROXY`,
  };
}

/** Only what a proxy says of the far side may pass by itself. */
const refusedByProxy = (host: string, status: number): Reason => ({
  message: `cannot connect to ${host}: the proxy answered ${status}`,
  next:
    status === 407
      ? 'put user and password into the address of the proxy (http://USER:PASSWORD@HOST:PORT)'
      : 'check the proxy, or name the host in NO_PROXY',
  ...(status >= 500 ? {} : { final: true }),
});

const checkUrl = ({ endpoint }: Pick<Site, 'endpoint'>): string =>
  `check "url" of endpoint ${endpoint.name} (${endpoint.source})`;

/** How an address is made right. */
export const otherUrl = ({ source }: Endpoint): string =>
  source === 'built-in' ? 'give its address with -o url=…' : `correct "url" in ${source}`;

const CLOSED: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

const SLOW: Readonly<Record<string, (host: string) => string>> = {
  UND_ERR_CONNECT_TIMEOUT: (host) => `cannot connect to ${host}: the time limit was reached`,
  ETIMEDOUT: (host) => `cannot connect to ${host}: the time limit was reached`,
  UND_ERR_HEADERS_TIMEOUT: (host) => `${host} did not answer within the time limit`,
  UND_ERR_BODY_TIMEOUT: (host) => `${host} stopped in the middle of the answer`,
  EHOSTUNREACH: (host) => `cannot connect to ${host}: there is no way to that host`,
  ENETUNREACH: (host) => `cannot connect to ${host}: there is no way to that network`,
};
