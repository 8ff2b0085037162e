// The text views of every case of fixtures/prov, as files that were read by a person. `UPDATE=1` writes them anew.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromDot } from 'ts-graphviz';
import { describe, expect, test } from 'vitest';
import { createClock } from '../../src/world/clock.ts';
import { provCase, provCases } from '../helpers/prov.ts';
import { runCli } from '../helpers/run.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/prov');

const views: readonly (readonly [file: string, options: readonly string[]])[] = [
  ['tree.txt', []],
  ['component.txt', ['-c']],
  ['flow.txt', ['-f']],
  ['evidence.txt', ['-e']],
  ['graph.dot', ['--dot', '-']],
];

/** The day stands in a drawing. */
const clock = { ...createClock(), now: () => new Date('2026-11-30T12:00:00Z') };

describe('each view of each case is the file that was read', () => {
  for (const name of provCases())
    for (const [file, options] of views)
      test(`${name}: ${file}`, async () => {
        const { folder, expected } = provCase(name);
        const { code, stdout: text } = await runCli(['prov', expected.target, ...options], {
          folder,
          world: { clock },
        });
        expect(code).toBe(0);
        const stdout = text.replace(/scout-chat [\d.]+/, 'scout-chat VERSION');
        const place = join(fixtures, name, file);
        if (process.env.UPDATE === '1' || !existsSync(place)) writeFileSync(place, stdout);
        expect(stdout).toBe(readFileSync(place, 'utf8'));
        if (file === 'graph.dot') expect(fromDot(stdout).id).toBe('provenance');
      });
});
