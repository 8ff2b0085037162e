// Cases of fixtures/vectors.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A JSON file of fixtures/vectors, trusted to have the shape that the test says. */
export function vectors<T>(name: string): T {
  const file = join(import.meta.dirname, '../../fixtures/vectors', name);
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
