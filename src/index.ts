// The library: the chat format as functions over plain arrays. What is exported here is public; everything else may change.

export {
  type Appender,
  type AppendOptions,
  append,
  appender,
  type OpenBlock,
  openBlock,
} from './chat/append.ts';
export { type DecodeOptions, decode } from './chat/decode.ts';
export { normalise } from './chat/normalise.ts';
export { type ParseOptions, parse } from './chat/parse.ts';
export { print } from './chat/print.ts';
export { EXIT, type ExitCode, Failure } from './errors.ts';
export type { Chat, Message, MessageInput, Origin, Tokens, Warn, Warning } from './types.ts';
export {
  type DependencyDefinition,
  defineWorkflow,
  type InputShape,
  type InputType,
  type InputValues,
  input,
  type ResultType,
  type TaskDefinition,
  type WorkflowDefinition,
  type WorkflowJob,
  z,
} from './workflows/public.ts';
