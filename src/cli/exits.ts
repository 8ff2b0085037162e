// What each exit status means, in words, for help and manual pages.

import { EXIT, type ExitCode } from '../errors.ts';

export interface ExitMeaning {
  readonly code: ExitCode;
  /** A few words, for --help. */
  readonly short: string;
  /** For the manual. */
  readonly long: string;
}

/** In ascending order. */
export const EXIT_MEANINGS: readonly ExitMeaning[] = [
  {
    code: EXIT.ok,
    short: 'done',
    long: 'Done: there is an answer, and it is saved where there is a file. Also when the reader of the output closed the pipe.',
  },
  {
    code: EXIT.work,
    short: 'the work failed',
    long: 'The work failed: a tool, a job, a save, a schema that was not met, strict findings.',
  },
  {
    code: EXIT.usage,
    short: 'wrong use',
    long: 'Wrong use: an option, a missing or unreadable file, a bad chat.',
  },
  {
    code: EXIT.configuration,
    short: 'configuration',
    long: 'Configuration: an endpoint, a key, an agent or a workflow that cannot be used.',
  },
  {
    code: EXIT.provider,
    short: 'provider',
    long: 'The provider refused, or could not be reached after retries.',
  },
  {
    code: EXIT.limit,
    short: 'limit reached',
    long: 'A limit was reached (rounds, tokens, cost, length). What was done until then is saved.',
  },
  {
    code: EXIT.approval,
    short: 'approval missing',
    long: 'A tool call needed an approval that nobody could give.',
  },
  { code: EXIT.interrupted, short: 'Ctrl-C', long: 'Stopped by Ctrl-C.' },
  {
    code: EXIT.terminated,
    short: 'TERM',
    long: 'Stopped by TERM, or because the terminal closed.',
  },
];
