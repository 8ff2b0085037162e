// What the command line says about the question, and about how to ask it. Types only.

/** What the command line says about how to ask; each wins over the chat. */
export interface AskFlags {
  /** Asks in the name of this agent. */
  readonly agent?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
  readonly backend?: string | undefined;
  /** `key=value` each. */
  readonly options?: readonly string[];
  readonly format?: string | undefined;
  /** `false`: no answer from the cache, and none into it. */
  readonly cache?: boolean;
  readonly allowRemote?: boolean;
  /** Workflows whose tasks are tools. */
  readonly workflows?: readonly string[];
  /** Where requests and replies are recorded, those of delegated work too. */
  readonly record?: string | undefined;
  /** Where new jobs go. */
  readonly jobs?: string | undefined;
  readonly budget?: { readonly tokens?: number | undefined; readonly cost?: number | undefined };
}

/** What the command line says about the question. */
export interface AskArguments {
  readonly words: readonly string[];
  readonly chatFile: string | undefined;
  readonly template: string | undefined;
  readonly files: readonly string[];
  readonly imports: readonly string[];
  readonly literal: boolean;
}
