// One ask as the command line says it. Types only.

import type { AgentsPort } from './agents.ts';
import type { AskArguments, AskFlags } from './flags.ts';

/** One ask as the command line says it. */
export interface AskCommand {
  readonly asked: AskArguments;
  /** A source file whose `# ask:` comments are answered; nothing else is asked then. */
  readonly inline: string | undefined;
  readonly flags: AskFlags;
  /** Print the compiled chat and send nothing. */
  readonly dryRun: boolean;
  readonly raw: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly agents?: AgentsPort;
  /** Where `--events` go. */
  readonly events: string | undefined;
}
