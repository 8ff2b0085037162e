// Prints the completion script of a shell, and the names that such a script asks for. Writes no file.

import { LISTED, type Listed, SHELLS, type Shell } from '../src/cli/completion-offers.ts';
import { type Call, type CommandRow, type CommandSpec, defineCommand } from '../src/cli/spec.ts';
import { usageFailure } from '../src/errors.ts';
import type { World } from '../src/world/types/world.ts';

/** The `completion` command over a table of commands. */
export function completionCommand(rows: readonly CommandRow[]): CommandSpec {
  return defineCommand({
    path: ['completion'],
    summary: 'Print the script that makes a shell complete commands, options and names',
    arguments: [{ name: 'shell', summary: 'bash, zsh or fish', choices: SHELLS }],
    options: [
      {
        long: 'list',
        value: 'kind',
        choices: LISTED,
        summary: 'Print the names that can be completed, a line each',
      },
    ],
    details: [
      'The script is made from the same definitions as the help. It completes chat and its short forms agent and prov: commands, options, their values, chat files, and the names of endpoints, models, agents, workflows and knowledge bases.',
      'To have it in every shell, write it where the shell looks for such scripts (make the folder first where it is missing):',
      '    chat completion bash > ~/.local/share/bash-completion/completions/chat\n    chat completion zsh > ~/.zfunc/_chat    # a folder of $fpath\n    chat completion fish > ~/.config/fish/completions/chat.fish',
      'For the short forms bash and fish look for files of their names: links from agent and prov (agent.fish, prov.fish) to that file do.',
    ],
    examples: [
      {
        command: 'source <(chat completion bash)',
        does: 'complete in this bash, or this zsh with "zsh"',
      },
      { command: 'chat completion fish | source', does: 'complete in this fish' },
      { command: 'chat completion --list endpoint', does: 'the endpoints by name' },
    ],
    seeAlso: ['chat-endpoint-list(1)', 'chat-model-list(1)'],
    async run(call, world) {
      const what = LISTED.find((each) => each === call.text('list'));
      await world.output.write(
        what === undefined ? await script(call, rows, world) : await names(what, world),
      );
      return 0;
    },
  });
}

async function script(call: Call, rows: readonly CommandRow[], world: World): Promise<string> {
  const shell = SHELLS.find((each) => each === call.arguments[0]);
  if (shell === undefined)
    throw usageFailure('missing-argument', 'chat completion needs the name of a shell', {
      next: `chat completion ${ownShell(world)}`,
    });
  const { completionScript } = await import('../src/cli/completion.ts');
  return completionScript(shell, await Promise.all(rows.map((row) => row.load())));
}

function ownShell({ env }: World): Shell {
  const name = env.SHELL?.split('/').at(-1);
  return SHELLS.find((shell) => shell === name) ?? 'bash';
}

async function names(what: Listed, world: World): Promise<string> {
  const found = await NAMES[what](world);
  const { asShown } = await import('../src/terminal/neutralise.ts');
  return asShown(found.map((name) => `${name}\n`).join(''), world.output.stdout);
}

async function endpointNames(world: World): Promise<readonly string[]> {
  const config = await import('../src/config/definitions.ts');
  return config.endpointNames(world);
}

/** Those that can be pulled and those that are. */
async function modelNames({ env, files }: World): Promise<readonly string[]> {
  const { folders } = await import('../src/config/folders.ts');
  const { CATALOGUE } = await import('../src/models/catalogue.ts');
  const { listInstalled } = await import('../src/models/installed.ts');
  const { modelsFolder } = await import('../src/models/places.ts');
  const installed = await listInstalled(modelsFolder(await folders(env, files)), files);
  return [...new Set([...CATALOGUE, ...installed].map(({ name }) => name))].sort();
}

async function agentNames(world: World): Promise<readonly string[]> {
  const { listAgents } = await import('../src/agents/find.ts');
  return (await listAgents(world)).map(({ name }) => name);
}

async function workflowNames(world: World): Promise<readonly string[]> {
  const workflows = await import('../src/workflows/find.ts');
  return workflows.workflowNames(world);
}

async function knowledgeNames(world: World): Promise<readonly string[]> {
  const { listBases } = await import('../src/knowledge/find.ts');
  return (await listBases(world)).map(({ name }) => name);
}

const NAMES: Readonly<Record<Listed, (world: World) => Promise<readonly string[]>>> = {
  endpoint: endpointNames,
  model: modelNames,
  agent: agentNames,
  workflow: workflowNames,
  knowledge: knowledgeNames,
};
