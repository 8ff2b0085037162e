// What tests of request bodies write again and again: messages of a chat, tools, and endpoints that are asked nothing.

import type { Endpoint } from '../../src/config/types.ts';
import type { Message, ToolSpec } from '../../src/types.ts';
import { fakeEndpoint } from './asking.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies of every shape
export type Wire = any;

type Settings = Readonly<Record<string, unknown>>;

/** A server on this machine. */
export const near = (settings: Settings = {}, rest: Partial<Endpoint> = {}): Endpoint =>
  fakeEndpoint('http://localhost:8080/v1', { ...rest, settings });

/** The provider whose protocols Chat Completions and Responses are. */
export const original = (settings: Settings = {}): Endpoint =>
  fakeEndpoint('https://api.openai.com/v1', { settings });

export const user = (content: string): Message => ({ role: 'user', content });
export const answer = (content: string): Message => ({ role: 'assistant', content });

export const call = (name: string, args: unknown = {}, id?: string): Message => ({
  role: 'function_call',
  content: JSON.stringify({ name, arguments: args, id }),
});

export const output = (content: unknown, id?: string): Message => ({
  role: 'function_call_output',
  content: JSON.stringify({ name: 'x', content, id }),
});

export const tool = (name: string, parameters: Settings = { type: 'object' }): ToolSpec => ({
  name,
  description: '',
  parameters,
});
