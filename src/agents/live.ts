// A conversation of an agent while it lives, and where it is kept.

import * as path from 'node:path';
import type { Chat } from '../types.ts';
import { turns } from './turns.ts';
import type { Live, Template } from './types.ts';

export interface LiveParts {
  readonly template?: Template | undefined;
  readonly messages?: Chat;
  readonly conversation?: string;
  readonly depth?: number;
  readonly maxDepth?: number | undefined;
  readonly place?: string | undefined;
  readonly below?: string | undefined;
}

export function createLive(parts: LiveParts): Live {
  return {
    name: parts.template?.name ?? 'agent',
    template: parts.template,
    conversation: parts.conversation ?? '',
    messages: parts.messages ?? [],
    depth: parts.depth ?? 0,
    maxDepth: parts.maxDepth,
    place: parts.place,
    below: parts.below,
    written: undefined,
    society: new Map(),
    turns: turns(),
    handOffs: new Map(),
  };
}

/** Where an agent's own chat and those it delegates to go, beside the file that is asked. */
export function placesBeside(file: string, name: string): { place: string; below: string } {
  const folder = `${file}.files`;
  return { place: path.join(folder, `${name}.chat`), below: path.join(folder, `${name}.society`) };
}

/**
 * Where a conversation goes that is saved to this file, decided by its location alone: in a `.files` folder the society lies beside it, in a
 * society `society` does, and elsewhere it has a `.files` folder of its own.
 */
export function placesOf(
  file: string | undefined,
  name: string,
): { readonly place: string | undefined; readonly below: string | undefined } {
  if (file === undefined) return { place: undefined, below: undefined };
  const folder = path.dirname(file);
  if (folder.endsWith('.files'))
    return { place: file, below: path.join(folder, `${name}.society`) };
  const kind = path.basename(path.resolve(folder, '../..'));
  const isNested = path.basename(file) === 'agent.chat' && /(?:^|\.)society$/.test(kind);
  if (isNested) return { place: file, below: path.join(folder, 'society') };
  return { place: file, below: placesBeside(file, name).below };
}
