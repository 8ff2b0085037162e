// Pictures of chat prov, drawn by the programs that draw them, and the built program in a pipe.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createProcesses } from '../../src/world/processes.ts';
import type { Processes } from '../../src/world/types/processes.ts';
import { shell } from '../helpers/built.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { job } from '../helpers/prov.ts';
import { type RunOptions, runCli } from '../helpers/run.ts';

const NAMES = ['plain', 'a&b<c>"d"', '表計算', 'Ελληνικά', 'Привет', 'مرحبا بالعالم', 'é'];

const STORE = {
  ...Object.assign({}, ...NAMES.map((name) => job(`W/t/${name}`))),
  ...job('W/top/Default', { info: { dependencies: NAMES.map((name) => `W/t/${name}`) } }),
};

const run = (argv: readonly string[], options: RunOptions = {}) =>
  runCli(['prov', 'W/top/Default', ...argv], { files: STORE, ...options });

const bytesOf = (folder: string, file: string) => readFileSync(join(folder, file));

describe('a picture', () => {
  test('as SVG has every name as text, tooltips and links, and nothing that runs', async () => {
    const { code, stdout, stderr, read } = await run(['-p', 'out/p.svg'], {
      files: { ...STORE, 'out/other': '' },
    });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
    const svg = read('out/p.svg') ?? '';
    for (const text of [
      '>W/t plain<',
      '>W/t 表計算<',
      '>W/t a&amp;b&lt;c&gt;&quot;d&quot;<',
      '>W/t مرحبا بالعالم<',
    ])
      expect(svg).toContain(text);
    expect(svg).toContain('xlink:href="../var/jobs/W/t/plain"');
    expect(svg).toMatch(/xlink:title="[^"]*\/var\/jobs\/W\/t\/plain"/);
    expect(svg).toContain('font-family="DejaVu Sans,');
    expect(svg).not.toMatch(/<script|<foreignObject|\son\w+=|href="(?!\.{1,2}\/)/);
  });

  test('as PNG is one', async () => {
    const { code, stderr, folder } = await run(['-p', 'p.png']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const png = bytesOf(folder, 'p.png');
    expect(png.subarray(0, 8)).toEqual(Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]));
    expect(png.readUInt32BE(16)).toBeGreaterThan(400);
  });

  test('as PDF has the fonts of its letters in it', async () => {
    const { code, stderr, folder } = await run(['-p', 'p.pdf']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const pdf = bytesOf(folder, 'p.pdf').toString('latin1');
    expect(pdf).toMatch(/^%PDF-1\.\d/);
    expect(pdf.trimEnd()).toMatch(/%%EOF$/);
    for (const font of ['DejaVuSans', 'DroidSansFallback'])
      expect(pdf).toMatch(new RegExp(`/BaseFont /\\w+\\+${font}\\b`));
  });

  test('as PDF holds its texts as texts', async (context) => {
    if (spawnSync('pdftotext', ['-v']).error) return context.skip('poppler is not installed');
    const { folder } = await run(['-p', 'p.pdf']);
    const { stdout } = spawnSync('pdftotext', [join(folder, 'p.pdf'), '-'], { encoding: 'utf8' });
    for (const text of ['W/t plain', 'W/t a&b<c>"d"', '表計算', 'Ελληνικά', 'Привет', 'workflow W'])
      expect(stdout).toContain(text);
  });

  test('the ending may be written in any case', async () => {
    const { folder } = await run(['--plot', 'P.SVG']);
    expect(bytesOf(folder, 'P.SVG').toString()).toContain('<svg');
  });

  test('says which letters no font has, and draws the rest', async () => {
    const files = {
      ...job('W/t/\u{10a40}x'),
      ...job('W/top/Default', { info: { dependencies: ['W/t/\u{10a40}x'] } }),
    };
    for (const file of ['p.png', 'p.pdf']) {
      const { code, stderr, folder } = await run(['-p', file], { files });
      expect(code).toBe(0);
      // A machine may well have a font for them.
      if (stderr !== '') expect(stderr).toMatch(/^no font here has \u{10a40}: /u);
      expect(bytesOf(folder, file).length).toBeGreaterThan(5000);
    }
    const svg = await run(['-p', 'p.svg'], { files });
    expect(svg.stderr).toBe('');
    expect(svg.read('p.svg')).toContain('\u{10a40}x');
  });

  test('letters that no font of the program has are looked for in the fonts of the user', async () => {
    const font = readFileSync(join(import.meta.dirname, '../../fixtures/fonts/kharoshthi.ttf'));
    const files = {
      ...job('W/t/\u{10a10}x'),
      ...job('W/top/Default', { info: { dependencies: ['W/t/\u{10a10}x'] } }),
      'home/.local/share/fonts/deep/own.ttf': font,
    };
    for (const file of ['p.png', 'p.pdf']) {
      const { stderr, folder } = await run(['-p', file], { files });
      expect(stderr).toBe('');
      if (file === 'p.pdf')
        expect(bytesOf(folder, file).toString('latin1')).toContain('+OwnTestFont');
    }
  });

  test('a broken font among them does no harm', async () => {
    const files = {
      ...STORE,
      ...job('W/t/\u{10a40}'),
      'home/.fonts/bad.ttf': 'no font',
      'home/.fonts/bad.otf': '',
    };
    const { code } = await run(['-p', 'p.png'], { files });
    expect(code).toBe(0);
  });
});

/** Processes of which the first `count` take too long, as far as the caller can tell. */
function late(count: number): Processes & { readonly inputs: string[] } {
  const real = createProcesses(process.env);
  const inputs: string[] = [];
  return {
    inputs,
    open: real.open,
    async run(command, args, options = {}) {
      inputs.push(options.input ?? '');
      if (inputs.length > count) return real.run(command, args, options);
      return { code: null, signal: 'SIGTERM', stdout: '', stderr: '', timedOut: true };
    },
  };
}

describe('a layout that takes too long', () => {
  test('is tried with straight lines, which the picture says', async () => {
    const processes = late(1);
    const { code, stderr, read } = await run(['-p', 'p.svg'], { world: { processes } });
    expect(code).toBe(0);
    expect(stderr).toBe('the layout of 8 boxes took more than 20 s; straight lines are tried\n');
    expect(processes.inputs[1]).toContain('splines = "line"');
    expect(read('p.svg')).toContain('>drawn with straight lines: the usual layout took too long<');
  });

  test('is tried with fewer and fewer boxes, which the picture says', async () => {
    const processes = late(2);
    const { code, stderr, read } = await run(['-p', 'p.svg', '--timeout', '7'], {
      world: { processes },
    });
    expect(code).toBe(0);
    expect(stderr).toBe(
      [
        'the layout of 8 boxes took more than 7 s; straight lines are tried',
        'the layout of 8 boxes took more than 7 s; more nodes are folded into one',
        '',
      ].join('\n'),
    );
    expect(read('p.svg')).toContain('8 nodes drawn as 2');
  });

  test('is given up at last, with what to do, and without a file', async () => {
    const processes = late(99);
    const { code, stderr, read } = await run(['-p', 'p.svg'], { world: { processes } });
    expect(code).toBe(1);
    // Folding that leaves as many boxes was tried again and again, for as long each time.
    expect(processes.inputs).toHaveLength(3);
    expect(stderr).toMatch(
      /error: no layout of \d+ boxe?s? ended within 20 s\n {2}next: show less with --depth/,
    );
    expect(read('p.svg')).toBeUndefined();
  });

  test('is really stopped', async () => {
    const { code, stderr } = await run(['-p', 'p.svg', '--timeout', '0.001']);
    expect(code).toBe(1);
    expect(stderr).toContain('took more than 0.001 s; straight lines are tried');
  });
});

describe('--renderer dot', () => {
  test('draws with the program of the machine', async (context) => {
    if (spawnSync('dot', ['-V']).error) return context.skip('Graphviz is not installed');
    for (const [file, start] of [
      ['p.svg', '<?xml'],
      ['p.png', '\x89PNG'],
      ['p.pdf', '%PDF'],
    ] as const) {
      const { code, folder } = await run(['-p', file, '--renderer', 'dot']);
      expect(code).toBe(0);
      expect(bytesOf(folder, file).toString('latin1').startsWith(start)).toBe(true);
    }
  });

  test('says when there is none', async () => {
    const { code, stderr } = await run(['-p', 'p.svg', '--renderer', 'dot'], {
      env: { PATH: '/nonexistent' },
    });
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /error: there is no program "dot" on the PATH\n {2}next: leave --renderer out/,
    );
  });
});

