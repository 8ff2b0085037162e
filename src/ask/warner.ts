// Where warnings go: to standard error, with their place, each once.

import { neutralise } from '../terminal/neutralise.ts';
import type { Warn } from '../types.ts';
import type { World } from '../world/types/world.ts';

/** Warnings go to standard error with their place, each once; nothing with `quiet`. */
export function warner(command: { readonly quiet: boolean }, world: World): Warn {
  const told = new Set<string>();
  return ({ message, origin }) => {
    const place = origin === undefined ? '' : `${origin.file ?? 'the chat'}:${origin.line}: `;
    const line = `${place}warning: ${message}`;
    if (told.has(line)) return;
    told.add(line);
    note(command, world, line);
  };
}

/** A line on standard error, unless `quiet`. */
export function note({ quiet }: { readonly quiet: boolean }, world: World, text: string): void {
  if (!quiet) world.output.note(neutralise(text));
}
