// Reading a 50 MB chat against splitting the same text into lines and testing each with one header regular expression.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { cleanEnvironment, median } from './measure.ts';
import type { Bench, Row } from './types.ts';

const MEGABYTE = 1_000_000;
const SIZE = 50 * MEGABYTE;

const SHAPES: Readonly<Record<string, (index: number) => string>> = {
  'short messages': (index) =>
    `user:\n\nQuestion number ${index}?\n\nassistant:\n\nAnswer ${index}, in a few words.\n\n`,
  'long answers': (index) =>
    `user:\n\nTell me more of ${index}.\n\nassistant:\n\n${'A line of an answer that says something about it.\n'.repeat(200)}\n`,
  'fences and tags': (index) =>
    `user:\n\n<file name="a${index}">\nkey: value\n${'x = 1\n'.repeat(20)}</file>\n\nassistant:\n\n\`\`\`js\nlabel: for (;;) {}\n\`\`\`\n\\note: not a header\nmeta: pt=1\n\n`,
};

export const readingBench: Bench = {
  name: 'reading',
  async run(root) {
    const folder = mkdtempSync(path.join(tmpdir(), 'scout-bench-'));
    const rows: Row[] = [];
    try {
      for (const [shape, piece] of Object.entries(SHAPES)) {
        const file = path.join(folder, 'big.chat');
        writeFileSync(file, textOf(piece));
        const library = pathToFileURL(path.join(root, 'dist/index.js')).href;
        const runs = Array.from({ length: 3 }, () => ({
          read: child(readProgram(library), file),
          split: child(SPLIT_PROGRAM, file),
        }));
        const read = median(runs.map((run) => run.read.milliseconds));
        const split = median(runs.map((run) => run.split.milliseconds));
        const bytes = median(runs.map((run) => run.read.bytes));
        rows.push(
          {
            name: 'reading',
            measured: `50 MB, ${shape}: ${read.toFixed(0)} ms`,
            against: `split and test: ${split.toFixed(0)} ms`,
            ratio: read / split,
            bound: 2.5,
          },
          {
            name: 'reading',
            measured: `50 MB, ${shape}: ${(bytes / MEGABYTE).toFixed(0)} MB above an empty process`,
            against: 'the text: 50 MB',
            ratio: bytes / SIZE,
            bound: 6,
          },
        );
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return rows;
  },
};

function textOf(piece: (index: number) => string): string {
  const pieces: string[] = [];
  for (let length = 0, index = 0; length < SIZE; index++) {
    const next = piece(index);
    pieces.push(next);
    length += next.length;
  }
  return pieces.join('');
}

// Both programs read the file themselves and measure from the text on; memory is the process's highest mark over its start.
const readProgram = (library: string) => `
  import { readFileSync } from 'node:fs';
  import { parse } from ${JSON.stringify(library)};
  const before = process.memoryUsage.rss();
  const text = new TextDecoder().decode(readFileSync(process.argv[1]));
  const start = performance.now();
  const messages = parse(text, { file: 'big.chat' });
  const milliseconds = performance.now() - start;
  if (messages.length < 100) throw new Error('too few messages');
  console.log(JSON.stringify({ milliseconds, bytes: process.resourceUsage().maxRSS * 1024 - before }));
`;

const SPLIT_PROGRAM = `
  import { readFileSync } from 'node:fs';
  const before = process.memoryUsage.rss();
  const text = new TextDecoder().decode(readFileSync(process.argv[1]));
  const start = performance.now();
  let headers = 0;
  for (const line of text.split('\\n')) if (/^([a-z0-9_]+):(.*)$/.test(line)) headers++;
  const milliseconds = performance.now() - start;
  if (headers < 100) throw new Error('too few headers');
  console.log(JSON.stringify({ milliseconds, bytes: process.resourceUsage().maxRSS * 1024 - before }));
`;

function child(program: string, file: string): { milliseconds: number; bytes: number } {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', program, file],
    {
      env: cleanEnvironment(),
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
