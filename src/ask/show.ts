// Shows a run to a person or a pipe: the answer on standard output, everything else on standard error.

import { answer } from '../chat/select.ts';
import { canRedraw } from '../terminal/live-line.ts';
import { neutralise } from '../terminal/neutralise.ts';
import type { Tokens } from '../types.ts';
import type { Clock } from '../world/types/clock.ts';
import type { Output } from '../world/types/streams.ts';
import {
  type AnswerSink,
  type BreakableAnswer,
  breakable,
  markdownAnswer,
  plainAnswer,
  silentAnswer,
} from './answer.ts';
import { thinkingView } from './thinking-view.ts';
import type { AskEvent } from './types/events.ts';

export interface ShowOptions {
  /** `text`: the answer as it arrives. `none`: something else owns standard output (`--json`, `--events -`). */
  readonly answer: 'text' | 'none';
  /** The plain text, also on a terminal. */
  readonly raw: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Text of a round that may still end in tool calls is held back, so that a pipe gets the answer alone. */
  readonly hold: boolean;
}

export interface Show {
  handle(event: AskEvent): Promise<void>;
  /** Ends the line of an answer and removes the status line. */
  end(): Promise<void>;
}

interface Status {
  set(text: string): void;
  countdown(text: string, milliseconds: number): void;
  clear(): void;
  note(text: string): void;
  end(): void;
}

export async function show(output: Output, clock: Clock, options: ShowOptions): Promise<Show> {
  const status = await statusOf(output, clock, options.quiet);
  const sink = await sinkOf(output, options, () => status.clear());
  const dim = (text: string) => (output.stderr.colour ? `\u001b[2m${text}\u001b[22m` : text);
  let ended = false;
  let held = '';
  /** Told when the answer's last line is complete. */
  const last: string[] = [];
  const thinking = thinkingView(output);
  // Elsewhere than on one terminal the answer and everything else do not meet.
  const shared = output.stdout.terminal && output.stderr.terminal;
  const inTheWay = () => shared && sink.open;
  /** Names of tools, progress and warnings are one line: they cannot forge a second one. */
  const say = (text: string, { keepLineEnds = false } = {}) => {
    thinking.end();
    if (!options.quiet) status.note(dim(neutralise(text, { keepLineEnds })));
  };
  const handlers: {
    [Kind in AskEvent['kind']]?: (event: Extract<AskEvent, { kind: Kind }>) => unknown;
  } = {
    request: ({ endpoint }) =>
      status.set(
        `asking ${endpoint.name}${endpoint.model === undefined ? '' : ` (${endpoint.model})`}`,
      ),
    text: ({ text }) => {
      thinking.end();
      if (options.hold) held += text;
      else return sink.push(text);
    },
    thinking: async ({ text }) => {
      if (!options.verbose || options.quiet) return;
      status.clear();
      if (shared) await sink.break();
      thinking.push(text);
    },
    progress: ({ phase, done, total }) => {
      // The status line is drawn over the line that the cursor is on.
      if (!thinking.open && !inTheWay()) status.set(progressText(phase, done, total));
    },
    retry: ({ notice }) => {
      thinking.end();
      const { attempt, maxRetries, delay, message } = notice;
      if (options.quiet) return;
      const again = `trying again (${attempt} of ${maxRetries})`;
      if (!canRedraw(output.stderr)) return status.countdown(`${message}; ${again}`, delay);
      // The line of the wait has room for its seconds only when the reason stands above it.
      say(message);
      status.countdown(again, delay);
    },
    restart: async ({ reason }) => {
      held = '';
      thinking.end();
      await sink.restart();
      say(`${reason}; the text so far is discarded, asking this round again`);
    },
    'asked-again': ({ reason }) => say(`${reason}; asking once more`),
    warning: ({ message }) => {
      // In the middle of an answer it would break its line.
      if (inTheWay()) last.push(`warning: ${message}`);
      else say(`warning: ${message}`);
    },
    inbox: ({ names }) => say(`added from the inbox: ${names.join(', ')}`),
    cached: ({ messages }) => {
      say('cached');
      return sink.push(answer(messages) ?? '');
    },
    reply: async ({ reply, seconds: took, misfit }) => {
      status.clear();
      thinking.end();
      if (options.verbose) last.push(usageText(reply.tokens, took));
      if (reply.calls.length > 0) {
        // What was said before the calls is no answer: the answer begins after them.
        await sink.break();
        for (const text of last.splice(0)) say(text);
      }
      if (misfit !== undefined) {
        held = '';
        say(`the answer does not fit its format (${misfit}); asking once more`);
        return options.hold ? undefined : sink.restart();
      }
      if (!options.hold || reply.calls.length > 0) {
        if (held !== '') say(held.trim(), { keepLineEnds: true });
        held = '';
        return;
      }
      const text = held;
      held = '';
      return sink.push(text);
    },
    'tool-start': ({ call }) => status.set(`running ${call.name}`),
    'tool-progress': ({ call, text }) =>
      options.verbose ? say(`${call.name}: ${text}`) : status.set(`running ${call.name}: ${text}`),
    'tool-end': ({ call, seconds: took, failed, reused }) =>
      say(
        reused
          ? `${call.name} was there already`
          : `${failed ? 'failed' : 'ran'} ${call.name} in ${seconds(took)}`,
      ),
  };
  return {
    async handle(event) {
      const handler = handlers[event.kind] as ((event: AskEvent) => unknown) | undefined;
      await handler?.(event);
    },
    async end() {
      if (ended) return;
      ended = true;
      thinking.end();
      status.clear();
      await sink.end();
      for (const text of last.splice(0)) say(text);
      status.end();
    },
  };
}

