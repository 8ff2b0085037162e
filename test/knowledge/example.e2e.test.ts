// The worked example of fixtures/knowledge: a chat that looks things up in the genetic code, with a scripted model.

import { cpSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { callsReply } from '../helpers/agents.ts';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import { packageFolder } from '../helpers/built.ts';
import { openaiStream } from '../helpers/openai-replies.ts';

let home: AskHome | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

const SCRIPT = [
  callsReply([
    { name: 'codons', args: { entities: ['UGG'] }, id: 'call_1' },
    { name: 'codons', args: { entities: ['Stop'], reverse: true }, id: 'call_2' },
    { name: 'neighbours', args: { entities: ['UGG'] }, id: 'call_3' },
    { name: 'side_chains', args: { entities: ['Tryptophan'], reverse: true }, id: 'call_4' },
  ]),
  callsReply([
    {
      name: 'neighbours_association_details',
      args: { associations: ['UGG~UAG', 'UGG~UGA'], fields: ['Position', 'Effect'] },
      id: 'call_5',
    },
  ]),
  openaiStream('UGG stands for tryptophan; two single changes make it a stop codon.'),
];

test('a model looks up codons; the answers of the tables are in the file', async () => {
  home = await askHome((_, index) => SCRIPT[index] ?? {});
  cpSync(path.join(packageFolder, 'fixtures/knowledge'), home.folder, {
    recursive: true,
    filter: (file) => !file.endsWith('.sqlite'),
  });
  const run = home.start(['ask', 'genetics.chat']);
  expect([(await run.ended).code, run.stdout()]).toEqual([
    0,
    'UGG stands for tryptophan; two single changes make it a stop codon.\n',
  ]);
  const tools = home.server.requests[0]?.json.tools.map(
    (tool: { function: { name: string } }) => tool.function.name,
  );
  expect(tools).toEqual([
    'codons',
    'codons_association_details',
    'neighbours',
    'neighbours_association_details',
    'side_chains',
  ]);
  const outputs = parse(readFileSync(home.file('genetics.chat'), 'utf8'))
    .filter(({ role }) => role === 'function_call_output')
    .map(({ content }) => JSON.parse(JSON.parse(content).content));
  expect(outputs).toEqual([
    ['UGG~Tryptophan'],
    ['UAA~Stop', 'UAG~Stop', 'UGA~Stop'],
    'AGG CGG GGG UAG UCG UGA UGC UGU UUG'.split(' ').map((codon) => `UGG~${codon}`),
    ['nonpolar~Tryptophan'],
    {
      'UGG~UAG': { Position: '2', Effect: 'nonsense' },
      'UGG~UGA': { Position: '3', Effect: 'nonsense' },
    },
  ]);
});
