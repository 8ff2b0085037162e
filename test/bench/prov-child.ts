// One measured program of the provenance benchmark: finds and reads files and does nothing else, or walks a store. Prints its figures as JSON.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { collect } from '../../src/prov/collect.ts';
import { tokenEvents } from '../../src/prov/events.ts';
import { nodeTotals } from '../../src/prov/node-totals.ts';
import { findRoots } from '../../src/prov/roots.ts';
import { createClock } from '../../src/world/clock.ts';
import { createFiles } from '../../src/world/files.ts';
import { createLocks } from '../../src/world/lock.ts';
import { createWorkers } from '../../src/world/workers.ts';

const [what = '', place = '', program = '', indexFolder] = process.argv.slice(2);

async function walk(): Promise<object> {
  const files = createFiles();
  const workers = createWorkers(program);
  const ports = { files, locks: createLocks(), jobFolders: [], cwd: '/', workers };
  const index =
    indexFolder === undefined
      ? {}
      : { index: { folder: indexFolder, files, clock: createClock() } };
  const started = performance.now();
  const graph = await collect(await findRoots([place], ports), ports, index);
  const events = tokenEvents(graph.nodes);
  const walked = performance.now();
  const totals = nodeTotals(graph, events);
  return {
    walk: walked - started,
    totals: performance.now() - walked,
    events: events.length,
    jobs: graph.nodes.filter(({ kind }) => kind === 'job').length,
    tokens: totals[0]?.aggregate.tokens.tt,
    files: graph.nodes.map(({ kind, path }) => (kind === 'job' ? `${path}.info` : path)),
  };
}

/** The files of a list, after the folders of the store were gone through as whoever does not know them has to. */
function read(): object {
  const list: readonly string[] = JSON.parse(readFileSync(place, 'utf8'));
  const started = performance.now();
  let names = 0;
  const open = [dirname(list[0] ?? '')];
  for (const folder of open)
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) open.push(join(folder, entry.name));
      else names++;
    }
  const found = performance.now();
  let length = 0;
  for (const file of list) length += readFileSync(file).length;
  return { find: found - started, read: performance.now() - found, names, length };
}

const figures = what === 'read' ? read() : await walk();
process.stdout.write(JSON.stringify({ ...figures, bytes: process.resourceUsage().maxRSS * 1024 }));
