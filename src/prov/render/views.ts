// Writes the views of a report: texts to standard output, one after the other, pictures to their files.

import * as path from 'node:path';
import { asShown, harmlessJson } from '../../terminal/neutralise.ts';
import type { World } from '../../world/types/world.ts';
import { total } from '../totals.ts';
import type { TokenEvent, TokenTotal } from '../types/tokens.ts';
import { costOfTotal, costText } from './costs.ts';
import type { DocumentOptions } from './document.ts';
import type { DrawingOptions } from './drawing.ts';
import type { Report, View } from './report-types.ts';
import type { ShownNode } from './visible.ts';

export async function writeViews(report: Report, world: World): Promise<void> {
  const { views, dot, plot } = report.request;
  for (const [index, view] of views.entries()) {
    if (index > 0) await world.output.write('\n');
    await writePieces(await TEXTS[view](report, world), world);
  }
  if (views.some((view) => !DATA.has(view))) await writePieces(await pricesOf(report), world);
  if (dot !== undefined) await writeDot(dot, report, world);
  if (plot !== undefined) await writePlot(plot, report, world);
}

/** Views for programs: each stands alone. */
export const DATA: ReadonlySet<View> = new Set(['json', 'ndjson', 'csv']);

const PIECE = 1 << 16;

/** Writes what is made piece by piece, and stops making it when nobody reads on. */
async function writePieces(pieces: Iterable<string>, { output }: Pick<World, 'output'>) {
  let waiting = '';
  for (const piece of pieces) {
    waiting += piece;
    if (waiting.length < PIECE) continue;
    await output.write(waiting);
    if (output.closed) return;
    waiting = '';
  }
  if (waiting !== '') await output.write(waiting);
}

const TEXTS: Readonly<Record<View, (report: Report, world: World) => Promise<Iterable<string>>>> = {
  tree: (report) => treeText(report, 'aggregate'),
  component: (report) => treeText(report, 'direct'),
  async flow(report) {
    const { flow } = await import('./flow.ts');
    return flow(report.shown, nodeOptions(report), report.page);
  },
  async evidence({ provenance, request, costs, page }) {
    const { evidence } = await import('./evidence.ts');
    const money = costs && {
      cost: (event: TokenEvent) => costText(costs.sum([event])),
      unpriced: costs.sum(provenance.events).unpriced,
    };
    return evidence(provenance, { long: request.long, ...money }, page);
  },
  async table(report) {
    const { billTable } = await import('./bill-forms.ts');
    return billTable(await billOf(report), report.costs, report.page);
  },
  async csv(report, { output }) {
    const { billCsv } = await import('./bill-forms.ts');
    const rows = billCsv(await billOf(report), report.costs);
    return Array.from(rows, (text) => asShown(text, output.stdout));
  },
  async json(report, world) {
    if (report.request.by !== undefined) return billDocument(report, world);
    const { jsonDocument } = await import('./document.ts');
    return jsonDocument(report.provenance, await documentOptions(report, world));
  },
  async ndjson(report, world) {
    const { jsonLines } = await import('./document.ts');
    return jsonLines(report.provenance, await documentOptions(report, world));
  },
};

async function treeText(report: Report, tokens: 'direct' | 'aggregate'): Promise<Iterable<string>> {
  const { tree } = await import('./tree.ts');
  const { scopeRows, totalRow } = await import('./scopes.ts');
  const { provenance, shown, page, request } = report;
  const { totals, roots, events } = provenance;
  const sum = report.costs?.sum(events);
  const cost = sum && costText(costOfTotal(sum, totals.deduplicated_total));
  const depth = request.depth === undefined ? {} : { depth: request.depth };
  const options = { ...nodeOptions(report), ...depth, tokens, sum: total };
  return (function* () {
    yield* tree(shown, options, page);
    if (roots.length > 1) yield totalRow(totals, cost, page);
    if (tokens === 'aggregate' || totals.receipt_evidence.events === 0) return;
    yield '\n';
    yield* scopeRows(totals, page);
  })();
}

