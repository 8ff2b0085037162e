// A call takes only so many arguments: what lists of a hundred thousand and more break.

import { describe, expect, test } from 'vitest';
import { pairCalls } from '../src/chat/pairs.ts';
import { groupRounds } from '../src/chat/rounds.ts';
import { receiptsIn } from '../src/prov/receipts.ts';
import { inColumns } from '../src/terminal/columns.ts';
import type { Message } from '../src/types.ts';

const MANY = 300_000;

const call = (id: number): Message => ({
  role: 'function_call',
  content: JSON.stringify({ id: `c${id}`, name: 'x', arguments: {} }),
});
const output = (id: number): Message => ({
  role: 'function_call_output',
  content: JSON.stringify({ id: `c${id}`, content: 'y' }),
});

describe('more of something than a call has room for', () => {
  test('calls of one round', () => {
    const ids = Array.from({ length: MANY }, (_, id) => id);
    const chat: Message[] = [{ role: 'meta', content: 'pt=1' }, ...ids.map(call)].concat(
      ids.map(output),
    );
    expect(groupRounds(chat)).toHaveLength(2 * MANY + 1);
  });

  test('calls without outputs', () => {
    const chat = Array.from({ length: MANY }, (_, id) => call(id));
    expect(pairCalls(chat, () => {})).toHaveLength(2 * MANY);
  });

  test('receipts of one output', () => {
    const meta = Array.from({ length: MANY }, (_, id) => ({ pt: 1, inference_id: `i${id}` }));
    const chat: Message[] = [
      { role: 'function_call', content: '{"id":"1","name":"ask"}' },
      { role: 'function_call_output', content: JSON.stringify({ id: '1', content: '', meta }) },
    ];
    expect(receiptsIn(chat)).toHaveLength(MANY);
  });

  test('rows in columns', () => {
    const rows = Array.from({ length: MANY }, (_, row) => [`${row}`, 'x']);
    expect(inColumns(rows).length).toBeGreaterThan(MANY);
  });
});
