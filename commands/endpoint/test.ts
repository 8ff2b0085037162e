// Asks an endpoint for one word, and says how long that took and what it cost in tokens. Keeps nothing.

import { backendContext } from '../../src/ask/backend-context.ts';
import { run } from '../../src/ask/loop.ts';
import { prepare } from '../../src/ask/prepare.ts';
import type { AskEvent, Reply } from '../../src/ask/types/events.ts';
import { warner } from '../../src/ask/warner.ts';
import { loadBackend } from '../../src/backends/index.ts';
import { type Call, defineCommand } from '../../src/cli/spec.ts';
import { EXIT } from '../../src/errors.ts';
import { harmlessJson, neutralise } from '../../src/terminal/neutralise.ts';
import type { Tokens } from '../../src/types.ts';
import type { World } from '../../src/world/types/world.ts';

export const command = defineCommand({
  path: ['endpoint', 'test'],
  summary: 'Ask an endpoint for one word',
  arguments: [
    {
      name: 'name',
      summary: 'The endpoint; the one that would be used when none is given',
      complete: 'endpoint',
    },
  ],
  options: [
    {
      long: 'model',
      short: 'm',
      value: 'name',
      complete: 'model',
      summary: 'Ask this model',
    },
    {
      long: 'option',
      short: 'o',
      value: 'key=value',
      repeat: true,
      summary: 'Set an option for this request',
    },
    { long: 'json', summary: 'Print JSON' },
  ],
  details: [
    'One small request is sent, at a cost of a few tokens. The exit status is 0 when an answer came, 3 when the endpoint or its key is not right, and 4 when the provider refuses or cannot be reached.',
  ],
  examples: [
    { command: 'chat endpoint test', does: 'Tests the endpoint that would be used.' },
    { command: 'chat endpoint test openai -m gpt-5', does: 'Tests one of its models.' },
  ],
  seeAlso: ['chat-endpoint-list(1)', 'chat-doctor(1)', 'chat-endpoints(5)'],
  async run(call, world) {
    const result = await askOneWord(call, world);
    await world.output.write(call.flag('json') ? `${harmlessJson(result, 2)}\n` : lines(result));
    return EXIT.ok;
  },
});

interface Result {
  readonly endpoint: string;
  readonly backend: string;
  readonly model: string | null;
  readonly answer: string;
  readonly seconds: number;
  readonly tokens: Tokens;
}

async function askOneWord(call: Call, world: World): Promise<Result> {
  const warn = warner({ quiet: call.flag('quiet') }, world);
  const question = [{ role: 'user', content: 'Answer with one word: ready?' }];
  const settled = await prepare(question, world, {
    flags: {
      endpoint: call.arguments[0],
      model: call.text('model'),
      options: call.list('option'),
      cache: false,
    },
    warn,
  });
  const plan = await settled.plan();
  const tell = (message: string) => warn({ code: 'backend', message });
  const backend = await loadBackend(plan.endpoint.backend);
  const going = run(plan, backend, await backendContext(world));
  let last: { readonly reply: Reply; readonly seconds: number } | undefined;
  for await (const event of going) {
    if (event.kind === 'reply') last = event;
    else tellTrouble(event, tell);
  }
  const { endpoint } = plan;
  return {
    endpoint: endpoint.name,
    backend: endpoint.backend,
    model: last?.reply.model ?? endpoint.model ?? null,
    answer: last?.reply.text.trim() ?? '',
    seconds: Math.round((last?.seconds ?? 0) * 1000) / 1000,
    tokens: last?.reply.tokens ?? {},
  };
}

function tellTrouble(event: AskEvent, tell: (message: string) => void): void {
  if (event.kind === 'warning') tell(event.message);
  if (event.kind === 'retry')
    tell(`${event.notice.message}; trying again in ${event.notice.delay / 1000} s`);
}

function lines({ endpoint, backend, model, answer, seconds, tokens }: Result): string {
  const rows = [
    ['endpoint', `${endpoint} (${backend})`],
    ['model', model ?? 'not named'],
    ['answer', neutralise(answer)],
    ['time', `${seconds.toFixed(2)} s`],
    ['tokens', `${tokens.pt ?? 'unknown'} prompt, ${tokens.ct ?? 'unknown'} completion`],
  ];
  return rows.map(([name = '', value = '']) => `${name.padEnd(9)} ${neutralise(value)}\n`).join('');
}
