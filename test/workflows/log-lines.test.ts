// Pieces of output as lines of a log, wherever they are cut.

import { expect, test } from 'vitest';
import { lineLogger } from '../../src/workflows/log-lines.ts';

function logged(pieces: readonly string[]): readonly string[] {
  const told: string[] = [];
  const log = lineLogger({ log: (text) => void told.push(text) });
  for (const piece of pieces) log.add(piece);
  log.end();
  return told;
}

test('lines are whole wherever the pieces are cut', () => {
  const text = 'one\ntwo\r\n\n10%\r20%\r30%\nlast';
  const lines = ['one', 'two', '', '10%', '20%', '30%', 'last'];
  for (let size = 1; size <= text.length; size++) {
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.slice(index * size, (index + 1) * size),
    );
    expect(logged(pieces).join('\n').split('\n'), `pieces of ${size}`).toEqual(lines);
  }
});

test('a carriage return at the very end is no line of its own', () => {
  expect(logged(['done\r'])).toEqual(['done']);
});

test('output that never ends a line comes in lines of a bounded length, and nothing of it is lost', () => {
  const piece = 'x'.repeat(64 * 1024);
  const told = logged(Array.from({ length: 100 }, () => piece));
  expect(Math.max(...told.map((line) => line.length))).toBeLessThan(2 * 1024 * 1024);
  expect(told.join('').length).toBe(100 * piece.length);
});
