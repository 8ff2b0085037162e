// A queue between one who pushes and one who reads: for sources that call back instead of being iterated.

export interface Channel<Item> {
  push(item: Item): void;
  /** No more items; what was pushed before is still read. */
  end(): void;
  /** The reader gets this error at once, before items that it has not read. Only the first end or failure counts. */
  fail(error: unknown): void;
  /** For one reader. */
  read(): AsyncGenerator<Item>;
}

export function channel<Item extends object>(): Channel<Item> {
  const items: Item[] = [];
  let over: { readonly error?: unknown } | undefined;
  let wake = () => {};
  const finish = (how: { readonly error?: unknown }) => {
    over ??= how;
    wake();
  };
  return {
    push(item) {
      if (over !== undefined) return;
      items.push(item);
      wake();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    async *read() {
      for (;;) {
        if (over !== undefined && 'error' in over) throw over.error;
        const next = items.shift();
        if (next !== undefined) yield next;
        else if (over !== undefined) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
