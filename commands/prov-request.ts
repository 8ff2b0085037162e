// From the options of a provenance report to what is asked of it. Options that would have no effect are refused.

import * as path from 'node:path';
import type { Call } from '../src/cli/spec.ts';
import { usageFailure } from '../src/errors.ts';
import type { ReportRequest, View } from '../src/prov/render/report-types.ts';

const FORMATS = ['svg', 'png', 'pdf'] as const;
type Format = (typeof FORMATS)[number];

const SECOND = 1000;

/** Rejects with a usage Failure for options that contradict each other, or that nothing would heed. */
export async function requestOf(call: Call): Promise<ReportRequest> {
  const plot = call.text('plot');
  const given = { dot: call.text('dot'), by: call.text('by') as ReportRequest['by'] };
  const views = viewsOf(call);
  checkHeeded(call, views);
  return {
    paths: call.arguments,
    views,
    ...defined({
      by: given.by,
      dot: given.dot,
      plot: plot === undefined ? undefined : { file: plot, format: formatOf(plot) },
      depth: call.value<number>('depth'),
      maxNodes: call.value<number>('max-nodes'),
    }),
    long: call.flag('long'),
    strict: call.flag('strict'),
    cost: call.flag('cost'),
    cache: !call.flag('no-cache'),
    times: await timesOf(call),
    written: {
      paths: call.arguments,
      since: call.text('since') ?? null,
      until: call.text('until') ?? null,
    },
    only: call.list('only'),
    renderer: call.text('renderer') === 'dot' ? 'dot' : 'wasm',
    deadline: (call.value<number>('timeout') ?? 20) * SECOND,
  };
}

/** Without what is undefined. */
function defined<Fields extends object>(fields: Fields) {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as { [Name in keyof Fields]?: NonNullable<Fields[Name]> };
}

/** Views for programs, each of which must be all of standard output. */
const DATA = ['json', 'ndjson', 'csv'] as const;

function viewsOf(call: Call): readonly View[] {
  const texts = (['component', 'flow', 'evidence'] as const).filter((name) => call.flag(name));
  const data = DATA.filter((name) => call.flag(name));
  const table = call.text('by') !== undefined;
  if (data.includes('csv') && !table)
    throw usageFailure(
      'options-conflict',
      '--csv is a form of the table of --by, which is missing',
      {
        next: 'add --by day, model, agent or workflow',
      },
    );
  if (data.includes('ndjson') && table) throw mixed('ndjson', 'by');
  const [form, other] = data;
  if (form === undefined)
    return texts.length > 0 || table
      ? [...texts, ...(table ? (['table'] as const) : [])]
      : usual(call);
  if (other !== undefined) throw mixed(form, other);
  if (texts[0] !== undefined) throw mixed(form, texts[0]);
  if (call.text('dot') === '-') throw mixed(form, 'dot -');
  return [form];
}

/** The tree, unless a file is all that was asked for. */
const usual = (call: Call): readonly View[] =>
  call.text('dot') === undefined && call.text('plot') === undefined ? ['tree'] : [];

const mixed = (form: string, other: string) =>
  usageFailure('options-conflict', `--${form} cannot share standard output with --${other}`, {
    next: 'run the command twice; --dot FILE and --plot FILE may stand beside any view',
  });

/** Options that are about a picture, or about how it is laid out. */
const OF_PICTURES = ['only', 'max-nodes'] as const;
const OF_LAYOUTS = ['renderer', 'timeout'] as const;

function checkHeeded(call: Call, views: readonly View[]): void {
  const isGiven = (name: string): boolean =>
    call.value(name) !== undefined || call.list(name).length > 0;
  const unheeded = (name: string, about: string, next: string) =>
    usageFailure('options-conflict', `--${name} is about ${about}, which is not asked for`, {
      next,
    });
  const [isDrawn, isPlotted] = [isGiven('dot') || isGiven('plot'), isGiven('plot')];
  const plot = 'add --plot FILE';
  for (const name of OF_LAYOUTS)
    if (isGiven(name) && !isPlotted) throw unheeded(name, 'a picture', plot);
  for (const name of OF_PICTURES)
    if (isGiven(name) && !isDrawn) throw unheeded(name, 'a picture', `${plot} or --dot FILE`);
  const isTree = views.includes('tree') || views.includes('component');
  if (isGiven('depth') && !isDrawn && !isTree)
    throw unheeded('depth', 'the tree or a picture', `add -c, ${plot.slice(4)} or --dot FILE`);
}

function formatOf(file: string): Format {
  const ending = path.extname(file).slice(1).toLowerCase();
  const format = FORMATS.find((each) => each === ending);
  if (format !== undefined) return format;
  throw usageFailure('bad-picture', `cannot draw "${file}": its ending says no known format`, {
    next: `name it ${FORMATS.map((each) => `FILE.${each}`).join(', ')}, or use --dot for DOT`,
  });
}

async function timesOf(call: Call): Promise<ReportRequest['times']> {
  const [since, until] = [call.text('since'), call.text('until')];
  if (since === undefined && until === undefined) return {};
  const { readTime } = await import('../src/prov/time.ts');
  const times = defined({
    since: since === undefined ? undefined : readTime(since, 'since'),
    until: until === undefined ? undefined : readTime(until, 'until'),
  });
  if ((times.since ?? -Infinity) < (times.until ?? Infinity)) return times;
  throw usageFailure('bad-time', `--since "${since}" is not before --until "${until}"`);
}
