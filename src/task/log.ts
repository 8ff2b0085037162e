// The log of a job, once or as it grows.

import { logFile } from '../store/context.ts';
import type { Store } from '../store/store.ts';
import { neutralStream } from '../terminal/neutralise.ts';
import type { World } from '../world/types/world.ts';

/** Between two looks, in milliseconds. */
const INTERVAL = 200;

/**
 * Writes what stands in the log; with `follow` what is added, until the job has ended. Returns whether there is a log. On a terminal
 * control characters are shown harmlessly.
 */
export async function printLog(
  place: string,
  follow: boolean,
  store: Pick<Store, 'readJob'>,
  world: Pick<World, 'files' | 'output' | 'clock' | 'signal'>,
): Promise<boolean> {
  const file = logFile(place);
  const decoder = new TextDecoder();
  const harmless = world.output.stdout.terminal ? neutralStream() : undefined;
  let written = 0;
  let isThere = false;
  const write = async () => {
    const size = (await world.files.stat(file))?.size;
    if (size === undefined) return false;
    // Shorter than before: the job was cleaned meanwhile, and this is another log.
    if (size < written) written = 0;
    // Piece by piece: a log may be larger than one text can be.
    while (written < size && !world.output.closed) {
      const bytes = await world.files.readFrom(file, written);
      if (bytes.length === 0) break;
      written += bytes.length;
      const text = decoder.decode(bytes, { stream: true });
      await world.output.write(harmless?.push(text) ?? text);
    }
    return true;
  };
  for (;;) {
    // Asked before the log is read: what is written between the two is then not missed.
    const { status } = await store.readJob(place);
    isThere = (await write()) || isThere;
    const going = status === 'running' || status === 'streaming' || status === 'setup';
    if (!follow || !going || world.output.closed) break;
    await world.clock.sleep(INTERVAL, world.signal);
  }
  await world.output.write(
    (harmless?.push(decoder.decode()) ?? decoder.decode()) + (harmless?.end() ?? ''),
  );
  return isThere;
}
