// The checks of a report by itself: they hold for what was counted, and each fails alone when a number was not.

import { expect, test } from 'vitest';
import { provenance } from '../../../src/prov/collect.ts';
import { checkRows, checks } from '../../../src/prov/render/checks.ts';
import { PLAIN_PAGE } from '../../../src/prov/render/rows.ts';
import { SCOPES } from '../../../src/prov/render/scopes.ts';
import type { Provenance } from '../../../src/prov/types/graph.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { provPorts, rounds } from '../../helpers/prov.ts';

async function report(): Promise<Provenance> {
  const call = '{"name":"ask","id":1}';
  const output = JSON.stringify({ id: 1, content: 'x', meta: [{ tt: 5, inference_id: 'told' }] });
  const text = `${rounds('a', 'b')}function_call: ${call}\n\nfunction_call_output: ${output}\n`;
  const folder = temporaryFolder({ 'root.chat': text });
  return provenance(['root.chat'], provPorts(folder));
}

const failing = (found: Provenance) =>
  checks(found).flatMap(({ name, holds }) => (holds ? [] : [name]));

test('sums and identities hold for what was counted', async () => {
  expect(failing(await report())).toEqual([]);
});

test('a sum that its events do not add up to is WRONG, in that scope alone', async () => {
  const found = await report();
  for (const { scope } of SCOPES) {
    const { tokens, ...rest } = found.totals[scope];
    const changed = { ...rest, tokens: { ...tokens, tt: (tokens.tt ?? 0) + 1 } };
    const wrong = { ...found, totals: { ...found.totals, [scope]: changed } };
    expect(failing(wrong)).toEqual([scope]);
    const rows = [...checkRows(wrong, undefined, PLAIN_PAGE)].filter((line) =>
      line.includes('WRONG'),
    );
    expect(rows).toEqual([expect.stringContaining(`  ${scope}`)]);
  }
});

test('an identity that stands twice is WRONG', async () => {
  const found = await report();
  const [first] = found.events;
  const events = first === undefined ? [] : [...found.events, first];
  expect(failing({ ...found, events })).toContain('identities');
});
