import { describe, expect, test } from 'vitest';
import { progressBar, size } from '../../src/terminal/progress.ts';
import { statusLine } from '../../src/terminal/status.ts';
import { screen } from './screen.ts';

/** Standard error of a terminal or a pipe, and a clock that is set by hand. */
function world({ terminal = true, colour = true, columns = 40 } = {}) {
  let text = '';
  let now = 5000;
  return {
    output: {
      note: (line: string) => {
        text += `${line}\n`;
      },
      noteRaw: (raw: string) => {
        text += raw;
      },
      stderr: { terminal, colour, columns },
    },
    clock: { monotonic: () => now },
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    text: () => text,
    rows: () => screen(text, columns),
  };
}

describe.each([
  ['with sequences', true],
  ['without', false],
])('a status line on a terminal, %s', (_name, colour) => {
  test('shows what is done and for how long, on one row', () => {
    const { output, clock, pass, rows } = world({ colour });
    const status = statusLine(output, clock);
    status.set('asking local');
    expect(rows()).toEqual(['⠋ asking local']);
    pass(3200);
    status.set('asking local');
    expect(rows()).toEqual(['⠋ asking local 3 s']);
    status.set('running ls');
    expect(rows()).toEqual(['⠋ running ls']);
    status.end();
    expect(rows()).toEqual(['']);
  });

  test('a note stands above it', () => {
    const { output, clock, rows } = world({ colour });
    const status = statusLine(output, clock);
    status.set('asking local');
    status.note('busy');
    expect(rows()).toEqual(['busy', '⠋ asking local']);
    status.clear();
    status.note('done');
    expect(rows()).toEqual(['busy', 'done', '']);
  });

  test('nothing is left of it when something else is written', () => {
    const { output, clock, rows } = world({ colour });
    const status = statusLine(output, clock);
    status.set('a longer text');
    status.clear();
    status.clear();
    output.noteRaw('x');
    expect(rows()).toEqual(['x']);
  });

  test('counts down', () => {
    const { output, clock, pass, rows } = world({ colour });
    const status = statusLine(output, clock);
    status.countdown('busy, asking again', 12_000);
    expect(rows()).toEqual(['⠋ busy, asking again, in 12 s']);
    pass(11_500);
    status.note('still');
    expect(rows()).toEqual(['still', '⠋ busy, asking again, in 1 s']);
    status.end();
  });

  test('is harmless and never longer than the row', () => {
    const { output, clock, rows, text } = world({ colour, columns: 20 });
    const status = statusLine(output, clock);
    status.set('x \x1b[31m\nand a text that is too long');
    status.end();
    expect(text()).not.toContain('\x1b[31m');
    expect(rows()).toEqual(['']);
  });

  test('does nothing after its end', () => {
    const { output, clock, rows } = world({ colour });
    const status = statusLine(output, clock);
    status.set('a');
    status.end();
    status.end();
    status.set('b');
    status.countdown('c', 1000);
    status.clear();
    status.note('n');
    expect(rows()).toEqual(['n', '']);
  });

  test.each([0, 1, 2])('in %i columns it does no harm', (columns) => {
    const { output, clock, text } = world({ colour, columns });
    const status = statusLine(output, clock);
    status.set('asking');
    status.end();
    expect(text()).not.toContain('as');
  });
});

describe('a status line elsewhere', () => {
  test('tells only waits and notes, each in one line', () => {
    const { output, clock, text } = world({ terminal: false });
    const status = statusLine(output, clock);
    status.set('asking');
    status.countdown('busy, asking again', 1500);
    status.note('cached');
    status.clear();
    status.end();
    expect(text()).toBe('busy, asking again, in 2 s\ncached\n');
  });

  test.each([true, false])('quiet tells nothing (terminal: %s)', (terminal) => {
    const { output, clock, text } = world({ terminal });
    const status = statusLine(output, clock, { quiet: true });
    status.set('asking');
    status.countdown('busy', 1500);
    status.note('cached');
    status.end();
    expect(text()).toBe('');
  });
});

