// Pictures of what is much longer than it is high, drawn by the programs that draw them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { job } from '../helpers/prov.ts';
import { runCli } from '../helpers/run.ts';

/** A chain of jobs, whole, as the bytes of a file. */
async function drawn(count: number, file: string) {
  const files = Object.assign(
    {},
    ...Array.from({ length: count }, (_, index) => {
      const dependencies = index === 0 ? [] : [`Walk/step/s${index - 1}`];
      return job(`Walk/step/s${index}`, { info: { dependencies } });
    }),
  );
  const argv = ['prov', `Walk/step/s${count - 1}`, '-p', file, '--max-nodes', String(count)];
  const { code, stderr, folder } = await runCli(argv, { files });
  expect(code).toBe(0);
  return { stderr, bytes: readFileSync(join(folder, file)) };
}

const sizeOf = (png: Buffer) => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) });

/** A box with two lines of text is so many pixels high where these can be read, and there is more than that in a picture. */
const LEAST_HEIGHT = 200;

test('a PNG of a long picture was too small to read', async () => {
  const { stderr, bytes } = await drawn(120, 'p.png');
  const { width, height } = sizeOf(bytes);
  expect(width).toBeGreaterThan(8000);
  expect(height).toBeGreaterThan(LEAST_HEIGHT);
  expect(stderr).toBe('');
});

test('a PNG that has to be too small to read says so, and what to do', async () => {
  const { stderr, bytes } = await drawn(300, 'p.png');
  expect(sizeOf(bytes).width).toBeLessThanOrEqual(30_000);
  expect(stderr).toMatch(
    /^the picture is \d+×\d+ pixels large and was made 1\.\d times smaller: .* --depth, --only or --max-nodes show less\n$/,
  );
});

test('a page of a PDF was longer than readers of PDF can show', async () => {
  const { bytes } = await drawn(150, 'p.pdf');
  const [, width, height] =
    /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(bytes.toString('latin1')) ?? [];
  expect(Number(width)).toBe(14_400);
  expect(Number(height)).toBeLessThan(LEAST_HEIGHT);
});