async function sinkOf(
  output: Output,
  options: ShowOptions,
  before: () => void,
): Promise<BreakableAnswer> {
  const write = (text: string) => {
    before();
    return output.write(text);
  };
  const { stdout } = output;
  const start = (): AnswerSink | Promise<AnswerSink> => {
    if (options.answer === 'none') return silentAnswer();
    if (!canRedraw(stdout) || options.raw) return plainAnswer(write, stdout.terminal);
    return markdownAnswer(write, stdout);
  };
  return breakable(await start(), start);
}

/** Elsewhere than on a terminal only what matters is told, in whole lines. */
async function statusOf(output: Output, clock: Clock, quiet: boolean): Promise<Status> {
  if (!quiet && canRedraw(output.stderr)) {
    const { statusLine } = await import('../terminal/status.ts');
    return statusLine(output, clock);
  }
  const note = (text: string) => {
    if (!quiet) output.note(text);
  };
  return {
    set: () => {},
    countdown: (text, delay) => note(`${neutralise(text)}, in ${seconds(delay / 1000)}`),
    clear: () => {},
    note,
    end: () => {},
  };
}

function progressText(phase: 'load' | 'prompt' | 'generate', done: number, total: number): string {
  const doing = { load: 'loading the model', prompt: 'reading the prompt', generate: 'answering' }[
    phase
  ];
  return total > 0 ? `${doing} ${Math.floor((100 * done) / total)} %` : doing;
}

function usageText(tokens: Tokens, took: number): string {
  const count = (value: number | undefined) =>
    value === undefined ? 'unknown' : value.toLocaleString('en-US');
  const cache = [
    ...(tokens.cct === undefined ? [] : [`${count(tokens.cct)} cached`]),
    ...(tokens.cwt === undefined ? [] : [`${count(tokens.cwt)} written`]),
  ];
  const reasoning = tokens.rt === undefined ? '' : ` (${count(tokens.rt)} reasoning)`;
  return `tokens: ${count(tokens.pt)} prompt${cache.length === 0 ? '' : ` (${cache.join(', ')})`}, ${count(tokens.ct)} completion${reasoning}, in ${seconds(took)}`;
}

const seconds = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
