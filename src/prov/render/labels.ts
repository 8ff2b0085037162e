// Names of nodes as people read them: a job by workflow, task and a short name, a chat by its path from what it belongs to.

import * as path from 'node:path';
import type { ProvenanceNode } from '../types/graph.ts';

export interface LabelOptions {
  /** Full paths instead of short names. */
  readonly long: boolean;
  /** Absolute: where paths of chats that belong to nothing are told from. */
  readonly cwd: string;
}

/** Digests of inputs are at least so many hexadecimal digits; so many of them tell jobs of one task apart. */
const DIGEST = /(?<=^|_)([0-9a-f]{8})[0-9a-f]{8,}(?=$|\.)/;

/** The label of a node below a parent; `parent` is undefined for a root. */
export function label(
  node: ProvenanceNode,
  parent: ProvenanceNode | undefined,
  { long, cwd }: LabelOptions,
): string {
  if (long) return node.path;
  if (node.kind === 'job') return `${taskName(node.facts)} ${jobName(node.facts.name)}`;
  const base = parent === undefined ? cwd : folderOf(parent.path, node.path);
  const relative = path.relative(base, node.path);
  return relative === '' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)
    ? shorter(relative, node.path)
    : relative;
}

/** `Workflow/task`. */
export const taskName = ({
  workflow,
  task,
}: {
  readonly workflow: string;
  readonly task: string;
}): string => `${workflow}/${task}`;

/** Without `Default_`, and with at most eight digits of the digest: `Default_0123456789abcdef….json` is `01234567.json`. */
export function jobName(name: string): string {
  const own = name.startsWith('Default_') ? name.slice('Default_'.length) : name;
  return own.replace(DIGEST, '$1');
}

/** What was kept beside a node is named from that folder, everything else from the folder of the node. */
function folderOf(owner: string, place: string): string {
  const beside = `${owner}.files`;
  return place.startsWith(beside + path.sep) ? beside : path.dirname(owner);
}

const shorter = (relative: string, absolute: string): string =>
  relative !== '' && relative.length < absolute.length ? relative : absolute;
