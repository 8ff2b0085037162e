// Lists knowledge bases, or the databases of one.

import { defineCommand } from '../../src/cli/spec.ts';
import { EXIT } from '../../src/errors.ts';

export const command = defineCommand({
  path: ['kb', 'list'],
  summary: 'List the knowledge bases, or the databases of one',
  arguments: [
    { name: 'name', summary: 'Only this one: its name, or its path', complete: 'knowledge' },
  ],
  options: [{ long: 'json', summary: 'Print JSON' }],
  details: [
    'A knowledge base is a folder of tables. It is looked for in the folders knowledge_base, var/knowledge_base and share/knowledge_base of the working directory, of your own folder and of the package, then in agents of its name. A name with a slash is a path.',
    'Only the beginnings of tables are read. A table that cannot be used is told on standard error and hides no other.',
  ],
  examples: [
    { command: 'chat kb list', does: 'Shows every knowledge base.' },
    { command: 'chat kb list genetic_code', does: 'Shows the databases of one.' },
  ],
  seeAlso: ['chat-kb-show(1)', 'chat-kb-query(1)', 'chat-knowledge(5)'],
  async run(call, world) {
    const { showList } = await import('../../src/knowledge/show.ts');
    const { warner } = await import('../../src/ask/warner.ts');
    const warn = warner({ quiet: call.flag('quiet') }, world);
    await showList(call.arguments[0], call.flag('json'), world, warn);
    return EXIT.ok;
  },
});
