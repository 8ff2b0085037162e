// From arguments and a world to an exit code. Touches nothing of the process, so tests run it as it is.

import { commands } from '../../commands/index.ts';
import { EXIT } from '../errors.ts';
import type { World } from '../world/types/world.ts';
import { parseCall } from './arguments.ts';
import { route } from './route.ts';
import type { Call } from './spec.ts';
import { adapt } from './view.ts';

/** Runs one command line (without the name of the program). Resolves with the exit code, never rejects. */
export async function main(argv: readonly string[], world: World): Promise<number> {
  const style = { json: asks(argv, '--json'), debug: asks(argv, '--debug') };
  try {
    return await dispatch(argv, world);
  } catch (error) {
    const { report } = await import('./report.ts');
    return report(error, colouredAsAsked(argv, world).output, style);
  }
}

async function dispatch(argv: readonly string[], world: World): Promise<number> {
  const { row, rest, words } = route(argv, commands);
  if (row === undefined) {
    const { withoutCommand } = await import('./overview.ts');
    return withoutCommand(argv, words, world);
  }
  const literal = await row.load();
  const spec = (await literal.forArguments?.(rest, world)) ?? literal;
  const call = await parseCall(spec, rest);
  const view = adapt(world, call.text('color'), call.flag('quiet'));
  return (await answerAside(call, spec, view)) ?? (await spec.run(call, view));
}

/** `--help` and `--version`, which end the work before it begins. */
async function answerAside(
  call: Call,
  spec: Parameters<typeof parseCall>[0],
  world: World,
): Promise<number | undefined> {
  if (call.flag('help')) {
    const { commandHelp } = await import('./help.ts');
    const { helpWidth } = await import('./wrap.ts');
    const { neutralise } = await import('../terminal/neutralise.ts');
    const help = commandHelp(spec, helpWidth(world.output.stdout));
    // What a task says of itself comes from the file of its workflow.
    await world.output.write(neutralise(help, { keepLineEnds: true }));
    return EXIT.ok;
  }
  if (!call.flag('version')) return undefined;
  const { versionLine } = await import('./version.ts');
  await world.output.write(await versionLine(world));
  return EXIT.ok;
}

/** Whether a flag stands on the command line, for failures that come before it could be parsed. */
function asks(argv: readonly string[], flag: string): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes(flag);
}

function colouredAsAsked(argv: readonly string[], world: World): World {
  const place = argv.indexOf('--color');
  const inline = argv.find((argument) => argument.startsWith('--color='))?.slice(8);
  return adapt(world, inline ?? (place < 0 ? undefined : argv[place + 1]), false);
}
