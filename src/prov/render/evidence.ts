// The evidence report: each request with its exact tokens and every place that tells of it, what is not sure, and checks of the sums.

import { TOKEN_FIELDS } from '../../chat/meta.ts';
import { cells, padEnd, padStart, shortenMiddle } from '../../terminal/width.ts';
import { hasUnknown } from '../totals.ts';
import type { Provenance } from '../types/graph.ts';
import type { Address } from '../types/places.ts';
import type { Evidence, TokenEvent } from '../types/tokens.ts';
import { checkRows } from './checks.ts';
import { exact, tokensText } from './numbers.ts';
import { addressName, placeNames } from './places.ts';
import { jobReferences } from './references.ts';
import { foldedRow, type Page, row } from './rows.ts';

export interface EvidenceOptions {
  readonly long: boolean;
  /** What an event cost, as text; undefined without prices. */
  readonly cost?: (event: TokenEvent) => string;
  /** Events without a price; undefined without prices. */
  readonly unpriced?: number;
}

type NameOf = (address: Address) => string;

export function* evidence(
  provenance: Provenance,
  options: EvidenceOptions,
  page: Page,
): Generator<string> {
  const { events } = provenance;
  const references = jobReferences(provenance);
  const paths = [
    ...events.flatMap(({ evidence: found }) => found.map(({ source }) => source)),
    ...references.map(({ address: [place] }) => place),
  ];
  const named = placeNames(paths, options.long);
  const nameOf: NameOf = (address) => addressName(address, named);
  yield* eventTable(events, options, nameOf, page);
  yield* lists(events, nameOf, page);
  if (references.length > 0) yield* heading('job references', references.length, page);
  for (const { address, relation, reference, call, found } of references)
    yield row(
      [
        { text: `  ${nameOf(address)}${callText(call.id, call.tool)}  ` },
        { text: `${relation} `, mark: 'faint' },
        { text: reference, gives: true },
        ...(found ? [] : [{ text: '  not found', mark: 'strong' } as const]),
      ],
      page,
    );
  yield '\n';
  yield* checkRows(provenance, options.unpriced, page);
}

/** What is to be known about an event, the worst first. */
export function statusesOf(event: TokenEvent): readonly string[] {
  const found = [
    ...(event.conflict ? ['conflict'] : []),
    ...(event.incomplete_evidence ? ['incomplete evidence'] : []),
    ...(event.deduplication === 'receipt_unresolved' ? ['legacy unresolved'] : []),
    ...(isReceiptOnly(event) ? ['receipt-only'] : []),
    ...(hasUnknown(event) ? ['unknown tokens'] : []),
  ];
  return found.length === 0 ? ['counted once'] : found;
}

const isReceiptOnly = ({ evidence: [first] }: TokenEvent): boolean => first.origin === 'agent_meta';

/** The value that identifies it; what has no id is named by where it was found or by its digest. */
export function eventName({ identity }: TokenEvent, nameOf: NameOf): string {
  const [kind, ...rest] = identity;
  if (kind === 'receipt_unresolved') return nameOf(rest as unknown as Address);
  return rest.join(' ');
}

function* eventTable(
  events: readonly TokenEvent[],
  { cost }: EvidenceOptions,
  nameOf: NameOf,
  page: Page,
): Generator<string> {
  yield* heading('events', events.length, page);
  if (events.length === 0) return;
  const header = [...TOKEN_FIELDS, ...(cost === undefined ? [] : ['cost'])];
  const lines = events.map((event) => [
    ...TOKEN_FIELDS.map((field) => exact(event.tokens[field])),
    ...(cost === undefined ? [] : [cost(event)]),
  ]);
  const widths = header.map((name, column) =>
    longest([name, ...lines.map((line) => line[column] ?? '')]),
  );
  const numbers = (line: readonly string[]): string =>
    line.map((text, column) => padStart(text, widths[column] ?? 0)).join('  ');
  const names = events.map((event) => eventName(event, nameOf));
  const statuses = events.map((event) => statusesOf(event).join(', '));
  const taken = numbers(header).length + 6 + longest(statuses);
  const room = nameRoom(names, taken, page);
  // Neither a count nor what is wrong with one may be cut.
  const isNarrow = page.columns !== undefined && taken + room > page.columns;
  if (!isNarrow)
    yield row(
      [{ text: `  ${padEnd('id', room)}  ${numbers(header)}  status`, mark: 'faint' }],
      page,
    );
  for (const [index, event] of events.entries()) {
    const whole = names[index] ?? '';
    const name = page.columns === undefined ? whole : shortenMiddle(whole, room);
    const price = cost === undefined ? '' : ` cost ${cost(event)}`;
    if (isNarrow)
      yield* [
        row([{ text: '  ' }, { text: whole, gives: true }, { text: `  ${statuses[index]}` }], page),
        foldedRow([], { text: `    ${tokensText(event.tokens)}${price}` }, page),
      ];
    else
      yield row(
        [{ text: `  ${padEnd(name, room)}  ${numbers(lines[index] ?? [])}  ${statuses[index]}` }],
        page,
      );
    for (const place of event.evidence)
      yield row(
        [{ text: '    ' }, { text: placeText(place, nameOf), mark: 'faint', gives: true }],
        page,
      );
  }
}

