// From the lines of a table to associations. Pure; knows no file.

import type { Layout } from './types.ts';

/** Takes one association: its ends, and the values of the columns that are no end. */
export type Take = (source: string, target: string, values: readonly string[]) => void;

/** How a line fits its table. `long`: it has more cells than columns; `short`: it has fewer; `no-ends`: it makes no association. */
export type Fit = 'fits' | 'long' | 'short' | 'no-ends' | 'blank';

/** Makes the function that reads one line. Missing cells are empty, cells without a column do not count. */
export function rowReader(layout: Layout, take: Take): (line: string) => Fit {
  const { sep, width } = layout;
  const read = layout.pair ? pairRow : layout.type === 'flat' ? flatRow : plainRow;
  return (line) => {
    if (line.trim() === '') return 'blank';
    const cells = line.split(sep);
    const made = read(cells, layout, take);
    if (made === 0) return 'no-ends';
    if (cells.length === width || (layout.type === 'flat' && cells.length > 1)) return 'fits';
    return cells.length > width ? 'long' : 'short';
  };
}

type ReadRow = (cells: readonly string[], layout: Layout, take: Take) => number;

const pairRow: ReadRow = (cells, layout, take) => {
  const key = cells[0] ?? '';
  const middle = key.indexOf('~');
  const source = key.slice(0, Math.max(0, middle)).trim();
  const target = key.slice(middle + 1).trim();
  if (middle === -1 || source === '' || target === '') return 0;
  take(source, target, valuesOf(cells, layout));
  return 1;
};

/** Everything behind the source is a target. */
const flatRow: ReadRow = (cells, { source, sep2 }, take) => {
  const targets = cells.flatMap((cell, column) =>
    column === source ? [] : names(cell, sep2).filter(isSaid),
  );
  let made = 0;
  for (const from of names(cells[source] ?? '', sep2).filter(isSaid))
    for (const to of targets) {
      take(from, to, []);
      made++;
    }
  return made;
};

const plainRow: ReadRow = (cells, layout, take) => {
  const { source, target, type, sep2 } = layout;
  const isSplit = type === 'double';
  const from = cells[source] ?? '';
  const to = cells[target] ?? '';
  const values = valuesOf(cells, layout);
  // Empty ones are left out first: half a million separators in each of two cells are no pairs, and must cost none.
  const sources = (isSplit ? names(from, sep2) : [from.trim()]).filter(isSaid);
  const targets = isSplit ? names(to, sep2) : [to.trim()];
  const own = targets.length > 1 ? valuesOfEach(values, targets.length, between(to, sep2)) : [];
  let made = 0;
  for (const [index, name] of targets.entries()) {
    if (name === '') continue;
    for (const first of sources) {
      take(first, name, own[index] ?? values);
      made++;
    }
  }
  return made;
};

const isSaid = (name: string): boolean => name !== '';

/** What stands between the values of this cell. */
const between = (cell: string, sep2: string | undefined): string =>
  sep2 ?? (cell.includes('|') ? '|' : ';');

function names(cell: string, sep2: string | undefined): readonly string[] {
  const separator = between(cell, sep2);
  if (!cell.includes(separator)) return [cell.trim()];
  return cell.split(separator).map((name) => name.trim());
}

const valuesOf = (cells: readonly string[], { info }: Layout): readonly string[] =>
  info.map((column) => cells[column] ?? '');

/** A cell with as many values as there are targets has one for each of them; any other belongs as a whole to all. */
function valuesOfEach(
  values: readonly string[],
  count: number,
  separator: string,
): readonly (readonly string[])[] {
  const parts = values.map((value) => {
    const split = value.split(separator);
    return split.length === count ? split.map((each) => each.trim()) : undefined;
  });
  return Array.from({ length: count }, (_, index) =>
    values.map((value, field) => parts[field]?.[index] ?? value),
  );
}
