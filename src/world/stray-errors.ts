// Errors that nobody waits for: thrown in a timer, or in a promise that was left alone. Those who know where one belongs take it; any other ends this process.

/** Whether it was taken. */
type Taker = (error: unknown) => boolean;

const takers: Taker[] = [];

/** Asks `take` about each such error from now on; who came first is asked last. */
export function onStrayError(take: Taker): void {
  takers.unshift(take);
  if (takers.length > 1) return;
  process.on('uncaughtException', (error) => {
    if (takers.some((each) => each(error)) || process.listenerCount('uncaughtException') > 1)
      return;
    process.stderr.write(strayText(error));
    process.exit(1);
  });
}

/** A line, with the stack as far as there is one. */
export function strayText(error: unknown): string {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `error: something failed that no task waited for: ${what}\n`;
}
