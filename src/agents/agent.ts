// An agent for programs: a conversation that begins with a start chat, is asked, goes on, and is saved. Loads what it needs when it is asked first.

import { addAll } from '../lists.ts';
import type { Chat, MessageInput } from '../types.ts';
import type { JobAgent } from '../workflows/types.ts';
import type { AgentOptions, AnswerSchema } from './agent-options.ts';
import type { Opened } from './types.ts';

export class Agent implements JobAgent {
  /** Whether to try again after a failure of `chat`, `ask` and `json`; may be changed at any time. */
  onError: AgentOptions['onError'];
  /** What ended its last ask, when that failed. */
  failure: unknown;
  readonly #options: AgentOptions;
  readonly #openIt: (options: AgentOptions) => Promise<Opened>;
  #opened: Promise<Opened> | undefined;
  #waiting: MessageInput[] = [];
  #saveFile: string | undefined;

  /** `open` finds and loads what it is made of. */
  constructor(options: AgentOptions, open: (options: AgentOptions) => Promise<Opened>) {
    this.#options = options;
    this.#openIt = open;
    this.#saveFile = options.saveFile;
    this.onError = options.onError;
  }

  /** Where its chat lives. */
  get saveFile(): string | undefined {
    return this.#saveFile;
  }

  set saveFile(file: string | undefined) {
    this.#saveFile = file;
  }

  /** Loads what it is made of; the first ask does so too. Rejects with a configuration Failure (exit code 3) when it cannot be used. */
  async load(): Promise<this> {
    await this.#open();
    return this;
  }

  /**
   * Begins a new conversation from the start chat. The one before, when it is saved, is kept as `resets/TIME.chat` beside it. Messages
   * that were added and not asked yet belong to it, too.
   */
  async start(): Promise<this> {
    const opened = await this.#open();
    const { restart } = await import('./resets.ts');
    await restart(opened.live, opened.session);
    return this;
  }

  /** Adds a user message. The text is never read as chat text. */
  user(text: string): this {
    return this.add({ role: 'user', content: text });
  }

  /** Adds messages of any role. Objects become JSON text. */
  add(...messages: readonly MessageInput[]): this {
    addAll(this.#waiting, messages);
    return this;
  }

  /** The whole conversation, start chat first. */
  async currentChat(): Promise<Chat> {
    const { live } = await this.#open();
    const { fullChat } = await import('./save.ts');
    return fullChat(live);
  }

  /** What was said since it was made, or began anew. */
  async newMessages(): Promise<Chat> {
    const { live, begun } = await this.#open();
    return live.messages.slice(live.messages.length < begun ? 0 : begun);
  }

  /** Asks, appends everything that is new (metas, calls, outputs, answer) and returns the answer's text. Saves, also when it rejects: with a Failure, or the signal's reason. */
  async chat(): Promise<string> {
    const { answer } = await import('../chat/select.ts');
    return answer(await this.#speak({ appends: true })) ?? '';
  }

  /** Asks and returns the new messages, without appending them. Rejects with a Failure. */
  async ask(): Promise<Chat> {
    return this.#speak({ appends: false });
  }

  /**
   * As `chat`, and returns the answer as a value. With a schema it fits that: an answer that does not is asked for again once, then it is a Failure
   * (`answer-misfit`), and stays in the conversation.
   */
  async json<Value = unknown>(schema?: AnswerSchema): Promise<Value> {
    const { answer } = await import('../chat/select.ts');
    const format = schema === undefined ? 'json' : JSON.stringify(schema);
    const text = answer(await this.#speak({ appends: true, format })) ?? '';
    const { answerValue } = await import('../ask/fitting.ts');
    return answerValue(text) as Value;
  }

  /** Asks for a list and calls the function with each item, one after the other. Returns what it returned. */
  async iterate<Result>(
    prompt: string,
    use: (item: string, index: number) => Result | Promise<Result>,
  ): Promise<Result[]> {
    this.user(prompt);
    const { items } = await this.json<{ items: string[] }>({ items: 'string[]' });
    const results: Result[] = [];
    for (const [index, item] of items.entries()) results.push(await use(item, index));
    return results;
  }

  /** Asks for names with a value each and calls the function with each pair. Returns what it returned. */
  async iterateDictionary<Result>(
    prompt: string,
    use: (name: string, value: string) => Result | Promise<Result>,
  ): Promise<Result[]> {
    this.user(prompt);
    const { entries } = await this.json<{ entries: { name: string; value: string }[] }>({
      entries: [{ name: 'string', value: 'string' }],
    });
    const results: Result[] = [];
    for (const { name, value } of entries) results.push(await use(name, value));
    return results;
  }

  /**
   * Writes its whole chat to `saveFile` (or to the path) and those of every conversation that it delegated to below it; what is on disk already is not
   * written again. Returns the absolute paths whose content is current, sorted. What cannot be written is a warning. Rejects
   * with a usage Failure when there is neither a path nor a `saveFile`.
   */
  async save(path: string | undefined = this.#saveFile): Promise<readonly string[]> {
    const { live, session } = await this.#open();
    const { saveTree } = await import('./save-tree.ts');
    return saveTree(live, session, path);
  }

  async #open(): Promise<Opened> {
    this.#opened ??= this.#openIt(this.#options);
    // One that could not be opened may be repaired and tried again.
    this.#opened.catch(() => {
      this.#opened = undefined;
    });
    const opened = await this.#opened;
    await this.#settle(opened);
    return opened;
  }

  /** Puts what was added, and where it is saved, into the conversation. */
  async #settle({ live }: Opened): Promise<void> {
    const { placesOf } = await import('./live.ts');
    const { normalise } = await import('../chat/normalise.ts');
    const { place, below } = placesOf(this.#saveFile, live.name);
    if (live.place !== place) Object.assign(live, { place, below, written: undefined });
    if (this.#waiting.length > 0)
      live.messages = [...live.messages, ...normalise(this.#waiting.splice(0))];
  }

  async #speak({ appends, format }: { appends: boolean; format?: string }): Promise<Chat> {
    const { live, session, passed } = await this.#open();
    const { askLive } = await import('./ask.ts');
    const { saveTree } = await import('./save-tree.ts');
    const { signal = session.world.signal, onEvent } = this.#options;
    const { resourcesOf } = await import('../ask/resources.ts');
    const asked = appends ? live : { ...live, place: undefined };
    const release = resourcesOf(session.ledger).hold();
    const all: Chat[number][] = [];
    try {
      for (let attempt = 1; ; attempt++) {
        const { added, failure } = await askLive(asked, session, {
          question: [],
          signal,
          flags: { ...session.flags, ...(format === undefined ? {} : { format }) },
          ...(onEvent === undefined ? {} : { onEvent }),
          ...(passed === undefined ? {} : { delegated: passed }),
        }).finally(() => appends && this.#saveFile !== undefined && saveTree(live, session));
        addAll(all, added);
        this.failure = undefined;
        if (failure === undefined) return all;
        if (!signal.aborted && (await this.onError?.(failure, attempt)) === true) continue;
        this.failure = failure;
        throw failure;
      }
    } finally {
      await release();
    }
  }
}
