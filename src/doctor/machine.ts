// The machine around the program: Node, folders, proxy, terminal.

import { folders, passedOver } from '../config/folders.ts';
import type { Folders } from '../config/types.ts';
import type { Stream } from '../world/types/streams.ts';
import type { Environment, World } from '../world/types/world.ts';
import type { Finding } from './types.ts';

/** The oldest Node that the program is made for. */
const OLDEST_NODE = [20, 18] as const;

/** The version of Node, and the machine. */
export async function checkNode({ platform }: World): Promise<readonly Finding[]> {
  const [major = 0, minor = 0] = platform.node.split('.').map(Number);
  const fits = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const message = `Node ${platform.node} on ${platform.os} ${platform.arch}`;
  if (fits) return [{ area: 'node', status: 'ok', message }];
  const next = `install Node ${OLDEST_NODE.join('.')} or later`;
  return [{ area: 'node', status: 'fail', message: `${message} is too old`, next }];
}

/** Where the program keeps things, and whether it may write there. */
export async function checkFolders({ env, files }: World): Promise<readonly Finding[]> {
  const places = await folders(env, files);
  const own = Object.entries(places) as [keyof Folders, string][];
  const findings: Finding[] = [];
  for (const [name, folder] of own) {
    const stat = await files.stat(folder).catch(() => undefined);
    const there = stat === undefined ? ' (not there yet)' : '';
    const message = `${name} in ${folder}${there}`;
    if (stat !== undefined && stat.kind !== 'directory')
      findings.push({
        area: 'folder',
        status: 'fail',
        message: `${message} is not a folder`,
        next: 'move that file away, or set SCOUT_HOME',
      });
    else if (await files.isWritable(folder))
      findings.push({ area: 'folder', status: 'ok', message });
    else
      findings.push({
        area: 'folder',
        status: 'fail',
        message: `${message} cannot be written`,
        next: `chown or chmod it, or set SCOUT_HOME to a folder of yours`,
      });
  }
  for (const folder of await passedOver(env, files))
    findings.push({
      area: 'folder',
      status: 'warn',
      message: `${folder} is not used, since ${places.config} is there`,
      next: `move what you need of it to ${places.config}, or ${places.config} away`,
    });
  return findings;
}

const PROXIES = ['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'];

/** The proxy variables that are set, without user and password. */
export async function checkProxy({ env }: World): Promise<readonly Finding[]> {
  const set = PROXIES.flatMap((name) => [name, name.toUpperCase()]).filter((name) =>
    isSet(name, env),
  );
  if (set.length === 0) return [{ area: 'proxy', status: 'ok', message: 'none' }];
  return set.map((name) => proxyFinding(name, env[name] ?? ''));
}

function proxyFinding(name: string, value: string): Finding {
  const kind = name.toLowerCase();
  if (kind === 'no_proxy') return { area: 'proxy', status: 'ok', message: `${name}: ${value}` };
  if (kind === 'all_proxy')
    return {
      area: 'proxy',
      status: 'warn',
      message: `${name} is not used`,
      next: 'set HTTP_PROXY and HTTPS_PROXY',
    };
  const address = value.includes('://') ? value : `http://${value}`;
  const message = `${name}: ${value.replace(/[^/@]*@/, '***@')}`;
  if (/^https?:/.test(address) && URL.canParse(address))
    return { area: 'proxy', status: 'ok', message };
  const next = `set it to http://HOST:PORT, or unset ${name}`;
  return {
    area: 'proxy',
    status: 'fail',
    message: `${message} is not the address of a proxy`,
    next,
  };
}

/** What the program takes its output for. */
export async function checkTerminal({ output, env }: World): Promise<readonly Finding[]> {
  const { stdout, stderr } = output;
  const reasons = ['NO_COLOR', 'FORCE_COLOR', 'TERM']
    .filter((name) => isSet(name, env))
    .map((name) => `${name}=${env[name]}`);
  const because = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`;
  const message = `standard output: ${describe(stdout)}; standard error: ${describe(stderr)}${because}`;
  return [{ area: 'terminal', status: 'ok', message }];
}

function describe({ terminal, colour, columns }: Stream): string {
  const kind = terminal ? `a terminal of ${columns} columns` : 'no terminal';
  return `${kind}, ${colour ? 'colour' : 'no colour'}`;
}

const isSet = (name: string, env: Environment): boolean => (env[name] ?? '') !== '';
