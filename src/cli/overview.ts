// Answers command lines that name no command: the list of commands, a group of them, or what was probably meant.

import { commands } from '../../commands/index.ts';
import { EXIT, type Failure, shellWord, usageFailure } from '../errors.ts';
import { nearestNames } from '../nearest.ts';
import type { World } from '../world/types/world.ts';
import { parseCall } from './arguments.ts';
import { groupHelp, overview } from './help.ts';
import type { CommandSpec } from './spec.ts';
import { versionLine } from './version.ts';
import { commandName } from './words.ts';
import { helpWidth } from './wrap.ts';

/** Shows help, or throws a usage Failure. `words` are the first words of the command line that are not options. */
export async function withoutCommand(
  argv: readonly string[],
  words: readonly string[],
  world: World,
): Promise<number> {
  const [first, second] = words;
  if (first === undefined) return withoutWords(argv, world);
  const help = argv.includes('--help') || argv.includes('-h');
  const group = commands.filter(({ path }) => path.length > 1 && path[0] === first);
  if (group.length === 0) throw unknownCommand(first);
  if (help) return show(groupHelp(first, group, helpWidth(world.output.stdout)), world);
  if (second === undefined)
    throw incomplete(
      first,
      group.map(({ path }) => path.slice(1).join(' ')),
    );
  throw unknownCommand(`${first} ${second}`);
}

async function withoutWords(argv: readonly string[], world: World): Promise<number> {
  const call = await parseCall(BARE, argv);
  if (call.flag('version')) return show(await versionLine(world), world);
  return show(overview(commands, helpWidth(world.output.stdout)), world);
}

const BARE: CommandSpec = {
  path: [],
  summary: '',
  arguments: [],
  options: [],
  details: [],
  examples: [],
  run: async () => EXIT.ok,
};

async function show(text: string, world: World): Promise<number> {
  await world.output.write(text);
  return EXIT.ok;
}

function incomplete(word: string, endings: readonly string[]): Failure {
  return usageFailure(
    'no-command',
    `"${commandName([word])}" needs one of: ${endings.join(', ')}`,
    {
      next: `${commandName([word])} --help`,
    },
  );
}

function unknownCommand(words: string): Failure {
  const [near] = nearestNames(
    words,
    commands.map(({ path }) => path.join(' ')),
  );
  const meant = near === undefined ? undefined : `did you mean "chat ${near}"?`;
  const next = words.endsWith('.chat')
    ? `chat ask ${shellWord(words)}`
    : (meant ?? '"chat --help" lists the commands');
  return usageFailure('unknown-command', `there is no command "chat ${words}"`, { next });
}
