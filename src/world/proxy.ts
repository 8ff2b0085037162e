// Which proxy a request goes through, from the usual environment variables. Opens no connection.

import { BlockList, isIP } from 'node:net';
import { configFailure } from '../errors.ts';
import type { Environment } from './types/world.ts';

const KNOWN_SCHEMES = ['http:', 'https:'];

/**
 * The proxy for a URL: `http_proxy` or `https_proxy` by its scheme, the name in capitals when there is none in small letters.
 * Undefined when none is set, when `no_proxy` names the host, and always for this machine itself (localhost, 127.0.0.0/8, ::1, 0.0.0.0).
 * Throws a Failure (exit 3) when the variable that applies holds no usable address.
 */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  const host = bareHost(url.hostname);
  if (isLoopback(host)) return undefined;
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const [variable, value] = fromEnvironment(name, env);
  if (value === '' || isExcluded(host, portOf(url), env)) return undefined;
  return readProxy(variable, value);
}

/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    // Where a server listens on all addresses people write that as its own; asked there, this machine answers.
    host === '0.0.0.0' ||
    host === '::' ||
    /^::ffff:7f[0-9a-f]{2}:/.test(host) ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}

/** Small letters win, also when they are set to nothing: that is how one says "no proxy here". */
function fromEnvironment(name: string, env: Environment): readonly [string, string] {
  const small = env[name];
  if (small !== undefined) return [name, small.trim()];
  const capitals = name.toUpperCase();
  return [capitals, env[capitals]?.trim() ?? ''];
}

function readProxy(variable: string, value: string): URL {
  const text = value.includes('://') ? value : `http://${value}`;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  if (proxy !== undefined && proxy.hostname !== '' && KNOWN_SCHEMES.includes(proxy.protocol))
    return proxy;
  throw configFailure('bad-proxy', `${variable} is not the address of a proxy: "${shown(value)}"`, {
    at: 'environment',
    next: `set it to http://HOST:PORT, or unset ${variable}`,
    facts: { kind: 'configuration' },
  });
}

/** Proxy addresses may hold a user and a password. */
function shown(value: string): string {
  return value.replace(/\/\/[^/@]*@/, '//***@').replace(/^[^/@]*@/, '***@');
}

function isExcluded(host: string, port: number, env: Environment): boolean {
  const [, list] = fromEnvironment('no_proxy', env);
  return list.split(/[\s,]+/).some((entry) => entry !== '' && matches(entry, host, port));
}

/** `*`, a name (its subdomains too), `.name`, `*.name`, an address, a subnet; all but the last may end in `:port`. */
function matches(entry: string, host: string, port: number): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInSubnet(entry, host);
  const parts = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry);
  if (parts !== null && Number(parts[2]) !== port) return false;
  const name = bareHost((parts?.[1] ?? entry).replace(/^\*?\./, ''));
  return name !== '' && (host === name || host.endsWith(`.${name}`));
}

function isInSubnet(entry: string, host: string): boolean {
  const [network = '', bits = ''] = entry.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits)) return false;
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(network, Number(bits), kind);
  return list.check(host, kind);
}

const bareHost = (hostname: string): string =>
  hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
