// What a benchmark gives.

export interface Row {
  readonly name: string;
  /** What was measured, in words with its unit. */
  readonly measured: string;
  /** What it was measured against. */
  readonly against: string;
  readonly ratio: number;
  readonly bound: number;
  /** What the ratio is in, when it is not a plain quotient ("ms"). */
  readonly unit?: string;
}

export interface Bench {
  readonly name: string;
  /** `root` is the project's folder. */
  run(root: string): Promise<readonly Row[]>;
}
