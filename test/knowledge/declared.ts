// Databases that a chat declares as tools, for tests: some tables, and calls of their tools.

import { parse } from '../../src/chat/parse.ts';
import { knowledgeTools } from '../../src/tools/knowledge.ts';
import type { Tool, Warning } from '../../src/types.ts';
import { type Tree, temporaryFolder } from '../helpers/folder.ts';
import { createWorld } from '../helpers/run.ts';

export const FACTORS =
  '#: description=What factors do to genes\n#Factor\tGene\tEffect\tSources\nMYC\tTP53;CDK4\trepresses;activates\t2\nTP53\tCDKN1A\tactivates\t7\n';
export const BINDS = '#: undirected=true\n#Protein\tProtein\tScore\nTP53\tMDM2\t0.99\n';
export const PLAIN = '#A\tB\nx\ty\n';
export const FILES: Tree = {
  'knowledge_base/net/factors.tsv': FACTORS,
  'knowledge_base/net/binds': BINDS,
  'knowledge_base/net/plain.tsv': PLAIN,
  'knowledge_base/net/notes.md': '# not a table\n',
  'knowledge_base/net/README.md': 'All about it.\n\n# plain\n\nThe plain one.\n',
};

export async function declared(chat: string, files: Tree = FILES, folder = temporaryFolder(files)) {
  const warnings: Warning[] = [];
  const tools = await knowledgeTools(parse(chat, { file: 'x.chat' }), createWorld(folder), {
    warn: (each) => warnings.push(each),
  });
  return { tools, warnings, folder, names: tools.map(({ name }) => name) };
}

export const call = async (tools: readonly Tool[], name: string, args: Record<string, unknown>) =>
  (
    await tools
      .find((tool) => tool.name === name)
      ?.call(args, { callId: 'c', chat: [], signal: new AbortController().signal })
  )?.content;
