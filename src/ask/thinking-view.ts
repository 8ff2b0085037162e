// What a model thinks, dim on standard error as it arrives: text between, line ends kept, nothing in it that a terminal would obey.

import { type NeutralStream, neutralStream } from '../terminal/neutralise.ts';
import type { Output } from '../world/types/streams.ts';

export interface ThinkingView {
  /** Whether its last line may still go on. */
  readonly open: boolean;
  push(text: string): void;
  /** Ends its last line. Nothing when there was no thinking since the last end. */
  end(): void;
}

/** White space before the first word and at the end is left out. */
export function thinkingView(output: Pick<Output, 'noteRaw' | 'stderr'>): ThinkingView {
  let stream: NeutralStream | undefined;
  let started = false;
  let waiting = '';
  const write = (text: string) => {
    const shown = started ? waiting + text : text.trimStart();
    const end = shown.trimEnd().length;
    waiting = shown.slice(end);
    if (end === 0) return;
    started = true;
    const visible = shown.slice(0, end);
    output.noteRaw(output.stderr.colour ? `\u001b[2m${visible}\u001b[22m` : visible);
  };
  return {
    get open() {
      return started;
    },
    push(text) {
      stream ??= neutralStream();
      write(stream.push(text));
    },
    end() {
      write(stream?.end() ?? '');
      if (started) output.noteRaw('\n');
      stream = undefined;
      started = false;
      waiting = '';
    },
  };
}
