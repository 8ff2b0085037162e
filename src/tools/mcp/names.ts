// Names for the tools of servers: such as every provider takes, unique, and the same in every run. Pure.

import { createHash } from 'node:crypto';
import type { NamedTool } from './types.ts';

const LONGEST = 64;

export interface Naming {
  /** In the order of the tools. */
  readonly names: readonly string[];
  /** Names that several tools wanted, and what became of them. */
  readonly clashes: readonly string[];
}

/**
 * A tool keeps its name, cleaned. Where tools of one server come to the same cleaned name, those that had to be changed get some digits of
 * their own; where another tool has the name (`taken`, or another server), it becomes `mcp_SERVER_NAME`.
 */
export function nameTools(tools: readonly NamedTool[], taken: readonly string[] = []): Naming {
  const clashes: string[] = [];
  const own = ownNames(tools, clashes);
  const used = new Set(taken);
  const names = tools.map(({ server, tool }, index) => {
    const name = own[index] ?? tool.name;
    const rival = tools.find(
      (other, at) => own[at] === name && other.server !== server && at !== index,
    );
    if (rival === undefined && !taken.includes(name)) return name;
    const prefixed = short(`mcp_${clean(server).toLowerCase().slice(0, 24)}_${name}`, tool.name);
    clashes.push(
      `${server} has a tool "${tool.name}", and so ${rival === undefined ? 'has this chat' : `has ${rival.server}`}: it is called "${prefixed}"`,
    );
    return prefixed;
  });
  return {
    names: names.map((name, index) => {
      let free = name;
      for (let copy = 2; used.has(free); copy++) free = `${name.slice(0, LONGEST - 4)}_${copy}`;
      used.add(free);
      if (free !== name)
        clashes.push(`"${tools[index]?.tool.name}" of ${tools[index]?.server} is called "${free}"`);
      return free;
    }),
    clashes,
  };
}

function ownNames(tools: readonly NamedTool[], clashes: string[]): readonly string[] {
  const cleaned = tools.map(({ tool }) => short(clean(tool.name), tool.name));
  return tools.map(({ server, tool }, index) => {
    const name = cleaned[index] ?? '';
    const same = tools.filter(
      (other, at) => other.server === server && cleaned[at] === name && other.tool !== tool,
    );
    if (same.length === 0 || name === tool.name) return name;
    const marked = withDigest(name, tool.name);
    clashes.push(`"${tool.name}" of ${server} is called "${marked}"`);
    return marked;
  });
}

/** Letters lose their marks, everything else that is not allowed becomes `_`. */
export function clean(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}+/gu, '');
  const safe = plain.replace(/[^A-Za-z0-9_-]+/g, '_');
  // Some providers want a letter first.
  return /^[A-Za-z_]/.test(safe) ? safe : `_${safe}`;
}

const short = (name: string, original: string): string =>
  name.length <= LONGEST ? name : withDigest(name, original);

function withDigest(name: string, original: string): string {
  const digits = createHash('sha256').update(original).digest('hex').slice(0, 6);
  return `${name.slice(0, LONGEST - 7)}_${digits}`;
}
