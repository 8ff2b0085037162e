// Shows a chat as compiling leaves it, the prompt that a model would get, or the exact body of the request. Sends nothing to a provider.

import { prepare, type Settled } from '../../src/ask/prepare.ts';
import { resourcesOf } from '../../src/ask/resources.ts';
import { strategised } from '../../src/ask/strategies.ts';
import type { Ledger, Plan } from '../../src/ask/types/run.ts';
import { warner } from '../../src/ask/warner.ts';
import { decode } from '../../src/chat/decode.ts';
import { parse } from '../../src/chat/parse.ts';
import { print } from '../../src/chat/print.ts';
import { type Call, defineCommand } from '../../src/cli/spec.ts';
import { BACKEND_NAMES } from '../../src/config/builtin.ts';
import { folders } from '../../src/config/folders.ts';
import { shownUrl } from '../../src/config/shown-url.ts';
import type { Endpoint } from '../../src/config/types.ts';
import { EXIT, usageFailure } from '../../src/errors.ts';
import { asShown, harmlessJson, neutralise } from '../../src/terminal/neutralise.ts';
import type { Chat, Warn } from '../../src/types.ts';
import type { World } from '../../src/world/types/world.ts';
import { openAgent } from './open-agent.ts';

export const command = defineCommand({
  path: ['compile'],
  summary: 'Show a compiled chat, its prompt, or the exact request',
  arguments: [
    {
      name: 'file',
      summary: 'The chat file; - reads standard input',
      required: true,
      complete: 'file',
    },
  ],
  options: [
    { long: 'json', summary: 'Print the messages as JSON' },
    {
      long: 'prompt',
      group: 'View',
      summary: 'Show what the model would get: options and bookkeeping taken out',
    },
    {
      long: 'wire',
      group: 'View',
      summary: 'Show the exact body of the request; the address goes to standard error',
    },
    {
      long: 'no-run',
      group: 'Compiling',
      summary: 'Start no task and no MCP server; list what would be run',
    },
    {
      long: 'allow-remote',
      group: 'Compiling',
      summary: 'Let the chat fetch files and imports from http(s) addresses',
    },
    {
      long: 'endpoint',
      short: 'e',
      value: 'name',
      complete: 'endpoint',
      group: 'Model',
      summary: 'The endpoint that the prompt is for',
    },
    {
      long: 'model',
      short: 'm',
      value: 'name',
      complete: 'model',
      group: 'Model',
      summary: 'The model that the request is for',
    },
    {
      long: 'backend',
      short: 'b',
      value: 'name',
      offers: BACKEND_NAMES,
      group: 'Model',
      summary: 'The backend that makes the request',
    },
    {
      long: 'option',
      short: 'o',
      value: 'key=value',
      repeat: true,
      group: 'Model',
      summary: 'Set an option (temperature=0 …)',
    },
  ],
  details: [
    'Compiling puts imports and files in place of their names, applies clear and the like, and leaves options where they stand. Nothing is asked and no key is looked up; with --wire a server on this machine may be asked for the name of its model, and an MCP server whose tools are not known yet is started to list them.',
    '--prompt and --wire show the prompt as the context strategies leave it (chat-endpoints(5)); notes in the inbox stay where they are.',
    'The body of --wire is printed as it would be sent, on one line; on a terminal it is indented. Keys are never part of it.',
    'Names in the chat are tried relative to the chat file, then from the working directory, then below the chats folders. In a folder named by "directory:" names that begin with a dot are left out, every real file comes once, and what is no text is left out with a warning. Limits: 10 MB for a text file or an image, 32 MB for a PDF.',
    'Tasks of the chat (task, inline_task, exec_task) are run, or found among the jobs that are stored, since what comes out of them is part of the chat. With --no-run they are listed on standard error instead.',
  ],
  examples: [
    { command: 'chat compile notes.chat', does: 'Shows the chat with its imports and files.' },
    {
      command: 'chat compile --prompt notes.chat',
      does: 'Shows what the model would get.',
    },
    {
      command: 'chat compile --wire -e openai notes.chat | jq .messages',
      does: 'Looks into the request that would be sent.',
    },
  ],
  seeAlso: ['chat-print(1)', 'chat-ask(1)', 'chat-format(5)', 'chat-endpoints(5)'],
  async run(call, world) {
    if (call.flag('prompt') && call.flag('wire'))
      throw usageFailure('bad-options', '--prompt and --wire are two views: give one of them');
    const warn = warner({ quiet: call.flag('quiet') }, world);
    const ledger: Ledger = { tokens: 0, cost: 0 };
    const settled = await settle(call, world, warn, ledger);
    if (call.flag('wire')) {
      const release = resourcesOf(ledger).hold();
      try {
        await showWire(await settled.plan(), call, world);
      } finally {
        await release();
      }
    } else {
      const chat = call.flag('prompt')
        ? (await strategised(await settled.plan())).messages
        : settled.compiled;
      await world.output.write(
        call.flag('json') ? json(chat) : asShown(print(chat), world.output.stdout),
      );
    }
    return EXIT.ok;
  },
});

async function settle(call: Call, world: World, warn: Warn, ledger: Ledger): Promise<Settled> {
  const name = call.arguments[0] ?? '-';
  const file = name === '-' ? 'standard input' : name;
  const bytes =
    name === '-'
      ? await world.input.read(world.signal)
      : await world.files.read(name, { anyKind: true });
  const stored = parse(decode(bytes, { file, warn }), { file, warn });
  return prepare(stored, world, {
    flags: {
      endpoint: call.text('endpoint'),
      model: call.text('model'),
      backend: call.text('backend'),
      options: call.list('option'),
      allowRemote: call.flag('allow-remote'),
    },
    warn,
    noRun: call.flag('no-run'),
    servers: call.flag('wire'),
    ledger,
    withKey: false,
    agents: openAgent(world),
    ...(name === '-' ? {} : { file }),
  });
}

const json = (chat: Chat): string =>
  `${harmlessJson(
    chat.map(({ role, content }) => ({ role, content })),
    2,
  )}\n`;

async function showWire(plan: Plan, call: Call, world: World): Promise<void> {
  const { loadBackend } = await import('../../src/backends/index.ts');
  const { redactor } = await import('../../src/backends/http/redact.ts');
  const backend = await loadBackend(plan.endpoint.backend);
  const { cache } = await folders(world.env, world.files);
  const request = {
    ...(await strategised(plan)),
    tools: plan.tools,
    endpoint: plan.endpoint,
    attachments: plan.attachments,
    sessionId: plan.sessionId,
    ...(plan.format === undefined ? {} : { format: plan.format }),
  };
  const body = await backend.wire(request, { ...world, cacheFolder: cache });
  const hide = redactor(plan.endpoint);
  const { terminal } = world.output.stdout;
  const text = terminal ? harmlessJson(body, 2) : JSON.stringify(body);
  await world.output.write(`${hide(text)}\n`);
  if (!call.flag('quiet')) world.output.note(hide(describe(plan.endpoint)));
}

/** Where the request would go; of the headers only their names. */
function describe({ name, backend, url, headers }: Endpoint): string {
  const names = Object.keys(headers);
  const place = url === undefined ? '' : `, ${shownUrl(url)}`;
  const more = names.length === 0 ? '' : `, headers: ${names.join(', ')}`;
  return neutralise(`for endpoint ${name} (${backend}${place})${more}`);
}
