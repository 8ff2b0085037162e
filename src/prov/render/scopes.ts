// The four totals below a tree: which events each of them counts, and that two of them overlap.

import type { Scope, ScopeTotals } from '../types/tokens.ts';
import { counted, mark, shortTotal, tokensText } from './numbers.ts';
import { type Page, row } from './rows.ts';

export const SCOPES: readonly { readonly scope: Scope; readonly meaning: string }[] = [
  { scope: 'deduplicated_total', meaning: 'every request once' },
  { scope: 'chat_evidence', meaning: 'recorded by chats' },
  { scope: 'receipt_evidence', meaning: 'told by receipts; overlaps, never add it' },
  { scope: 'receipt_only', meaning: 'told by receipts alone' },
];

/** One row a scope, short. */
export function* scopeRows(totals: ScopeTotals, page: Page): Generator<string> {
  yield row([{ text: 'scopes', mark: 'heading' }], page);
  for (const { scope, meaning } of SCOPES) {
    const total = totals[scope];
    yield row(
      [
        { text: `  ${scope.padEnd(18)} ` },
        { text: shortTotal(total).padStart(6), mark: 'strong' },
        { text: `  ${counted(total.events, 'event')}, ${meaning}`, mark: 'faint' },
      ],
      page,
    );
  }
}

/** The sum over several roots, when a tree has more than one; with what it cost, where that is asked for. */
export function totalRow(
  { deduplicated_total: total }: ScopeTotals,
  cost: string | undefined,
  page: Page,
): string {
  return row(
    [
      { text: 'total ' },
      { text: shortTotal(total), mark: 'strong' },
      ...(cost === undefined ? [] : [{ text: ` ${cost}` }]),
      { text: `  ${counted(total.events, 'request')}, each once`, mark: 'faint' },
    ],
    page,
  );
}

/** A total in full, with its mark. */
export const scopeText = (totals: ScopeTotals, scope: Scope): string =>
  `${mark(totals[scope])}${tokensText(totals[scope].tokens)}`;
