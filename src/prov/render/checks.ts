// Checks of a report by itself: sums made again from the events, in another way than the totals were, and counts of what is not sure.

import { TOKEN_FIELDS } from '../../chat/meta.ts';
import { hasUnknown } from '../totals.ts';
import type { TokenCounts } from '../types/facts.ts';
import type { Provenance } from '../types/graph.ts';
import type { Scope, TokenEvent } from '../types/tokens.ts';
import { addCalls, callsOf, callsText } from './calls.ts';
import { counted } from './numbers.ts';
import { foldedRow, type Page, row } from './rows.ts';
import { SCOPES, scopeText } from './scopes.ts';
import { visible } from './visible.ts';

export interface Check {
  readonly name: string;
  readonly holds: boolean;
  readonly text: string;
}

/** The checks that can fail: each scope's events add up to its total, and no identity stands twice. */
export function checks({ events, totals }: Provenance): readonly Check[] {
  const sums = SCOPES.map(({ scope }): Check => {
    const inScope = events.filter(IN_SCOPE[scope]);
    const holds = TOKEN_FIELDS.every(
      (field) => sumOf(inScope, field) === totals[scope].tokens[field],
    );
    const add = inScope.length === 1 ? 'adds' : 'add';
    const text = `${counted(inScope.length, 'event')} ${add} up to ${scopeText(totals, scope)}`;
    return { name: scope, holds, text };
  });
  const identities = new Set(events.map(({ identity }) => identity.join('\0'))).size;
  const text = `${identities} for ${counted(events.length, 'event')}`;
  return [...sums, { name: 'identities', holds: identities === events.length, text }];
}

const hasOrigin =
  (origin: 'chat_meta' | 'agent_meta') =>
  ({ evidence }: TokenEvent): boolean =>
    evidence.some((each) => each.origin === origin);

const IN_SCOPE: Readonly<Record<Scope, (event: TokenEvent) => boolean>> = {
  deduplicated_total: () => true,
  chat_evidence: hasOrigin('chat_meta'),
  receipt_evidence: hasOrigin('agent_meta'),
  receipt_only: (event) => !hasOrigin('chat_meta')(event),
};

/** As a total has it: 0 for no event, `null` when no event has the count. */
function sumOf(events: readonly TokenEvent[], field: keyof TokenCounts): number | null {
  const known = events.flatMap(({ tokens }) => tokens[field] ?? []);
  return known.length === 0 && events.length > 0
    ? null
    : known.reduce((sum, each) => sum + each, 0);
}

export function* checkRows(
  provenance: Provenance,
  unpriced: number | undefined,
  page: Page,
): Generator<string> {
  const { events } = provenance;
  yield row([{ text: 'checks', mark: 'heading' }], page);
  const line = (name: string, verdict: string, text: string): string =>
    foldedRow(
      [{ text: `  ${name.padEnd(18)}  ${verdict.padEnd(6)}` }],
      { text: `  ${text}` },
      page,
    );
  for (const { name, holds, text } of checks(provenance))
    yield line(name, holds ? 'ok' : 'WRONG', text);
  const parts = events.filter(isSplitOddly).length;
  yield line('parts', parts === 0 ? 'ok' : 'differ', partsText(parts));
  const calls = callsText(addCalls(visible(provenance).nodes.map(({ chats }) => callsOf(chats))));
  yield line(
    'calls',
    calls === undefined ? 'ok' : 'failed',
    calls ?? 'every tool call has a result, and none failed',
  );
  const byLineage = events.filter((each) => each.deduplication === 'legacy_lineage').length;
  const byAddress = events.filter((each) => each.deduplication === 'receipt_unresolved').length;
  const unknown = events.filter(hasUnknown).length;
  yield line(
    'unknown',
    String(unknown),
    'events that lack the prompt, the completion or the total',
  );
  if (unpriced !== undefined) yield line('unpriced', String(unpriced), 'events without a cost');
  yield line(
    'legacy',
    String(byLineage + byAddress),
    `without an id: ${byLineage} told apart by what was said before, ${byAddress} by their place`,
  );
}

/** The total is not the sum of prompt and completion: providers that count something else besides. */
const isSplitOddly = ({ tokens: { pt, ct, tt } }: TokenEvent): boolean =>
  pt !== null && ct !== null && tt !== null && pt + ct !== tt;

const partsText = (count: number): string =>
  count === 0
    ? 'prompt and completion add up to the total wherever all are known'
    : `prompt and completion do not add up to the total of ${counted(count, 'event')}`;
