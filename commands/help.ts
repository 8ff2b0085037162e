// Shows help for commands and topics, and writes the manual pages. Makes its literal from the table, so that the two do not import each other.

import { type CommandRow, type CommandSpec, defineCommand } from '../src/cli/spec.ts';
import { TOPICS } from '../src/cli/topics.ts';
import { commandName, pageName } from '../src/cli/words.ts';
import type { World } from '../src/world/types/world.ts';

/** The `help` command over a table of commands. */
export function helpCommand(rows: readonly CommandRow[]): CommandSpec {
  return defineCommand({
    path: ['help'],
    summary: 'Show help for a command or a topic, or write the manual pages',
    arguments: [
      {
        name: 'command',
        summary: `Words of a command, or a topic: ${TOPICS.map(([name]) => name).join(', ')}`,
        offers: [
          ...new Set([
            ...rows.map(({ path: [word = ''] }) => word),
            ...TOPICS.map(([name]) => name),
          ]),
        ],
        repeat: true,
      },
    ],
    options: [
      {
        long: 'man',
        value: 'folder',
        complete: 'folder',
        summary: 'Write every manual page into this folder',
      },
      { long: 'markdown', summary: 'Print the reference of all commands as Markdown' },
    ],
    details: [
      'Without a name it lists the commands. With the words of a command it shows what "chat <command> --help" shows; with a topic it shows a page of the manual as plain text, which needs no manual program.',
    ],
    examples: [
      { command: 'chat help endpoint list', does: 'all about one command' },
      { command: 'chat help format', does: 'how a chat file is written' },
      { command: 'chat help --man man', does: 'renew the manual pages below man/' },
    ],
    seeAlso: ['chat-format(5)', 'chat-endpoints(5)', 'chat-errors(7)'],
    async run(call, world) {
      const folder = call.text('man');
      if (folder !== undefined) return writePages(folder, rows, world);
      await world.output.write(
        call.flag('markdown') ? await reference(rows) : await helpText(call.arguments, rows, world),
      );
      return 0;
    },
  });
}

async function helpText(
  words: readonly string[],
  rows: readonly CommandRow[],
  world: World,
): Promise<string> {
  const { commandHelp, groupHelp, overview } = await import('../src/cli/help.ts');
  const { helpWidth } = await import('../src/cli/wrap.ts');
  const width = helpWidth(world.output.stdout);
  const name = words.join(' ');
  if (name === '') return overview(rows, width);
  const row = rows.find(({ path }) =>
    [path.join(' '), commandName(path), pageName(path), `${pageName(path)}(1)`].includes(name),
  );
  if (row !== undefined) return commandHelp(await row.load(), width);
  const group = rows.filter(({ path }) => path.length > 1 && path[0] === name);
  if (group.length > 0) return groupHelp(name, group, width);
  const { topic } = await import('../src/cli/man.ts');
  return topic(name, rows, world, width);
}

async function reference(rows: readonly CommandRow[]): Promise<string> {
  const { markdownReference } = await import('../src/cli/markdown.ts');
  return markdownReference(await Promise.all(rows.map((row) => row.load())));
}

async function writePages(
  folder: string,
  rows: readonly CommandRow[],
  world: World,
): Promise<number> {
  const { manualPages } = await import('../src/cli/man.ts');
  const pages = await manualPages(rows, world);
  for (const [name, text] of pages) await world.files.write(`${folder}/${name}`, text);
  world.output.note(`wrote ${pages.size} pages to ${folder}`);
  return 0;
}
