// What finding, loading and running workflows needs of the world.

import type { SearchWorld } from '../config/search.ts';
import type { Files } from '../world/types/files.ts';
import type { Processes } from '../world/types/processes.ts';
import type { Foreign } from '../world/types/workers.ts';

export interface WorkflowWorld extends SearchWorld {
  readonly files: Pick<Files, 'read' | 'stat' | 'list' | 'write' | 'remove'>;
  readonly processes: Processes;
  readonly foreign?: () => Promise<Foreign>;
}
