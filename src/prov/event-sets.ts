// Sets of events that share their parts: a union costs what differs, and a sum what is new. With them the totals of all nodes of a deep
// graph take about as long as the graph is big, where plain sets would take its square.

import { addEvent, emptySum, plus, type Sum } from './sums.ts';
import type { TokenEvent } from './types/tokens.ts';

/** A binary tree over event numbers, never changed once made. Undefined is the empty set. */
export type EventSet = Part | undefined;

type Part = Leaf | Branch;

/** Up to 32 neighbouring numbers. */
interface Leaf {
  /** Number divided by 32. */
  readonly block: number;
  /** One bit each. */
  readonly bits: number;
  readonly height: 0;
  /** How many numbers it has. */
  readonly size: number;
  sum: Sum | undefined;
}

/** Blocks that agree above `height` bits; the next bit decides the side. */
interface Branch {
  readonly block: number;
  readonly height: number;
  readonly size: number;
  readonly left: Part;
  readonly right: Part;
  sum: Sum | undefined;
}

const leaf = (block: number, bits: number): Leaf => ({
  block,
  bits,
  height: 0,
  size: bitCount(bits),
  sum: undefined,
});

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** A set with more numbers in it: `of` says which number each of these stands for. */
export function eventSet(
  numbers: readonly number[],
  of: (number: number) => number = (number) => number,
  set?: EventSet,
): EventSet {
  let all = set;
  let block = -1;
  let bits = 0;
  for (const each of numbers) {
    const number = of(each);
    // Neighbours go in together.
    if (number >>> 5 !== block) {
      if (bits !== 0) all = union(all, leaf(block, bits));
      block = number >>> 5;
      bits = 0;
    }
    bits |= 1 << (number & 31);
  }
  return bits === 0 ? all : union(all, leaf(block, bits));
}

/** The same object as one of the two when that holds the other: then what they share goes on being shared. */
export function union(one: EventSet, other: EventSet): EventSet {
  if (one === other || other === undefined) return one;
  return one === undefined ? other : joined(one, other);
}

function joined(one: Part, other: Part): Part {
  if (one === other) return one;
  if (one.height < other.height) return into(other, one);
  if (one.height > other.height) return into(one, other);
  if (one.block !== other.block) return beside(one, other);
  if (!isBranch(one) || !isBranch(other)) return leaves(one as Leaf, other as Leaf);
  const left = joined(one.left, other.left);
  const right = joined(one.right, other.right);
  const size = left.size + right.size;
  if (size === one.size) return one;
  return size === other.size ? other : branch(one, size, left, right);
}

/** Adds a set that spans fewer blocks to one that spans more. */
function into(wide: Part, narrow: Part): Part {
  if (!isBranch(wide) || narrow.block >>> wide.height !== wide.block >>> wide.height)
    return beside(wide, narrow);
  const isRight = ((narrow.block >>> (wide.height - 1)) & 1) === 1;
  const left = isRight ? wide.left : joined(wide.left, narrow);
  const right = isRight ? joined(wide.right, narrow) : wide.right;
  const size = left.size + right.size;
  return size === wide.size ? wide : branch(wide, size, left, right);
}

/** Not made by spreading, which takes several times as long. */
const branch = ({ block, height }: Branch, size: number, left: Part, right: Part): Branch => ({
  block,
  height,
  size,
  left,
  right,
  sum: undefined,
});

const isBranch = (set: Part): set is Branch => set.height > 0;

function leaves(one: Leaf, other: Leaf): Leaf {
  const bits = one.bits | other.bits;
  if (bits === one.bits) return one;
  return bits === other.bits ? other : leaf(one.block, bits);
}

/** Two sets that have no block in common. */
function beside(one: Part, other: Part): Branch {
  const height = 32 - Math.clz32(one.block ^ other.block);
  const isFirst = ((one.block >>> (height - 1)) & 1) === 0;
  const block = (one.block >>> height) << height;
  const [left, right] = isFirst ? [one, other] : [other, one];
  return { block, height, size: one.size + other.size, left, right, sum: undefined };
}

/** The sum of a set's events. What was summed for a shared part is not summed again. */
export function sumOf(set: EventSet, events: readonly TokenEvent[]): Readonly<Sum> {
  if (set === undefined) return emptySum();
  set.sum ??= isBranch(set)
    ? plus(sumOf(set.left, events), sumOf(set.right, events))
    : sumOfLeaf(set, events);
  return set.sum;
}

function sumOfLeaf({ block, bits }: Leaf, events: readonly TokenEvent[]): Sum {
  const sum = emptySum();
  for (let rest = bits; rest !== 0; rest &= rest - 1) {
    const event = events[block * 32 + (31 - Math.clz32(rest & -rest))];
    if (event !== undefined) addEvent(sum, event);
  }
  return sum;
}
