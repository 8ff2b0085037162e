// Boxes of drawings that tests make without a store.

import type { Box } from '../../../src/prov/render/drawing.ts';

/** A job without anything to tell. */
export const jobBox = (id: string, frame: string | undefined, own: Partial<Box> = {}): Box => ({
  id,
  kind: 'job',
  name: id,
  detail: '',
  status: undefined,
  isRoot: false,
  count: 1,
  tooltip: id,
  file: undefined,
  frame,
  ...own,
});
