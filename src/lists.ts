// Lists of any length. A call takes only so many arguments, a hundred thousand or so: `push(...many)` and `Math.max(...many)` throw beyond.

/** Adds everything at the end. */
export function addAll<T>(list: T[], more: Iterable<T>): void {
  for (const each of more) list.push(each);
}

/** The greatest number of a list, 0 for none. */
export function greatest(numbers: Iterable<number>): number {
  let found = 0;
  for (const number of numbers) if (number > found) found = number;
  return found;
}
