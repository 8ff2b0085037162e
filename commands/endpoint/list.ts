// Lists every endpoint, where it comes from, and which one would be used and why. Shows no key and runs no command for one.

import { warner } from '../../src/ask/warner.ts';
import { defineCommand } from '../../src/cli/spec.ts';
import { shownPath } from '../../src/config/folders.ts';
import { type EndpointList, type ListedEndpoint, listEndpoints } from '../../src/config/listing.ts';
import { EXIT } from '../../src/errors.ts';
import { inColumns } from '../../src/terminal/columns.ts';
import { harmlessJson, neutralise } from '../../src/terminal/neutralise.ts';
import type { World } from '../../src/world/types/world.ts';

export const command = defineCommand({
  path: ['endpoint', 'list'],
  summary: 'List the endpoints, and which one would be used and why',
  arguments: [],
  options: [{ long: 'json', summary: 'Print JSON' }],
  details: [
    'Endpoints are the built-in ones and the files etc/AI/NAME.yaml of the working directory, your own folder and the package; the first file of a name counts. A file that is wrong is listed with what is wrong.',
    'Below them stand the rules that choose an endpoint when none is named with -e or in a chat, in order, up to the one that applies. With -v those that were passed over are shown too.',
  ],
  examples: [
    { command: 'chat endpoint list', does: 'Shows them all.' },
    {
      command: 'chat endpoint list --json | jq -r .chosen',
      does: 'Prints the name of the one that would be used.',
    },
  ],
  seeAlso: ['chat-endpoint-test(1)', 'chat-ask(1)', 'chat-endpoints(5)'],
  async run(call, world) {
    const list = await listEndpoints(world, warner({ quiet: call.flag('quiet') }, world));
    await world.output.write(
      call.flag('json')
        ? `${harmlessJson(list, 2)}\n`
        : table(list, world) + reasons(list, call.flag('verbose')),
    );
    return EXIT.ok;
  },
});

function table({ endpoints, chosen }: EndpointList, world: World): string {
  const { terminal, columns } = world.output.stdout;
  const rows = [
    ['', 'NAME', 'BACKEND', 'MODEL', 'KEY', 'FROM'],
    ...endpoints.map((endpoint) => row(endpoint, chosen, world)),
  ];
  return `${inColumns(rows, terminal ? { columns, usual: 'built-in' } : {})}\n`;
}

function row(endpoint: ListedEndpoint, chosen: string, world: World): readonly string[] {
  const { name, backend, model, key, problem } = endpoint;
  const source = shownPath(endpoint.source, world);
  const from = problem === undefined ? source : `${source} (${problem})`;
  return [name === chosen ? '*' : ' ', name, backend ?? '-', model ?? '-', key, from].map((cell) =>
    neutralise(cell),
  );
}

function reasons({ chosen, why, steps }: EndpointList, all: boolean): string {
  const lines = (all ? steps : []).map(({ rule, outcome }) => `  ${rule}: ${outcome}\n`);
  return neutralise(`\n${chosen} would be used: ${why}\n${lines.join('')}`, { keepLineEnds: true });
}
