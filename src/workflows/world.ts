// What finding, loading and running workflows needs of the world.

import type { SearchWorld } from '../config/search.ts';
import type { Files, Foreign, Processes } from '../world/types.ts';

export interface WorkflowWorld extends SearchWorld {
  readonly files: Pick<Files, 'read' | 'stat' | 'list' | 'write' | 'remove'>;
  readonly processes: Processes;
  readonly foreign?: () => Promise<Foreign>;
}