/** How nodes are named, and with `--cost` what they cost. */
function nodeOptions({ request, cwd, costs }: Report) {
  const names = { long: request.long, cwd };
  if (costs === undefined) return names;
  const cost = ({ index }: ShownNode, tokens: 'direct' | 'aggregate'): string => {
    const known = costs.nodes()[index];
    return known === undefined ? '' : costText(known[tokens]);
  };
  return { ...names, cost };
}

/** Which prices a text was made with. */
async function pricesOf({ costs, page }: Report): Promise<Iterable<string>> {
  if (costs === undefined) return [];
  const { priceRows } = await import('./price-rows.ts');
  return ['\n', ...priceRows(costs, page)];
}

async function billOf({ provenance, request }: Report) {
  const { bill } = await import('./bills.ts');
  return bill(provenance, request.by ?? 'day');
}

async function billDocument(report: Report, { clock }: Pick<World, 'clock'>): Promise<string[]> {
  const { billJson } = await import('./bill-forms.ts');
  const { costDocument } = await import('./price-rows.ts');
  const { costs, provenance, request, version } = report;
  const { schema, ...rest } = billJson(await billOf(report), costs);
  const document = {
    schema,
    tool: { name: 'scout-chat', version },
    generated_at: clock.now().toISOString(),
    options: request.written,
    ...rest,
    ...(costs === undefined ? {} : { cost: costDocument(costs, provenance.events) }),
    left_out: provenance.leftOut,
    warnings: provenance.warnings,
  };
  return [`${harmlessJson(document, 2)}\n`];
}

async function documentOptions(
  { request, provenance, costs, version, cwd }: Report,
  { clock }: Pick<World, 'clock'>,
): Promise<DocumentOptions> {
  const { costDocument, eventCostObject } = await import('./price-rows.ts');
  return {
    long: request.long,
    cwd,
    version,
    now: clock.now(),
    options: request.written,
    ...(costs === undefined
      ? {}
      : {
          cost: {
            document: costDocument(costs, provenance.events),
            ofEvent: (event: TokenEvent) => eventCostObject(costs.of(event)),
          },
        }),
  };
}

function drawingOptions({ request, costs, version, cwd }: Report, now: Date): DrawingOptions {
  const { long, only, maxNodes, depth } = request;
  return {
    long,
    cwd,
    only,
    ...(maxNodes === undefined ? {} : { maxNodes }),
    ...(depth === undefined ? {} : { depth }),
    program: `scout-chat ${version}`,
    now,
    ...(costs === undefined
      ? {}
      : {
          cost: (events: readonly TokenEvent[], sum: TokenTotal) =>
            costText(costOfTotal(costs.sum(events), sum)),
        }),
  };
}

async function writeDot(file: string, report: Report, world: World): Promise<void> {
  const { draw } = await import('./drawing.ts');
  const { dot } = await import('./dot.ts');
  const { provenance, shown, cwd } = report;
  const { drawing } = draw(provenance, shown, drawingOptions(report, world.clock.now()));
  const isStream = file === '-';
  const place = path.resolve(cwd, file);
  const text = await dot(drawing, { folder: isStream ? cwd : path.dirname(place) });
  if (isStream) await world.output.write(text);
  else await world.files.write(place, text);
}

async function writePlot(
  { file, format }: NonNullable<Report['request']['plot']>,
  report: Report,
  world: World,
): Promise<void> {
  const { plot } = await import('./plot.ts');
  const { provenance, shown, cwd, request } = report;
  const place = path.resolve(cwd, file);
  const picture = await plot(provenance, shown, world, {
    ...drawingOptions(report, world.clock.now()),
    folder: path.dirname(place),
    format,
    renderer: request.renderer,
    deadline: request.deadline,
    note: (text) => world.output.note(text),
  });
  await world.files.write(place, picture);
}
