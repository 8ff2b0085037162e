// What is told on standard error while jobs are computed: on a terminal a line for each that runs, elsewhere whole lines.

import type { JobEvent, PlannedJob } from '../store/types.ts';
import { liveLines } from '../terminal/live-lines.ts';
import { neutralise } from '../terminal/neutralise.ts';
import type { Clock, Output } from '../world/types.ts';

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
      const text = event.kind === 'wait' ? ` waits for ${neutralise(event.holder)}` : '';
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
  switch (event.kind) {
    case 'start':
      return `${name}: started`;
    case 'wait':
      return `${name}: waits for ${event.holder}`;
    case 'progress':
      return event.progress.message === undefined
        ? undefined
        : `${name}: ${howFar(event.progress)}`;
    case 'end': {
      const took = event.seconds === undefined ? '' : ` after ${event.seconds} s`;
      const why =
        event.error === undefined || event.status === 'aborted' ? '' : `: ${event.error.message}`;
      return `${name}: ${event.status}${took}${why}`;
    }
    default:
      return undefined;
  }
}

/** `Words/count`, with the name of the job where that says more; a digest is cut. */
function shortName({ task, name }: PlannedJob): string {
  const own = name
    .replace(/^Default/, '')
    .replace(/_([0-9a-f]{8})[0-9a-f]{24}/, ' $1')
    .trim();
  const plain = own.replace(/\.\w+$/, '');
  return neutralise(`${task.workflow}/${task.name}${plain === '' ? '' : ` ${plain}`}`);
}

function howFar({
  done,
  total,
  message,
}: {
  done: number;
  total?: number;
  message?: string;
}): string {
  const count = total === undefined ? `${done}` : `${done} of ${total}`;
  return message === undefined ? count : `${count} ${message}`;
}

function time({ since }: Running, clock: Pick<Clock, 'monotonic'>): string {
  const seconds = Math.floor((clock.monotonic() - since) / 1000);
  return seconds < 1 ? '' : ` ${seconds} s`;
}
