// Start-up in CPU time: `chat --version` and `chat print` of a small file against `node -e 0`.

import * as path from 'node:path';
import { cleanEnvironment, cpuOfCommands } from './measure.ts';
import type { Bench } from './types.ts';

export const startBench: Bench = {
  name: 'start',
  async run(root) {
    const chat = path.join(root, 'bin/chat.js');
    const node = process.execPath;
    const [bare = Number.NaN, version = Number.NaN, print = Number.NaN] = cpuOfCommands(
      [
        [node, '-e', '0'],
        [node, chat, '--version'],
        [node, chat, 'print', path.join(root, 'fixtures/ask/answer/files/sky.chat')],
      ],
      { blocks: 7, runs: 10, env: cleanEnvironment() },
    );
    const against = `node -e 0: ${bare.toFixed(1)} ms CPU`;
    return [
      {
        name: 'start',
        measured: `chat --version: ${version.toFixed(1)} ms CPU`,
        against,
        ratio: version / bare,
        bound: 1.4,
      },
      {
        name: 'start',
        measured: `chat print, small file: ${print.toFixed(1)} ms CPU`,
        against,
        ratio: print / bare,
        bound: 1.7,
      },
    ];
  },
};
