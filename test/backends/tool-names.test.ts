// Names and ids that providers refuse: repaired the same way each time, unique, and mapped back.

import { describe, expect, test } from 'vitest';
import { wireNames } from '../../src/backends/tool-names.ts';
import { wireIds } from '../../src/backends/wire-ids.ts';

const LONG = 'a'.repeat(79);
const ODD = [
  'notes.read',
  'notes/read',
  'notes read',
  `${LONG}b${'c'.repeat(10)}`,
  `${LONG}d${'c'.repeat(10)}`,
  'läsa',
  '🐌',
  '',
];
const tools = (names: readonly string[]) => names.map((name) => ({ name }));

describe('tool names that providers refuse, and calls that do not find back', () => {
  test('names that fit stay as they are', () => {
    const names = wireNames(tools(['count', 'a-b_C9', 'x'.repeat(64)]));
    for (const name of ['count', 'a-b_C9', 'x'.repeat(64)]) {
      expect(names.toWire(name)).toBe(name);
      expect(names.fromWire(name)).toBe(name);
    }
  });

  test('all come out valid, unique, and lead back to their tools', () => {
    const names = wireNames(tools([...ODD, 'notes_read']));
    const wired = [...ODD, 'notes_read'].map(names.toWire);
    for (const name of wired) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(new Set(wired).size).toBe(ODD.length + 1);
    expect(wired.map(names.fromWire)).toEqual([...ODD, 'notes_read']);
  });

  test('a repaired name is the same whatever stands beside it, and keeps its beginning', () => {
    const alone = wireNames(tools(['notes.read'])).toWire('notes.read');
    expect(wireNames(tools([...ODD].reverse())).toWire('notes.read')).toBe(alone);
    expect(wireNames([]).toWire('notes.read')).toBe(alone);
    expect(alone).toMatch(/^notes_read_[0-9a-f]{8}$/);
  });

  test('a tool that has the repaired name of another keeps it', () => {
    const taken = wireNames([]).toWire('notes.read');
    for (const order of [
      ['notes.read', taken],
      [taken, 'notes.read'],
    ]) {
      const names = wireNames(tools(order));
      expect(names.toWire(taken)).toBe(taken);
      expect(names.toWire('notes.read')).toMatch(/^notes_read_[0-9a-f]{12}$/);
      expect(names.fromWire(names.toWire('notes.read'))).toBe('notes.read');
    }
  });

  test('a rule of a provider counts', () => {
    const rule = { allowed: /[a-z]/, longest: 20 };
    expect(wireNames([], rule).toWire('abcdefghijklmnopqrstuvwxyz')).toMatch(
      /^abcdefghijk_[0-9a-f]{8}$/,
    );
    expect(wireNames([], rule).toWire('a-b')).toMatch(/^a_b_[0-9a-f]{8}$/);
  });

  test('a name that no tool has is left to whoever runs the calls', () => {
    expect(wireNames(tools(['count'])).fromWire('Count')).toBe('Count');
  });
});

describe('ids that are refused or come twice', () => {
  test('a valid id passes, an invalid one is repaired, its output follows it', () => {
    const ids = wireIds();
    expect(ids.call('toolu_01-a')).toBe('toolu_01-a');
    const odd = ids.call('functions.read:0');
    expect(odd).toMatch(/^functions_read_0_[0-9a-f]{8}$/);
    expect([ids.output('functions.read:0'), ids.output('toolu_01-a')]).toEqual([odd, 'toolu_01-a']);
  });

  test('a repeated id is numbered, also against ids that look like that, and never too long', () => {
    const ids = wireIds();
    expect(['a', 'a_2', 'a', 'a'].map(ids.call)).toEqual(['a', 'a_2', 'a_3', 'a_4']);
    const long = 'x'.repeat(64);
    expect([long, long].map(ids.call)).toEqual([long, `${'x'.repeat(62)}_2`]);
  });

  test('outputs belong to the first call of their id that waits; then none does', () => {
    const ids = wireIds();
    expect([ids.call('k'), ids.output('k'), ids.call('k')]).toEqual(['k', 'k', 'k_2']);
    expect([ids.output('k'), ids.output('k'), ids.output('never')]).toEqual([
      'k_2',
      undefined,
      undefined,
    ]);
  });

  test('a conversation that goes on keeps the ids of its beginning', () => {
    const calls = ['call_0', 'call_0', 'x y', 'call_0', '', ''];
    const all = calls.map(wireIds().call);
    for (let length = 0; length <= calls.length; length++)
      expect(calls.slice(0, length).map(wireIds().call)).toEqual(all.slice(0, length));
    expect(new Set(all).size).toBe(calls.length);
  });
});
