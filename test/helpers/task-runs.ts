// `chat task …` in this process, on a workflow of shell commands.

import { type RunOptions, type RunResult, runCli } from './run.ts';

const WORKFLOW = `
title: Words of a text
tasks:
  split:
    description: Split a text into words
    inputs:
      text: { type: text, required: true, description: The text }
    result: array
    command: "printf '%s' {{text}} | tr -s ' ' '\\n'; echo ran >> ran"
  count:
    description: |
      Count the words of a text.
      Each counts once for each time it is there.
    inputs:
      text: { type: text, required: true, description: The text. }
      least: { type: integer, default: 1, description: Shortest word that counts }
      loud: { type: boolean, default: false }
      kind: { type: select, values: [plain, fancy], default: plain }
      only: { type: string_array, required: false }
      path: { type: path, required: false }
      list: { type: file, required: false }
    deps: [split]
    result: integer
    command: 'echo "counting with {{kind}}" >&2; echo "$INPUT_loud $INPUT_only $INPUT_path $INPUT_list" >> given; wc -w < "$DEP_split"'
  bad:
    description: Always fails
    command: 'echo "about to fail" >&2; exit 3'
  above:
    description: Needs what fails
    deps: [bad]
    command: 'true'
  bytes:
    result: binary
    command: "printf '\\\\377\\\\000'"
  now:
    exec: true
    result: json
    command: 'echo ran >> now; echo "{\\"n\\": 1}"'
  escape:
    command: "printf 'a\\\\033[2Jb'"
`;

const FILES = { 'workflows/Words.yaml': WORKFLOW, 'notes.txt': 'one two three', 'var/jobs/': '' };

/** `chat task` with these words, on the workflow `Words`. */
export const run = (argv: readonly string[], options: RunOptions = {}): Promise<RunResult> =>
  runCli(['task', ...argv], { ...options, files: { ...FILES, ...options.files } });
