// Lists the embedded models, pulled and to be pulled, or the models of an endpoint. Loads no model.

import { backendContext } from '../../src/ask/backend-context.ts';
import { loadBackend } from '../../src/backends/index.ts';
import type { ModelInfo } from '../../src/backends/types.ts';
import { type Call, defineCommand } from '../../src/cli/spec.ts';
import { resolveEndpoint } from '../../src/config/endpoints.ts';
import { folders, shownPath } from '../../src/config/folders.ts';
import { EXIT } from '../../src/errors.ts';
import { describeModels, type ModelRow } from '../../src/models/describe.ts';
import { modelsFolder, RUNTIME_VERSION } from '../../src/models/places.ts';
import { type RuntimeState, runtimeState } from '../../src/models/runtime.ts';
import { inColumns } from '../../src/terminal/columns.ts';
import { harmlessJson, neutralise } from '../../src/terminal/neutralise.ts';
import { size } from '../../src/terminal/progress.ts';
import type { World } from '../../src/world/types/world.ts';

export const command = defineCommand({
  path: ['model', 'list'],
  summary: 'List the embedded models, or the models of an endpoint',
  arguments: [],
  options: [
    {
      long: 'endpoint',
      short: 'e',
      value: 'name',
      complete: 'endpoint',
      summary: 'List the models that this endpoint offers',
    },
    { long: 'json', summary: 'Print JSON' },
  ],
  details: [
    'Without an endpoint: the models of the built-in list and those that are pulled, with size, licence, state and path, and below them the state of the runtime that runs them. Any GGUF file that lies in the folder of the models is listed too and can be used by its name.',
    'With an endpoint its provider is asked which models it offers.',
  ],
  examples: [
    { command: 'chat model list', does: 'Shows what can be pulled and what is there.' },
    { command: 'chat model list -e openai', does: 'Shows the models that the endpoint offers.' },
    { command: 'chat model list --json', does: 'The same for a script.' },
  ],
  seeAlso: ['chat-model-pull(1)', 'chat-endpoint-list(1)'],
  async run(call, world) {
    const endpoint = call.text('endpoint');
    if (endpoint !== undefined) await listOffered(endpoint, call, world);
    else await listEmbedded(call, world);
    return EXIT.ok;
  },
});

async function listEmbedded(call: Call, world: World): Promise<void> {
  const folder = modelsFolder(await folders(world.env, world.files));
  const models = await describeModels(folder, world.files);
  const runtime = await runtimeState(folder, world);
  if (call.flag('json')) {
    const answer = { folder, models, runtime: { version: RUNTIME_VERSION, ...runtime } };
    return world.output.write(`${harmlessJson(answer, 2)}\n`);
  }
  const { terminal, columns } = world.output.stdout;
  const rows = [
    ['NAME', 'SIZE', 'LICENCE', 'STATE', 'FILE'],
    ...models.map((row) => toCells(row, world)),
  ];
  await world.output.write(
    `${inColumns(rows, terminal ? { columns } : {})}\n\n${runtimeText(runtime)}\n`,
  );
}

function toCells(row: ModelRow, world: World): readonly string[] {
  const file = row.path === undefined ? '-' : shownPath(row.path, world);
  const state = `${row.state}${row.default ? ' (default)' : ''}`;
  return [row.name, size(row.size), row.license ?? '-', state, file].map((cell) =>
    neutralise(cell),
  );
}

function runtimeText(runtime: RuntimeState): string {
  const name = `runtime: node-llama-cpp ${RUNTIME_VERSION}`;
  if (runtime.kind === 'unsupported') return `${name}, ${runtime.reason}`;
  if (runtime.kind === 'installed') return `${name} for ${runtime.platform}, installed`;
  return `${name} for ${runtime.platform}, not installed ("chat model pull" installs it)`;
}

async function listOffered(name: string, call: Call, world: World): Promise<void> {
  const warn = (message: string) => {
    if (!call.flag('quiet')) world.output.note(`warning: ${message}`);
  };
  const request = { flags: { endpoint: name }, withModel: false };
  const endpoint = await resolveEndpoint(request, world, ({ message }) => warn(message));
  const backend = await loadBackend(endpoint.backend);
  const models = await backend.models(endpoint, {
    ...(await backendContext(world)),
    onRetry: ({ message, delay }) => warn(`${message}; trying again in ${delay / 1000} s`),
    warn,
  });
  await world.output.write(
    call.flag('json') ? `${harmlessJson(models, 2)}\n` : offeredText(models),
  );
}

function offeredText(models: readonly ModelInfo[]): string {
  const rows = models.map(({ id, contextWindow }) => [
    neutralise(id),
    contextWindow === undefined ? '' : `${contextWindow} tokens`,
  ]);
  return rows.length === 0 ? '' : `${inColumns(rows)}\n`;
}
