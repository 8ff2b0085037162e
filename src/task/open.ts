// The store of jobs together with the workflows of the search path: what commands, chats and tools open.

import { openStore, type Store } from '../store/store.ts';
import type { JobHost, StoreWorld } from '../store/types.ts';
import { taskFinder } from '../workflows/find.ts';
import { readInputs } from '../workflows/inputs.ts';
import type { Workflow } from '../workflows/types.ts';
import type { WorkflowWorld } from '../workflows/world.ts';

/** `jobs` is the folder that takes new jobs; `workflow` is one that is loaded already, and may lie outside the search path. Workflows that are dependencies are loaded when they are needed. */
export async function openTaskStore(
  world: StoreWorld & WorkflowWorld,
  {
    workflow,
    ...options
  }: { readonly jobs?: string; readonly host?: JobHost; readonly workflow?: Workflow } = {},
): Promise<Store> {
  return openStore(world, {
    ...options,
    findTask: taskFinder(world, (name) => (name === workflow?.name ? workflow : undefined)),
    readInputs: (task, given) => readInputs(task, given),
  });
}
