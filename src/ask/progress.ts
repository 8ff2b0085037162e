// How far running calls are: told at any rate, taken when there is time; of each call the last word counts.

export interface ProgressBoard {
  tell(index: number, text: string): void;
  /** What was told since the last time, by call. */
  take(): readonly (readonly [index: number, text: string])[];
  /** Resolves when something is told. */
  told(): Promise<'told'>;
}

export function progressBoard(): ProgressBoard {
  const latest = new Map<number, string>();
  let wake: () => void = () => {};
  let waiting: Promise<'told'>;
  const renew = () => {
    waiting = new Promise((resolve) => {
      wake = () => resolve('told');
    });
  };
  renew();
  return {
    tell(index, text) {
      latest.set(index, text);
      wake();
    },
    take() {
      const all = [...latest];
      latest.clear();
      renew();
      return all;
    },
    told: () => waiting,
  };
}
