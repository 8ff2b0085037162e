// What is served, and what serving needs. Types only.

import type { ToolSpec } from '../types.ts';
import type { ToolInputs } from '../workflows/schema.ts';
import type { Task, Workflow } from '../workflows/types.ts';

/** A task under the name that clients call it by. */
export interface ServedTool {
  readonly spec: ToolSpec;
  readonly task: Task;
  readonly inputs: ToolInputs;
}

export interface Offer {
  readonly workflows: readonly Workflow[];
  readonly tools: readonly ServedTool[];
}

/** The protocol library, loaded where something is served. */
export type Library = typeof import('@modelcontextprotocol/server');