describe('the built program', () => {
  const chats = Object.fromEntries(
    Array.from({ length: 3000 }, (_, index) => [
      `chats/c${index}.chat`,
      `user:\n\nhi\n\nmeta: pt=1 ct=1 tt=2 inference_id=${index}\n\nassistant:\n\nok\n`,
    ]),
  );

  test('is quiet when its reader goes away', async () => {
    const cwd = temporaryFolder({ ...chats, 'home/': '' });
    for (const view of ['', '--json']) {
      const outcome = await shell(`set -o pipefail; prov chats ${view} | head -1`, {
        cwd,
        env: { HOME: join(cwd, 'home') },
      });
      expect({ ...outcome, stdout: outcome.stdout.split('\n').length }).toEqual({
        code: 0,
        stdout: 2,
        stderr: '',
      });
    }
  });

  test('draws', async () => {
    const cwd = temporaryFolder({ ...STORE, 'home/': '' });
    const outcome = await shell('prov W/top/Default -p p.png && prov W/top/Default -p p.svg -f', {
      cwd,
      env: { HOME: join(cwd, 'home') },
    });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(bytesOf(cwd, 'p.png').length).toBeGreaterThan(5000);
    expect(bytesOf(cwd, 'p.svg').toString()).toContain('W/t 表計算');
  });
});

test('text of every script is drawn as shapes in a PNG, not as empty boxes', async () => {
  // Two names that differ in their letters alone give different pictures only when these are drawn.
  const picture = async (name: string) => {
    const files = job(`W/t/${name}`);
    const { folder } = await runCli(['prov', `W/t/${name}`, '-p', 'p.png'], { files });
    return inkOf(bytesOf(folder, 'p.png'));
  };
  for (const [one, other] of [
    ['表計', '書机'],
    ['مرحب', 'عالم'],
  ] as const)
    expect(await picture(one), one).not.toEqual(await picture(other));
});

/** The pixels of a PNG, as they are packed. */
function inkOf(png: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      pieces.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return inflateSync(Buffer.concat(pieces)).toString('base64');
}
