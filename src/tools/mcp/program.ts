// A server that is a program, as the client library's transport: lines in, lines out, noise told, the end of it noticed.

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { OpenProcess, Processes } from '../../world/types/processes.ts';
import { lineReader } from './lines.ts';
import type { ServerPlace } from './types.ts';

/** How long a server may take to end by itself when its input is closed, in milliseconds. */
const PATIENCE = 1000;
/** How much of its standard error is kept, in characters. */
const KEPT = 4000;

/** Lines that Node writes behind and after an error's message. */
const SOURCE = /^\s+at .*[:)>]\d*\)?(?: \{)?$|^Node\.js v\d/;

export interface ProgramOptions {
  readonly place: Extract<ServerPlace, { kind: 'program' }>;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Takes keys out of its last words. */
  readonly hide: (text: string) => string;
  /** Told once, the first time that it writes something else than messages to its standard output. */
  readonly onNoise: (text: string) => void;
}

/** One life of the program. */
export class ProgramTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly #options: ProgramOptions;
  readonly #processes: Pick<Processes, 'open'>;
  #open: Promise<OpenProcess> | undefined;
  #stderr = '';
  #fate: string | undefined;
  #told = false;
  #isClosing = false;
  #delivered: Promise<void> = Promise.resolve();

  constructor(options: ProgramOptions, processes: Pick<Processes, 'open'>) {
    this.#options = options;
    this.#processes = processes;
  }

  /** How it ended, when it ended by itself: `it ended with status 3`. */
  get fate(): string | undefined {
    return this.#fate;
  }

  /** The last lines of its standard error, without those that say only where in its source it was. */
  get lastWords(): string {
    const lines = this.#stderr.split('\n').filter((line) => line.trim() !== '');
    const telling = lines.filter((line) => !SOURCE.test(line));
    const last = (telling.length === 0 ? lines : telling).slice(-5).join('\n');
    return this.#options.hide(last).trim().slice(-1000);
  }

  async start(): Promise<void> {
    const { place, cwd, env, onNoise } = this.#options;
    let isNoisy = false;
    const reader = lineReader({
      onMessage: (message) => this.#deliver(message as JSONRPCMessage),
      onNoise: (text) => {
        if (!isNoisy) onNoise(text);
        isNoisy = true;
      },
    });
    this.#open = this.#processes.open(place.command, place.args, {
      cwd,
      env,
      onStdout: (bytes) => reader.push(bytes),
      onStderr: (text) => {
        this.#stderr = (this.#stderr + text.slice(-KEPT)).slice(-KEPT);
      },
    });
    const { ended } = await this.#open;
    void ended.then(({ code, signal }) => {
      if (!this.#isClosing) this.#fate ??= fateOf(code, signal);
      this.#tellEnd();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const open = await this.#open;
    try {
      await open?.write(`${JSON.stringify(message)}\n`);
    } catch (error) {
      // Mostly it has ended, which is told in a moment; what takes no input is as good as ended.
      await this.settle(700);
      this.#fate ??= 'it takes no input any more';
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    const open = await this.#open?.catch(() => undefined);
    await open?.close(PATIENCE);
    this.#tellEnd();
  }

  /** Resolves when it has ended, or after so many milliseconds. */
  async settle(milliseconds: number): Promise<void> {
    const open = await this.#open?.catch(() => undefined);
    if (open === undefined) return;
    const late = new Promise((resolve) => {
      setTimeout(resolve, milliseconds).unref();
    });
    await Promise.race([open.ended, late]);
  }

  /**
   * The library takes an answer at once and a notification a moment later: of two that came in one piece, the progress would be that of
   * a call that is over, and be dropped. So each is delivered when the one before has been taken.
   */
  #deliver(message: JSONRPCMessage): void {
    this.#delivered = this.#delivered
      .then(() => this.onmessage?.(message))
      .catch((error: unknown) =>
        this.onerror?.(error instanceof Error ? error : new Error(String(error))),
      );
  }

  #tellEnd(): void {
    if (this.#told) return;
    this.#told = true;
    this.onclose?.();
  }
}

function fateOf(code: number | null, signal: string | null): string {
  if (code !== null) return `it ended with status ${code}`;
  return signal === null ? 'it closed its output' : `it was ended by ${signal}`;
}
