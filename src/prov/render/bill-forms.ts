// A bill as a table, as CSV (RFC 4180) and as JSON. Unknown is `?` in the table, empty in CSV and null in JSON, never 0.

import { TOKEN_FIELDS } from '../../chat/meta.ts';
import { cells, padEnd, shortenMiddle } from '../../terminal/width.ts';
import type { Bill, BillLine } from './bills.ts';
import type { Costs } from './costs.ts';
import { costOfTotal, costText, moneyValue } from './costs.ts';
import { exact, mark } from './numbers.ts';
import { foldedRow, type Page, row } from './rows.ts';

const TITLES = ['prompt', 'completion', 'total', 'cache read', 'cache write', 'reasoning'] as const;
const BREAK = '  ';

/** Columns that a narrow terminal goes without, the first one first: what was used in all, and what it cost, always stays. */
const SPARED: readonly string[] = [
  'reasoning',
  'cache write',
  'cache read',
  'completion',
  'prompt',
  'requests',
];
/** Cells that a name has before columns are left out for it. */
const LEAST_NAME = 16;

/** Exact numbers, `≥` where something is missing from a sum. */
export function* billTable(bill: Bill, costs: Costs | undefined, page: Page): Generator<string> {
  const lines = [...bill.lines, { ...bill.total, key: 'total' }];
  const names = lines.map(({ key }) => key ?? `no ${bill.by}`);
  const widest = Math.max(bill.by.length, ...names.map(cells));
  const all = columnsOf(lines, costs);
  const least = Math.min(widest, LEAST_NAME);
  const shown = fitting(all, (page.columns ?? Number.POSITIVE_INFINITY) - least);
  const left = page.columns === undefined ? widest : page.columns - widthOf(shown);
  const room = Math.min(widest, Math.max(least, left));
  const line = (name: string, texts: readonly string[]): string =>
    padEnd(page.columns === undefined ? name : shortenMiddle(name, room), room) +
    texts.map((text, column) => BREAK + text.padStart(shown[column]?.width ?? 0)).join('');
  const titles = shown.map(({ title }) => title);
  yield row([{ text: line(bill.by, titles), mark: 'faint' }], page);
  for (const [index, name] of names.entries()) {
    const texts = shown.map(({ texts }) => texts[index] ?? '');
    const isTotal = index === names.length - 1;
    yield row([{ text: line(name, texts), ...(isTotal ? { mark: 'strong' } : {}) }], page);
  }
  const missing = all.filter((column) => !shown.includes(column)).map(({ title }) => title);
  if (missing.length > 0)
    yield foldedRow(
      [{ text: 'no room for ', mark: 'faint' }],
      { text: `${missing.join(', ')}: see --csv`, mark: 'faint' },
      page,
    );
}

interface Column {
  readonly title: string;
  readonly texts: readonly string[];
  readonly width: number;
}

function columnsOf(lines: readonly BillLine[], costs: Costs | undefined): readonly Column[] {
  const titles = ['requests', ...TITLES, ...(costs === undefined ? [] : ['cost'])];
  const rows = lines.map((line) => numbersOf(line, costs));
  return titles.map((title, column) => {
    const texts = rows.map((each) => each[column] ?? '');
    return { title, texts, width: Math.max(title.length, ...texts.map(({ length }) => length)) };
  });
}

const widthOf = (columns: readonly Column[]): number =>
  columns.reduce((sum, { width }) => sum + BREAK.length + width, 0);

/** As many columns as there is room for. */
function fitting(columns: readonly Column[], room: number): readonly Column[] {
  let shown = columns;
  for (const title of SPARED) {
    if (widthOf(shown) <= room) break;
    shown = shown.filter((column) => column.title !== title);
  }
  return shown;
}

function numbersOf({ total, events }: BillLine, costs: Costs | undefined): readonly string[] {
  const counts = TOKEN_FIELDS.map((field) => {
    const count = total.tokens[field];
    return count === null ? '?' : `${mark(total)}${exact(count)}`;
  });
  const cost = costs === undefined ? [] : [costText(costOfTotal(costs.sum(events), total))];
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
