// Runs the benchmarks one after the other and prints them as one table. Exit 1 when a ratio is over its bound.

import { appendBench } from './append.ts';
import { arrivalBench } from './arrival.ts';
import { contextBench } from './context.ts';
import { knowledgeBench } from './knowledge.ts';
import { latencyBench } from './latency.ts';
import { produceBench } from './produce.ts';
import { provBench } from './prov.ts';
import { readingBench } from './reading.ts';
import { startBench } from './start.ts';
import { streamBench } from './stream.ts';
import type { Bench, Row } from './types.ts';
import { workflowBench } from './workflow.ts';

const BENCHES: readonly Bench[] = [
  startBench,
  arrivalBench,
  latencyBench,
  readingBench,
  appendBench,
  produceBench,
  provBench,
  workflowBench,
  contextBench,
  streamBench,
  knowledgeBench,
];

export async function runBenchmarks(root: string, names: readonly string[]): Promise<number> {
  const chosen = BENCHES.filter(({ name }) => names.length === 0 || names.includes(name));
  const rows: Row[] = [];
  for (const bench of chosen) {
    process.stderr.write(`${bench.name} …\n`);
    rows.push(...(await bench.run(root)));
  }
  process.stdout.write(table(rows));
  return rows.every(({ ratio, bound }) => ratio <= bound) ? 0 : 1;
}

function table(rows: readonly Row[]): string {
  const cells = [
    ['benchmark', 'measured', 'against', 'ratio', 'bound', ''],
    ...rows.map((row) => [
      row.name,
      row.measured,
      row.against,
      `${row.ratio.toFixed(2)}${row.unit ?? ''}`,
      `${row.bound}${row.unit ?? ''}`,
      row.ratio <= row.bound ? 'ok' : 'OVER',
    ]),
  ];
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  );
  return cells
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
