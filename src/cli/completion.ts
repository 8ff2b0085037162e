// The script that makes a shell complete commands, by the shell's own writer.

import type { Shell } from './completion-offers.ts';
import type { CommandSpec } from './spec.ts';

/** The text that makes a shell complete `chat`. */
export async function completionScript(
  shell: Shell,
  specs: readonly CommandSpec[],
): Promise<string> {
  switch (shell) {
    case 'bash':
      return (await import('./completion-bash.ts')).bashScript(specs);
    case 'zsh':
      return (await import('./completion-zsh.ts')).zshScript(specs);
    case 'fish':
      return (await import('./completion-fish.ts')).fishScript(specs);
  }
}
