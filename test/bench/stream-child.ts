// One measured program of the stream benchmark: reads a long answer, as bytes alone or as a run does. Prints time and memory as JSON.

import { requestReply } from '../../src/ask/round.ts';
import { loadBackend } from '../../src/backends/index.ts';
import type { PromptRequest } from '../../src/backends/types.ts';
import { createClock } from '../../src/world/clock.ts';
import { createFiles } from '../../src/world/files.ts';
import { createHttp } from '../../src/world/http.ts';

const [what = '', backendName = '', base = '', path = ''] = process.argv.slice(2);
const http = createHttp({});

/** Every byte once; what is counted is told, so that nothing can be left out. */
async function raw(): Promise<number> {
  const url = new URL(path, base).href;
  const response = await http.send({ url, method: 'POST', headers: {}, body: '{}' });
  let length = 0;
  for await (const bytes of response.body) length += bytes.length;
  return length;
}

/** The events that a round tells, as the loop gets them. */
async function round(): Promise<number> {
  const backend = await loadBackend(backendName);
  const endpoint = {
    ...{ name: 'bench', backend: backendName, url: base, model: 'bench', headers: {} },
    ...{ source: 'bench', settings: { retry_max: 0 } },
  };
  const request: PromptRequest = {
    ...{ messages: [{ role: 'user', content: 'Count.' }], tools: [], endpoint },
    ...{ attachments: new Map(), turnStart: 0, sessionId: 'bench' },
  };
  const context = {
    ...{ http, clock: createClock(), files: createFiles(), env: {}, modelsFolder: '/nowhere' },
    signal: new AbortController().signal,
    onRetry: () => {},
    warn: () => {},
  };
  let length = 0;
  for await (const event of requestReply(backend, request, context))
    if (event.kind === 'text') length += event.text.length;
  return length;
}

const work = what === 'raw' ? raw : round;
const start = process.resourceUsage();
const started = performance.now();
const length = await work();
const milliseconds = performance.now() - started;
const end = process.resourceUsage();
const cpu = (end.userCPUTime + end.systemCPUTime - start.userCPUTime - start.systemCPUTime) / 1000;
process.stdout.write(JSON.stringify({ length, milliseconds, cpu, peak: end.maxRSS * 1024 }));
