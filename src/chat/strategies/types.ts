// What a context strategy is. Types only.

import type { Chat } from '../../types.ts';

/** What a strategy may know besides the prompt. */
export interface StrategyContext {
  /** Settings of the run: command line over chat over agent over endpoint file over environment. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly backend: string;
  readonly model?: string;
  /** Path of the chat that is asked; absent when it is not saved. */
  readonly saveFile?: string;
}

/**
 * Takes a prompt to a prompt on its way to the model; what is stored never changes. Messages that it does not change it hands on as
 * they are, not as copies, and a call and its output it keeps or drops together.
 */
export type Strategy = (prompt: Chat, context: StrategyContext) => Chat | Promise<Chat>;