describe('a progress bar', () => {
  test('on a terminal: share, bar, bytes, rate and time left on one row', () => {
    const { output, clock, pass, rows } = world({ columns: 90 });
    const bar = progressBar(output, clock, { name: 'model.gguf' });
    bar.update(0, 200_000_000);
    expect(rows()).toEqual([`  0 % model.gguf ${'-'.repeat(24)} 0 bytes of 200 MB`]);
    pass(2000);
    bar.update(50_000_000, 200_000_000);
    expect(rows()).toEqual([
      ` 25 % model.gguf ${'#'.repeat(6)}${'-'.repeat(18)} 50.0 MB of 200 MB  25.0 MB/s  6 s left`,
    ]);
    bar.note('still going');
    expect(rows()).toHaveLength(2);
    bar.end();
    bar.end();
    bar.update(1, 2);
    expect(rows()).toEqual(['still going', '']);
  });

  test('a download that goes on counts its rate from where it began', () => {
    const { output, clock, pass, rows } = world({ columns: 90 });
    const bar = progressBar(output, clock, { name: 'm' });
    bar.update(100_000_000, 200_000_000);
    pass(10_000);
    bar.update(110_000_000, 200_000_000);
    expect(rows()[0]).toContain('1.00 MB/s  1 min 30 s left');
  });

  test('is drawn at most ten times a second, and at the end', () => {
    const { output, clock, pass, rows, text } = world({ columns: 90 });
    const bar = progressBar(output, clock, { name: 'm' });
    for (let done = 0; done < 1000; done++) bar.update(done, 1000);
    expect(text().match(/\r/g)).toHaveLength(1);
    bar.update(1000, 1000);
    expect(rows()[0]).toMatch(/^100 % m #+ 1.00 kB of 1.00 kB$/);
    pass(1);
  });

  test.each([1, 10, 20, 40])('fits into %i columns', (columns) => {
    const { output, clock, pass, rows } = world({ columns });
    const bar = progressBar(output, clock, { name: 'a-rather-long-name.gguf' });
    bar.update(1, 3);
    pass(5000);
    bar.update(2, 3);
    expect(rows()).toHaveLength(1);
  });

  test('elsewhere: a line for every tenth, none twice', () => {
    const { output, clock, text } = world({ terminal: false });
    const bar = progressBar(output, clock, { name: 'm' });
    for (let done = 35; done <= 100; done++) bar.update(done, 100);
    bar.end();
    expect(
      text()
        .split('\n')
        .map((line) => line.slice(0, 8).trim()),
    ).toEqual(
      [
        'm: 30 %,',
        'm: 40 %,',
        'm: 50 %,',
        'm: 60 %,',
        'm: 70 %,',
        'm: 80 %,',
        'm: 90 %,',
        'm: 100 %',
      ].concat(''),
    );
    expect(text()).toContain('m: 100 %, 100 bytes of 100 bytes\n');
  });

  test('elsewhere, of unknown size: a line for every 100 MB', () => {
    const { output, clock, text } = world({ terminal: false });
    const bar = progressBar(output, clock, { name: 'm' });
    for (let done = 0; done <= 250_000_000; done += 10_000_000) bar.update(done);
    expect(text()).toBe('m: 0 bytes\nm: 100 MB\nm: 200 MB\n');
  });

  test('quiet tells nothing', () => {
    const { output, clock, text } = world({ terminal: false });
    progressBar(output, clock, { name: 'm', quiet: true }).update(1, 2);
    expect(text()).toBe('');
  });
});

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1000, '1.00 kB'],
  [9996, '10.0 kB'],
  [99_960, '100 kB'],
  [999_600, '1.00 MB'],
  [270_000_000, '270 MB'],
  [1.5e12, '1.50 TB'],
  [1e18, '1000000 TB'],
])('%d bytes are shown as %s', (bytes, shown) => expect(size(bytes)).toBe(shown));
