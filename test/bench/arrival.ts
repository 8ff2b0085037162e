// From process start to the request's arrival at a local server, against `curl` to the same server plus `node -e 0`.

import { spawn } from 'node:child_process';
import * as path from 'node:path';
import { cleanEnvironment, median } from './measure.ts';
import { benchServer, chunk, endStream, startStream } from './server.ts';
import type { Bench } from './types.ts';

const RUNS = 21;

export const arrivalBench: Bench = {
  name: 'arrival',
  async run(root) {
    const server = await benchServer((response) => {
      startStream(response);
      response.write(chunk({ content: 'yes' }));
      endStream(response);
    });
    const env = cleanEnvironment({
      SCOUT_HOME: server.home,
      HTTP_PROXY: '',
      HTTPS_PROXY: '',
      http_proxy: '',
    });
    const times = { ask: [] as number[], curl: [] as number[], node: [] as number[] };
    const toArrival = async (command: string, args: readonly string[]) => {
      const arrival = server.nextArrival();
      const started = performance.now();
      const ended = finish(command, args, env);
      const when = await arrival;
      await ended;
      return when - started;
    };
    try {
      for (let run = 0; run < RUNS; run++) {
        times.ask.push(
          await toArrival(process.execPath, [
            path.join(root, 'bin/chat.js'),
            'ask',
            '--no-cache',
            '-e',
            'bench',
            'Is it there?',
          ]),
        );
        times.curl.push(await toArrival('curl', ['-s', `${server.url}/v1/chat/completions`]));
        const started = performance.now();
        await finish(process.execPath, ['-e', '0'], env);
        times.node.push(performance.now() - started);
      }
    } finally {
      server.close();
    }
    const ask = median(times.ask);
    const yardstick = median(times.curl) + median(times.node);
    return [
      {
        name: 'arrival',
        measured: `start of chat ask to arrival: ${ask.toFixed(1)} ms`,
        against: `curl + node -e 0: ${yardstick.toFixed(1)} ms`,
        ratio: ask / yardstick,
        bound: 3,
      },
    ];
  },
};

function finish(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (text) => {
      errors += text;
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}: ${errors}`)),
    );
  });
}
