// Whether a server is far away: such servers answer slowly when they queue, and get a limit for the first token. Looks nothing up.

const LOCAL_SUFFIXES = [
  '.local',
  '.lan',
  '.internal',
  '.home',
  '.home.arpa',
  '.localdomain',
  '.localhost',
  '.intranet',
  '.test',
];

/** https, an address outside the private ranges, or a dotted name without a local suffix. */
export function isRemote(url: URL): boolean {
  if (url.protocol === 'https:') return true;
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  if (host.startsWith('[')) return !isPrivateSix(host.slice(1, -1));
  const four = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host);
  if (four !== null) return !isPrivateFour(Number(four[1]), Number(four[2]));
  return host.includes('.') && !LOCAL_SUFFIXES.some((suffix) => host.endsWith(suffix));
}

/** This machine, the private nets, link-local addresses, and those that providers share among customers (100.64.0.0/10). */
function isPrivateFour(first: number, second: number): boolean {
  if (first === 0 || first === 10 || first === 127) return true;
  if (first === 172) return second >= 16 && second <= 31;
  if (first === 192) return second === 168;
  if (first === 169) return second === 254;
  return first === 100 && second >= 64 && second <= 127;
}

/** As URL writes it: lower case, compressed. */
function isPrivateSix(address: string): boolean {
  const mapped = /^::ffff:([0-9a-f]{1,4}):[0-9a-f]{1,4}$/.exec(address);
  if (mapped !== null) {
    const high = Number.parseInt(mapped[1] ?? '', 16);
    return isPrivateFour(high >> 8, high & 0xff);
  }
  return address === '::' || address === '::1' || /^f[cd]|^fe[89ab]/.test(address);
}
