// Shows what a knowledge base is made of, or one of its databases.

import { defineCommand } from '../../src/cli/spec.ts';
import { EXIT } from '../../src/errors.ts';

export const command = defineCommand({
  path: ['kb', 'show'],
  summary: 'Show a knowledge base: its databases, what they hold and where they are',
  arguments: [
    {
      name: 'name',
      summary: 'The knowledge base: its name, or its path',
      required: true,
      complete: 'knowledge',
    },
    { name: 'database', summary: 'Only this one' },
  ],
  options: [{ long: 'json', summary: 'Print JSON' }],
  details: [
    'The number of associations is known once a table was indexed, which the first query does. Lines of a table that did not fit are told here, too.',
  ],
  examples: [
    { command: 'chat kb show genetic_code', does: 'Shows a knowledge base.' },
    {
      command: 'chat kb show genetic_code codons --json | jq .fields',
      does: 'Prints the fields of a database.',
    },
  ],
  seeAlso: ['chat-kb-list(1)', 'chat-kb-query(1)', 'chat-knowledge(5)'],
  async run(call, world) {
    const { showBase } = await import('../../src/knowledge/show.ts');
    const { warner } = await import('../../src/ask/warner.ts');
    const [name = '', database] = call.arguments;
    const warn = warner({ quiet: call.flag('quiet') }, world);
    await showBase(name, database, call.flag('json'), world, warn);
    return EXIT.ok;
  },
});
