// Finds the associations of entities in a database of a knowledge base.

import { defineCommand } from '../../src/cli/spec.ts';
import { EXIT, usageFailure } from '../../src/errors.ts';

export const command = defineCommand({
  path: ['kb', 'query'],
  summary: 'Find what is associated with entities in a knowledge base',
  arguments: [
    {
      name: 'name',
      summary: 'The knowledge base: its name, or its path',
      required: true,
      complete: 'knowledge',
    },
    { name: 'database', summary: 'One of its databases', required: true },
    {
      name: 'entity',
      summary: 'What to look for; - reads entities from standard input, one a line',
      repeat: true,
    },
  ],
  options: [
    { long: 'children', summary: 'Find the targets of these sources (the default)' },
    { long: 'parents', summary: 'Find the sources of these targets' },
    {
      long: 'fields',
      value: 'names',
      mayBeEmpty: true,
      summary: 'Only these fields, with commas between; "" for none',
    },
    { long: 'json', summary: 'Print JSON' },
  ],
  details: [
    'Each association is a row with both ends and its fields: in columns on a terminal, as a table with tabs (and a # header, so that it is a table of associations itself) everywhere else. Rows follow the order of the entities, then the name of the other end. In an undirected database the entity is always in the first column.',
    'The first query of a table makes an index beside it, or in the cache folder where that cannot be written; a table that changed is indexed again. What is not found is noted on standard error; the exit status is 0 all the same.',
  ],
  examples: [
    {
      command: 'chat kb query genetic_code codons AUG UGG',
      does: 'Shows what two codons stand for.',
    },
    {
      command: 'chat kb query genetic_code codons --parents Leucine --fields ""',
      does: 'Shows the codons of an amino acid.',
    },
    {
      command: 'cut -f 1 codons.txt | chat kb query genetic_code codons - > found.tsv',
      does: 'Looks up the first column of a file.',
    },
  ],
  seeAlso: ['chat-kb-show(1)', 'chat-knowledge(5)'],
  async run(call, world) {
    const { showQuery } = await import('../../src/knowledge/show-query.ts');
    const { note, warner } = await import('../../src/ask/warner.ts');
    if (call.flag('parents') && call.flag('children'))
      throw usageFailure('options-conflict', '--parents and --children exclude each other');
    const [base = '', database = '', ...entities] = call.arguments;
    const quiet = { quiet: call.flag('quiet') };
    const fields = call.text('fields');
    await showQuery(
      {
        base,
        database,
        entities,
        direction: call.flag('parents') ? 'parents' : 'children',
        fields: fields
          ?.split(',')
          .map((field) => field.trim())
          .filter((field) => field !== ''),
        json: call.flag('json'),
      },
      world,
      { warn: warner(quiet, world), note: (text) => note(quiet, world, text) },
    );
    return EXIT.ok;
  },
});
