// The nouns of the program: plain readonly records that every layer shares. Types only, no behaviour.

/** Where a message, an option or a warning came from. `line` counts from 1. */
export interface Origin {
  readonly file?: string;
  readonly line: number;
}

/** One entry of a chat. Content is text in memory as on disk; structured readings are derived by functions. */
export interface Message {
  readonly role: string;
  readonly content: string;
  readonly origin?: Origin;
}

/** A conversation is a plain array; functions read arrays and return new ones. */
export type Chat = readonly Message[];

/** What may be printed: objects and arrays become their JSON text, null and undefined become ''. */
export interface MessageInput {
  readonly role: string;
  readonly content?: unknown;
  readonly origin?: Origin;
}

/** Something worth telling that does not stop the work. `code` is stable and kebab-case. */
export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly origin?: Origin;
}

export type Warn = (warning: Warning) => void;

/** Token counts of one request. A count that the provider did not give stays absent: it is never 0 by guess. */
export interface Tokens {
  /** prompt tokens, cached ones included */
  readonly pt?: number;
  /** completion tokens, reasoning included */
  readonly ct?: number;
  /** total */
  readonly tt?: number;
  /** prompt tokens read from the provider's cache */
  readonly cct?: number;
  /** prompt tokens written to the provider's cache */
  readonly cwt?: number;
  /** reasoning tokens */
  readonly rt?: number;
}

/** Option values as typed, in a chat (`option: key value`) or on the command line (`-o key=value`). */
export type Options = Readonly<Record<string, string>>;

/** Money for one million tokens, in the currency of the endpoint file (US dollars in the built-in list). */
export interface Price {
  readonly input?: number;
  readonly output?: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
}

/** What a model sees of a tool. `parameters` is a JSON Schema of type object. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ToolContext {
  readonly callId: string;
  readonly chat: Chat;
  readonly signal: AbortSignal;
  /** Tells those who watch how far the call is. May be called at any rate; the last text counts. */
  readonly tell?: (text: string) => void;
}

/** An image that a tool made. */
export interface ToolImage {
  readonly mediaType: string;
  readonly base64: string;
}

export interface ToolOutput {
  /** A string is sent as it is, everything else as JSON, nothing as `success`. */
  readonly content: unknown;
  /** What went wrong, in place of a content: the call failed. */
  readonly exception?: string;
  /** Attached behind the output, in order. */
  readonly images?: readonly ToolImage[];
  /** `SERVER/TOOL` of an MCP server: the tool's own name may differ from the one that the model has. */
  readonly mcp?: string;
  /** Fields of the meta messages that delegated work made. */
  readonly receipts?: readonly Readonly<Record<string, unknown>>[];
  /** Path of the stored job that made it. */
  readonly job?: string;
  /** The job was there already: nothing was computed. */
  readonly reused?: boolean;
}

export interface Tool extends ToolSpec {
  /** May not run beside other calls of its batch. */
  readonly alone?: boolean;
  call(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolOutput>;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The provider's argument text, or the object it sent. Text that is not JSON stays text. */
  readonly arguments: string | Readonly<Record<string, unknown>>;
}

/** Bytes of an image or a PDF, loaded before a request is built so that building stays pure. */
export interface Attachment {
  readonly path: string;
  readonly mediaType: string;
  readonly base64: string;
}
