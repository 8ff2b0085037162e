// Time between the moment a chunk is sent by the server and its bytes on the standard output of `chat ask`, read through a pipe.

import { spawn } from 'node:child_process';
import * as path from 'node:path';
import { cleanEnvironment, median } from './measure.ts';
import { benchServer, chunk, endStream, startStream } from './server.ts';
import type { Bench } from './types.ts';

const CHUNKS = 300;

export const latencyBench: Bench = {
  name: 'latency',
  async run(root) {
    const sent: number[] = [];
    const server = await benchServer(async (response) => {
      startStream(response);
      for (let index = 0; index < CHUNKS; index++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        sent[index] = performance.now();
        response.write(chunk({ content: `${index};` }));
      }
      endStream(response);
    });
    const arrived: number[] = [];
    const env = cleanEnvironment({ SCOUT_HOME: server.home });
    const child = spawn(
      process.execPath,
      [path.join(root, 'bin/chat.js'), 'ask', '--no-cache', '-e', 'bench', 'Count.'],
      {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const now = performance.now();
      for (const [, number] of text.matchAll(/(\d+);/g)) arrived[Number(number)] = now;
    });
    await new Promise((resolve) => child.on('close', resolve));
    server.close();
    const delays = sent.flatMap((when, index) => {
      const then = arrived[index];
      return then === undefined ? [] : [then - when];
    });
    if (delays.length < CHUNKS * 0.9)
      throw new Error(`only ${delays.length} of ${CHUNKS} chunks came through`);
    return [
      {
        name: 'latency',
        measured: `chunk sent to bytes on standard output, median of ${delays.length}`,
        against: 'milliseconds',
        ratio: median(delays),
        bound: 5,
        unit: ' ms',
      },
    ];
  },
};
