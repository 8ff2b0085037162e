// A local server that speaks Chat Completions and notes when things happen; and a home folder that leads there.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';

export interface BenchServer {
  readonly url: string;
  readonly home: string;
  /** Resolves with the arrival of the next request, in milliseconds of `performance.now()`. */
  nextArrival(): Promise<number>;
  close(): void;
}

export async function benchServer(
  answer: (response: ServerResponse) => void,
): Promise<BenchServer> {
  const waiting: ((when: number) => void)[] = [];
  const server = createServer((request, response) => {
    waiting.shift()?.(performance.now());
    request.resume();
    request.on('end', () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const home = mkdtempSync(path.join(tmpdir(), 'scout-bench-'));
  mkdirSync(path.join(home, 'etc/AI'), { recursive: true });
  writeFileSync(
    path.join(home, 'etc/AI/bench.yaml'),
    `backend: openai\nurl: ${url}/v1\nmodel: bench\n`,
  );
  return {
    url,
    home,
    nextArrival: () => new Promise((resolve) => waiting.push(resolve)),
    close() {
      server.closeAllConnections();
      server.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** One event of a streamed answer. */
export function chunk(
  delta: Readonly<Record<string, unknown>>,
  finish: string | null = null,
): string {
  const body = {
    id: 'bench',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'bench',
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
  return `data: ${JSON.stringify(body)}\n\n`;
}

export function startStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
}

export function endStream(response: ServerResponse): void {
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
}
