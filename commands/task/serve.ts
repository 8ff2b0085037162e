// Serves tasks of workflows as tools of the Model Context Protocol, over standard input and output or over HTTP.

import { type Call, type CommandSpec, defineCommand, type OptionSpec } from '../../src/cli/spec.ts';
import { usageFailure } from '../../src/errors.ts';
import type { HttpPlace } from '../../src/serve/serve.ts';
import { agentHost } from '../chat/open-agent.ts';
import { storeOptions } from './literals.ts';

/** An empty one would mean every address of the machine. */
function hostName(text: string): string {
  if (/^[\w.:-]+$/.test(text)) return text;
  throw usageFailure('bad-value', `--host takes a name or an address, not "${text}"`);
}

const options: readonly OptionSpec[] = [
  {
    long: 'http',
    joined: true,
    summary: 'Serve over HTTP, at a free port or at the one of --http=PORT',
  },
  {
    long: 'host',
    value: 'address',
    read: hostName,
    summary: 'Listen at this address; without it at 127.0.0.1, for this machine alone',
  },
  {
    long: 'token-env',
    value: 'name',
    summary: 'Take the token of --http from this variable; without it one is made and shown',
  },
  ...storeOptions(', of all calls'),
];

export const command: CommandSpec = defineCommand({
  path: ['task', 'serve'],
  summary: 'Serve tasks of workflows as tools of the Model Context Protocol',
  arguments: [
    {
      name: 'workflow',
      summary: 'A workflow by name or path; in quotes, with a task of it, and with inputs',
      required: true,
      repeat: true,
      complete: 'workflow',
    },
  ],
  options,
  details: [
    'Programs that speak the Model Context Protocol (MCP) start this command and call the tasks as tools. They take it into their list of servers as {"command": "chat", "args": ["task", "serve", "Words"]}. Workflows and the folder of jobs are found from the folder that the program starts it in; where that is not yours to say, name the workflow by its path, and --jobs.',
    'An argument that is more than a workflow is put in quotes and says what "tool:" says in a chat: "Words count" is one task, "Words count text" one of whose inputs only the text can be set, "Words count most=3" one with an input that is fixed and not shown, "Words count noinputs" one whose inputs stay at their defaults.',
    'Each call is a job of the same store that "chat task run" uses: what was computed before, there or here, is only read, with all it depends on. The result comes as text, with a link to the file; the client can read, as resources, the jobs that it was answered with, and no other file. A task that fails, or was given wrong inputs, answers with an error that says why. Equal calls at one time share one run. A call that is cancelled, or whose client left, ends its run with every process of it, unless another call waits for the same job.',
    'Over standard input and output nothing but messages is on standard output: what a workflow prints there goes to standard error, and so do what the programs print that it starts, what is told of jobs, and errors that no task waits for. When standard input is closed, running jobs are stopped as by Ctrl-C, and the exit code is 0. Tasks in TypeScript that do not listen to being stopped are waited for, 8 seconds at most.',
    'With --http clients ask at /mcp, several at a time, with the header "Authorization: Bearer TOKEN". The token that is made is shown once, on standard error. An address that other machines reach needs a token of yours, and no encryption is added: put a proxy before it that does, and that asks here by this address. Requests of web pages from elsewhere are refused.',
    'A client that asks for too much is told: status 413 for a message of more than 64 MiB, 503 with Retry-After while 1000 requests, or 128 MiB of them, wait for their answers. While 64 MiB of answers are unread, a client that reads nothing for some seconds loses its connection, and with 256 MiB those that wait longest do; of 500 sessions the one that was silent longest is closed for a new one.',
  ],
  examples: [
    { command: 'chat task serve Words', does: 'Serves all tasks of a workflow to who started it.' },
    {
      command: "chat task serve Words 'Table find'",
      does: 'Serves a workflow, and one task of another.',
    },
    {
      command: 'chat task serve --http=8931 --token-env WORDS_TOKEN Words',
      does: 'Serves over HTTP at a port of this machine, with a token that the environment holds.',
    },
  ],
  seeAlso: ['chat-task-run(1)', 'chat-task-list(1)', 'chat-workflows(5)'],
  async run(call, world) {
    const { serveTasks } = await import('../../src/serve/serve.ts');
    const [jobs, cpus, http] = [call.text('jobs'), call.value<number>('cpus'), httpPlace(call)];
    const request = {
      words: call.arguments,
      quiet: call.flag('quiet'),
      verbose: call.flag('verbose'),
      ...(jobs === undefined ? {} : { jobs }),
      ...(cpus === undefined ? {} : { cpus }),
      ...(http === undefined ? {} : { http }),
    };
    return serveTasks(request, world, agentHost(world));
  },
});

function httpPlace(call: Call): HttpPlace | undefined {
  const [host, tokenEnv] = [call.text('host'), call.text('token-env')];
  if (!call.flag('http')) {
    const useless = host !== undefined ? '--host' : tokenEnv !== undefined ? '--token-env' : '';
    if (useless === '') return undefined;
    throw usageFailure(
      'option-needs-other',
      `${useless} says something about --http, which is not given`,
      {
        next: `add --http, or leave ${useless} out`,
      },
    );
  }
  return {
    host: host ?? '127.0.0.1',
    port: portOf(call),
    ...(tokenEnv === undefined ? {} : { tokenEnv }),
  };
}

/** 0, which means any free one, when no port is joined to the flag. */
function portOf(call: Call): number {
  const text = call.text('http') ?? '';
  const [loose] = call.arguments.filter((argument) => /^\d+$/.test(argument));
  if (text === '' && loose !== undefined)
    throw usageFailure('bad-value', `"${loose}" stands where a workflow is named`, {
      next: `a port is joined to its option: --http=${loose}`,
    });
  if (text === '') return 0;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text);
  throw usageFailure('bad-value', `--http takes a port from 0 to 65535, not "${text}"`);
}
