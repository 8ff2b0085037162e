// What a workflow file may import. A small entry of its own, so that loading a workflow loads little else.

import { string } from 'zod';

export {
  type ChatJob,
  type ChatResult,
  type ChatTaskDefinition,
  chatTask,
  type JobAgentOptions,
} from './chat-task.ts';
export {
  type DependencyDefinition,
  defineWorkflow,
  type InputShape,
  type InputValues,
  type TaskDefinition,
  type WorkflowDefinition,
  type WorkflowJob,
} from './define.ts';
export type { InputType, ResultType } from './types.ts';
export * as z from './zod.ts';

/** Text inputs of special kinds; they chain like every zod string. */
export const input = {
  /** Text that may be long. */
  text: () => string().meta({ input: 'text' }),
  /** The path of a file or folder; the path alone is part of the job's identity. */
  path: () => string().meta({ input: 'path' }),
  /** The path of a file whose content is part of the job's identity: another content, another job. */
  file: () => string().meta({ input: 'file' }),
};
