// One process of the benchmark: `declare`, or `query TIMES ENTITY…`, on the base `net` of the working directory. Prints figures as JSON.

import { readFileSync } from 'node:fs';
import { parse } from '../../src/chat/parse.ts';
import { databasesOf, openBase } from '../../src/knowledge/base.ts';
import { findBase } from '../../src/knowledge/find.ts';
import { withIndex } from '../../src/knowledge/index-file.ts';
import { pairsOf } from '../../src/knowledge/query.ts';
import { knowledgeTools } from '../../src/tools/knowledge.ts';
import { nodeWorld } from '../../src/world/node.ts';

const world = nodeWorld({ signals: false });
const [what = '', count = '9', ...entities] = process.argv.slice(2);
const times: number[] = [];
let found = 0;

const warn = ({ message }: { readonly message: string }) => {
  throw new Error(message);
};

const [database] = await databasesOf(
  await openBase(await findBase('net', world), world),
  ['net'],
  world,
  warn,
);
for (let turn = 0; turn < Number(count); turn++) {
  const started = performance.now();
  if (what === 'declare') {
    found = (await knowledgeTools(parse('kb: net\n'), world, { warn })).length;
  } else if (database !== undefined) {
    const pairs = await withIndex(database, world, { warn }, (index) =>
      pairsOf(index, entities, 'children'),
    );
    found = pairs.map(({ source, target }) => `${source}~${target}`).length;
  }
  times.push(performance.now() - started);
}

/** The native part of a SQLite that was loaded is mapped into the process; that of Node itself keeps the file open while it is used. */
const loaded = readFileSync('/proc/self/maps', 'utf8')
  .split('\n')
  .filter((line) => /better_sqlite3|\.sqlite$/.test(line)).length;
const memory = process.resourceUsage().maxRSS * 1024;
process.stdout.write(JSON.stringify({ times, found, memory, loaded }));
