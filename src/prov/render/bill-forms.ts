// A bill as a table, as CSV (RFC 4180) and as JSON. Unknown is `?` in the table, empty in CSV and null in JSON, never 0.

import { TOKEN_FIELDS } from '../../chat/meta.ts';
import { cells, padEnd, shortenMiddle } from '../../terminal/width.ts';
import type { Bill, BillLine } from './bills.ts';
import type { Costs } from './costs.ts';
import { costText, moneyValue } from './costs.ts';
import { exact, mark } from './numbers.ts';
import { type Page, row } from './rows.ts';

const TITLES = ['prompt', 'completion', 'total', 'cache read', 'cache write', 'reasoning'] as const;
const TITLE_BREAK = '  ';

/** Exact numbers, `≥` where something is missing from a sum. */
export function* billTable(bill: Bill, costs: Costs | undefined, page: Page): Generator<string> {
  const lines = [...bill.lines, { ...bill.total, key: 'total' }];
  const titles = ['requests', ...TITLES, ...(costs === undefined ? [] : ['cost'])];
  const rows = lines.map((line) => numbersOf(line, costs));
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((texts) => (texts[column] ?? '').length)),
  );
  const numbers = (texts: readonly string[]): string =>
    texts.map((text, column) => TITLE_BREAK + text.padStart(widths[column] ?? 0)).join('');
  const names = lines.map(({ key }) => key ?? `no ${bill.by}`);
  const all = Math.max(bill.by.length, ...names.map(cells));
  const left = page.columns === undefined ? all : page.columns - numbers(titles).length;
  const room = Math.min(all, Math.max(8, left));
  yield row([{ text: padEnd(bill.by, room) + numbers(titles), mark: 'faint' }], page);
  for (const [index, texts] of rows.entries()) {
    const name = names[index] ?? '';
    const shown = page.columns === undefined ? name : shortenMiddle(name, room);
    const isTotal = index === rows.length - 1;
    yield row(
      [{ text: padEnd(shown, room) + numbers(texts), ...(isTotal ? { mark: 'strong' } : {}) }],
      page,
    );
  }
}

function numbersOf({ total, events }: BillLine, costs: Costs | undefined): readonly string[] {
  const counts = TOKEN_FIELDS.map((field) => {
    const count = total.tokens[field];
    return count === null ? '?' : `${mark(total)}${exact(count)}`;
  });
  const cost = costs === undefined ? [] : [costText(costs.sum(events))];
  return [String(total.events), ...counts, ...cost];
}

const CSV_HEADER = ['requests', ...TOKEN_FIELDS, 'unknown', 'conflicts'] as const;

/** A header, a row for each group, none for the total: programs add up themselves. */
export function* billCsv({ by, lines }: Bill, costs: Costs | undefined): Generator<string> {
  yield csvRow([by, ...CSV_HEADER, ...(costs === undefined ? [] : ['cost', 'unpriced'])]);
  for (const { key, total, events } of lines) {
    const { tokens, unknown, conflicts } = total;
    const counts = TOKEN_FIELDS.map((field) => tokens[field]);
    const cost = costs?.sum(events);
    const money = cost === undefined ? [] : [costValue(cost), cost.unpriced];
    yield csvRow([key, events.length, ...counts, unknown, conflicts, ...money]);
  }
}

const csvRow = (cellsOfRow: readonly (string | number | null)[]): string =>
  `${cellsOfRow.map(csvCell).join(',')}\r\n`;

/** A text that a spreadsheet would compute gets an apostrophe in front. */
function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Undefined costs are left out, as everywhere when no prices were asked for. */
export function billJson(bill: Bill, costs: Costs | undefined) {
  const lineObject = ({ key, total, events }: BillLine) => {
    const { tokens, unknown, conflicts } = total;
    const cost = costs?.sum(events);
    const money = cost === undefined ? {} : { cost: costValue(cost), unpriced: cost.unpriced };
    return { key, requests: events.length, tokens, unknown, conflicts, ...money };
  };
  const { key: _key, ...total } = lineObject(bill.total);
  return { schema: 'prov-by/1', by: bill.by, groups: bill.lines.map(lineObject), total };
}

const costValue = ({ amount, priced, unpriced }: ReturnType<Costs['sum']>): number | null =>
  priced === 0 && unpriced > 0 ? null : moneyValue(amount);
