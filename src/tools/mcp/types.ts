// MCP servers as chats name them, the tools they list, and what a run knows of one. Types only.

import type { Origin } from '../../types.ts';

/** How a server is reached. */
export type ServerPlace =
  | { readonly kind: 'program'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'address'; readonly url: string };

/** `mcp: URL [tool…]` or `mcp: stdio COMMAND… [-- tool…]`. */
export interface ServerDeclaration {
  readonly place: ServerPlace;
  /** The tools that are wanted; all of them when empty. */
  readonly only: readonly string[];
  readonly origin?: Origin;
}

/** A tool as its server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of type object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** It can only run as a task of its server. */
  readonly isTask?: true;
}

/** All tools of a server. */
export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** Why tools were left out, a line each. */
  readonly problems: readonly string[];
}

/** A tool of a server that is to get a name. */
export interface NamedTool {
  /** Of the server, as messages show it. */
  readonly server: string;
  readonly tool: ListedTool;
}

/** What a server is given beside its place, from `etc/mcp.yaml`. */
export interface ServerSettings {
  /** All of the environment of a program. */
  readonly env: Readonly<Record<string, string>>;
  /** Told to an address; the key comes with them. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** The entry of `etc/mcp.yaml` that it has, and its file; undefined when it has none. */
  readonly entry?: { readonly name: string; readonly file: string };
  /** Takes keys out of text that comes from the server or is about it. */
  hide(text: string): string;
  /** Tells lists of tools apart that the server may give to different keys. */
  readonly digest: string;
}

/** Milliseconds; 0 is no limit. */
export interface Limits {
  /** Of one call; progress renews it. */
  readonly call: number;
  /** Until the server has answered the first time. */
  readonly start: number;
}
