// One report as it was asked for: reads the evidence once, then writes each view of it where it belongs. Warnings come last, each once.

import * as path from 'node:path';
import { folders } from '../../config/folders.ts';
import { EXIT, type Failure, usageFailure } from '../../errors.ts';
import { neutralise } from '../../terminal/neutralise.ts';
import type { Warning } from '../../types.ts';
import type { Output } from '../../world/types/streams.ts';
import type { World } from '../../world/types/world.ts';
import { provenance } from '../collect.ts';
import { addressText } from '../problems.ts';
import { jobReferenceFolders } from '../roots.ts';
import type { Provenance } from '../types/graph.ts';
import type { ProvenanceWarning } from '../types/warnings.ts';
import type { Costs } from './costs.ts';
import { counted } from './numbers.ts';
import type { ReportRequest } from './report-types.ts';
import { type Page, PLAIN_PAGE } from './rows.ts';
import { unfitting } from './selection.ts';
import { writeViews } from './views.ts';
import { visible } from './visible.ts';

/** Resolves with the exit code: 0, also with warnings; 1 with `strict` when there are any. Nothing to report on is a usage Failure (exit 2). */
export async function report(
  request: ReportRequest,
  world: World,
  version: string,
): Promise<number> {
  const found = await collected(request, world, version);
  if (found.roots.length === 0) throw nothing(found.warnings);
  const told: Warning[] = [];
  const costs = request.cost
    ? await costsOf(found, world, (warning) => void told.push(warning))
    : undefined;
  const shown = visible(found);
  for (const word of unfitting(shown.nodes, request.only))
    told.push({ code: 'nothing-fits', message: `nothing here fits --only "${word}"` });
  const page = await pageOf(world.output);
  await writeViews(
    { request, provenance: found, shown, costs, page, version, cwd: world.cwd },
    world,
  );
  tellProblems(found, told, world);
  return request.strict && found.warnings.length > 0 ? EXIT.work : EXIT.ok;
}

async function collected(
  { paths, times, cache }: ReportRequest,
  world: World,
  version: string,
): Promise<Provenance> {
  const { files, locks, cwd, env, clock, workers } = world;
  const jobFolders = await jobReferenceFolders(world);
  const folder = path.join((await folders(env, files)).cache, 'prov');
  const index = cache ? { index: { folder, files, clock, version } } : {};
  return provenance(paths, { files, locks, cwd, jobFolders, workers }, { times, ...index });
}

async function costsOf(
  found: Provenance,
  world: World,
  warn: (warning: Warning) => void,
): Promise<Costs> {
  const { readPrices } = await import('./prices.ts');
  const { costs } = await import('./costs.ts');
  return costs(found, await readPrices(world, warn));
}

/** A terminal has a width and may have styles; in a pipe nothing is changed. */
async function pageOf({ stdout }: Output): Promise<Page> {
  const page = { ...PLAIN_PAGE, columns: stdout.terminal ? stdout.columns : undefined };
  if (!stdout.colour) return page;
  const { Chalk } = await import('chalk');
  const { painter } = await import('../../terminal/spans.ts');
  return { ...page, paint: painter(new Chalk({ level: 1 })) };
}

/** Of three thousand names that a shell made, the first few say what is wrong. */
const LISTED = 5;

function nothing(warnings: readonly ProvenanceWarning[]): Failure {
  const [first, ...others] = warnings;
  return usageFailure('nothing-found', first?.message ?? 'there is nothing to report on', {
    detail: [
      ...others.slice(0, LISTED).map(({ message }) => message),
      ...(others.length > LISTED ? [`and ${others.length - LISTED} more`] : []),
    ],
    next: 'name a chat, a job (the path of its result, or Workflow/task/name), or a folder with some',
  });
}

function tellProblems(
  { warnings, leftOut }: Provenance,
  told: readonly Warning[],
  { output, cwd }: Pick<World, 'output' | 'cwd'>,
): void {
  const lines = new Set([
    ...warnings.map((warning) => warningLine(warning, cwd)),
    ...told.map(({ message }) => `warning: ${message}`),
  ]);
  for (const line of lines) output.note(neutralise(line));
  if (leftOut.untimed > 0)
    output.note(`note: ${counted(leftOut.untimed, 'request')} without a time left out`);
}

/** `warning: what (where)`; what lies below the working directory is named from there. */
function warningLine({ message, address, source }: ProvenanceWarning, cwd: string): string {
  const place = address === null ? source : addressText(address);
  if (place === null || message.includes(place)) return `warning: ${message}`;
  const below = place.startsWith(cwd + path.sep) ? place.slice(cwd.length + 1) : place;
  return `warning: ${message} (${below})`;
}