/** A pipe has room for whole names; a terminal for what the numbers leave. */
function nameRoom(names: readonly string[], taken: number, { columns }: Page): number {
  const all = longest(['id', ...names]);
  return columns === undefined ? all : Math.min(all, Math.max(8, columns - taken));
}

const longest = (texts: readonly string[]): number =>
  texts.reduce((most, text) => Math.max(most, cells(text)), 0);

function placeText({ address, call_id, tool_name }: Evidence, nameOf: NameOf): string {
  return `${nameOf(address)}${callText(call_id, tool_name)}`;
}

function callText(id: string | null, tool: string | null): string {
  if (id === null && tool === null) return '';
  return `  call ${id ?? '?'}${tool === null ? '' : ` (${tool})`}`;
}

function* heading(title: string, count: number, page: Page): Generator<string> {
  if (title !== 'events') yield '\n';
  yield row(
    [
      { text: title, mark: 'heading' },
      { text: ` ${count}`, mark: 'faint' },
    ],
    page,
  );
}

/** What is not as sure as the rest, one list a reason. */
function* lists(events: readonly TokenEvent[], nameOf: NameOf, page: Page): Generator<string> {
  const simple = [
    { title: 'receipt-only', fits: isReceiptOnly },
    {
      title: 'unresolved',
      fits: ({ deduplication }: TokenEvent) => deduplication === 'receipt_unresolved',
    },
  ];
  for (const { title, fits } of simple)
    yield* list(title, events.filter(fits), page, (event) => [
      `${eventName(event, nameOf)}  ${tokensText(event.tokens)}`,
    ]);
  yield* list(
    'conflicts',
    events.filter(({ conflict }) => conflict),
    page,
    (event) => [
      `${eventName(event, nameOf)}  counted as ${tokensText(event.tokens)}`,
      ...disputed(event, nameOf).map((line) => `  ${line}`),
    ],
  );
  yield* list(
    'incomplete',
    events.filter(({ incomplete_evidence }) => incomplete_evidence),
    page,
    (event) => [
      eventName(event, nameOf),
      ...event.evidence
        .filter(({ request }) => request.response === undefined)
        .map((place) => `  without the provider's id: ${placeText(place, nameOf)}`),
    ],
  );
}

function* list(
  title: string,
  events: readonly TokenEvent[],
  page: Page,
  lines: (event: TokenEvent) => readonly string[],
): Generator<string> {
  if (events.length === 0) return;
  yield* heading(title, events.length, page);
  for (const event of events)
    for (const line of lines(event)) yield row([{ text: '  ' }, { text: line, gives: true }], page);
}

const DISPUTABLE = ['pt', 'ct', 'tt'] as const;
type Disputable = readonly [string, (found: Evidence) => string | number | undefined];

/** `ct: 40 in a.chat:1; 41 in b.chat:3[meta,0]`, for each field on which the places disagree. */
function disputed({ evidence: found }: TokenEvent, nameOf: NameOf): readonly string[] {
  const fields = [
    ...DISPUTABLE.map(
      (field): Disputable => [field, ({ request }) => request.tokens[field] ?? undefined],
    ),
    ['provider_response_id', ({ request }): string | undefined => request.response] as Disputable,
  ];
  return fields.flatMap(([field, read]) => {
    const values = new Map<string | number, string[]>();
    for (const each of found) {
      const value = read(each);
      if (value === undefined) continue;
      values.set(value, [...(values.get(value) ?? []), nameOf(each.address)]);
    }
    if (values.size < 2) return [];
    return [
      `${field}: ${[...values].map(([value, at]) => `${value} in ${at.join(', ')}`).join('; ')}`,
    ];
  });
}
