// A backend whose requests and replies are recorded, when that is asked for.

import type { Backend } from '../backends/types.ts';
import type { Files } from '../world/types/files.ts';

/** The backend itself without a file; else one that adds each exchange to it. */
export async function recorded(
  backend: Backend,
  file: string | undefined,
  files: Pick<Files, 'append'>,
): Promise<Backend> {
  if (file === undefined) return backend;
  const { recording } = await import('../backends/record.ts');
  return recording(backend, (line) => files.append(file, line));
}
