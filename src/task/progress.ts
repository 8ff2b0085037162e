// What is told on standard error while jobs are computed: on a terminal a line for each that runs, elsewhere whole lines.

import type { JobEvent, PlannedJob } from '../store/types.ts';
import { liveLines } from '../terminal/live-lines.ts';
import { neutralise } from '../terminal/neutralise.ts';
import type { Clock } from '../world/types/clock.ts';
import type { Output } from '../world/types/streams.ts';
import { howFar, taskName, wordsOf } from './event-words.ts';

export interface JobsShown {
  onEvent(event: JobEvent): void;
  /** Takes the lines away for good. */
  end(): void;
}

export interface JobsShownOptions {
  readonly quiet?: boolean;
  /** Lines of the jobs' logs, too. */
  readonly verbose?: boolean;
}

type Ports = {
  readonly output: Pick<Output, 'note' | 'noteRaw' | 'stderr'>;
  readonly clock: Pick<Clock, 'monotonic'>;
};

interface Running {
  readonly name: string;
  readonly since: number;
  text: string;
}

const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const INTERVAL = 100;

/** Every call is safe at any time, also after `end`. Its timer keeps no process alive; what is quick is never shown. */
export function showJobs({ output, clock }: Ports, options: JobsShownOptions = {}): JobsShown {
  if (options.quiet) return { onEvent() {}, end() {} };
  const lines = output.stderr.terminal && output.stderr.colour ? liveLines(output) : undefined;
  const running = new Map<string, Running>();
  let frame = 0;
  let ended = false;

  const draw = () => {
    frame += 1;
    const sign = FRAMES.charAt(frame % FRAMES.length);
    lines?.draw(
      [...running.values()].map((job) => `${sign} ${job.name}${job.text}${time(job, clock)}`),
    );
  };
  const timer = lines === undefined ? undefined : setInterval(draw, INTERVAL).unref();
  const note = (text: string) => {
    lines?.erase();
    output.note(neutralise(text));
  };
  const handle = (event: JobEvent) => {
    const { path } = event.job;
    const name = shortName(event.job);
    if (event.kind === 'log' && options.verbose) note(`${name}: ${event.text.trimEnd()}`);
    const told = options.verbose || lines === undefined ? tell(event, name) : undefined;
    if (told !== undefined) note(told);
    if (event.kind === 'end') running.delete(path);
    if (event.kind === 'start' || event.kind === 'wait') {
      const text = event.kind === 'wait' ? ` ${neutralise(wordsOf(event) ?? '')}` : '';
      running.set(path, { name, since: clock.monotonic(), text });
    }
    const shown = running.get(path);
    if (event.kind === 'progress' && shown !== undefined)
      shown.text = ` ${neutralise(howFar(event.progress))}`;
  };
  return {
    onEvent(event) {
      if (!ended) handle(event);
    },
    end() {
      ended = true;
      clearInterval(timer);
      lines?.erase();
    },
  };
}

/** A whole line for what begins and ends; undefined when there is nothing to say. */
function tell(event: JobEvent, name: string): string | undefined {
  const words = wordsOf(event);
  // Numbers alone would be a line for each step.
  const isCount = event.kind === 'progress' && event.progress.message === undefined;
  if (words === undefined || isCount) return undefined;
  return `${name}: ${words}${event.kind === 'end' ? ending(event) : ''}`;
}

function ending({ seconds, status, error }: Extract<JobEvent, { kind: 'end' }>): string {
  const took = seconds === undefined ? '' : ` after ${seconds} s`;
  return error === undefined || status === 'aborted' ? took : `${took}: ${error.message}`;
}

/** `Words/count`, with the name of the job where that says more; a digest is cut. */
function shortName(job: PlannedJob): string {
  const own = job.name
    .replace(/^Default/, '')
    .replace(/_([0-9a-f]{8})[0-9a-f]{24}/, ' $1')
    .trim();
  const plain = own.replace(/\.\w+$/, '');
  return neutralise(`${taskName(job)}${plain === '' ? '' : ` ${plain}`}`);
}

function time({ since }: Running, clock: Pick<Clock, 'monotonic'>): string {
  const seconds = Math.floor((clock.monotonic() - since) / 1000);
  return seconds < 1 ? '' : ` ${seconds} s`;
}
