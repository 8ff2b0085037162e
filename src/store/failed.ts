// What a failed job says: from a thrown error to what is written down, and back from what stands in an `.info`.

import { Failure, Interruption } from '../errors.ts';
import { readRubyException } from './ruby-exception.ts';
import type { JobError, JobInfo } from './types.ts';

/** What is kept of an error. An interruption, a network trouble, a time limit, a full disk, and a program, a model or a key that is missing may pass; everything else is the job's answer. */
export function toJobError(error: unknown): JobError {
  if (!(error instanceof Error))
    return { class: 'Error', message: text(error), recoverable: false };
  return {
    class: error.name === '' ? 'Error' : error.name,
    message: error.message,
    recoverable: causes(error).some(mayPass),
  };
}

const text = (error: unknown): string => {
  try {
    return typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error));
  } catch {
    return String(error);
  }
};

/** What it says, with its class where that says more. */
export function saidBy({ class: name, message }: Pick<JobError, 'class' | 'message'>): string {
  return /^(?:Error|Failure)$/.test(name) ? message : `${name}: ${message}`;
}

/** The lines of the stacks, those of the causes too. */
export function backtraceOf(error: unknown): readonly string[] | undefined {
  if (!(error instanceof Error)) return undefined;
  const stacks = causes(error).map((each, index) => {
    const stack = each instanceof Error ? stackOf(each) : String(each);
    return index === 0 ? stack : `caused by: ${stack}`;
  });
  return stacks.join('\n').split('\n').slice(0, 100);
}

/** Of a Failure that has a place in the workflow that is the stack: its own leads through this program. */
function stackOf(error: Error): string {
  if (!(error instanceof Failure) || typeof error.at !== 'object')
    return error.stack ?? String(error);
  const { file, line } = error.at;
  return `${error.message}\n    at ${file}:${line}`;
}

function causes(error: unknown): readonly unknown[] {
  const found: unknown[] = [];
  for (let each = error; each !== undefined && found.length < 8; ) {
    found.push(each);
    each = each instanceof Error ? each.cause : undefined;
  }
  return found;
}

const NAMES = /^(?:AbortError|TimeoutError|Interruption)$/;
const CODES =
  /^(?:UND_ERR_(?!INVALID|NOT_SUPPORTED)\w+|E(?:CONN\w+|TIMEDOUT|PIPE|HOST\w+|NET\w+|AI_\w+|NOTFOUND|NOSPC|DQUOT|MFILE|NFILE|NOMEM|IO|BUSY|AGAIN|STALE)|ENOTFOUND|ABORT_ERR)$/;
const FAILURES =
  /^(?:connection|rate_limited|overloaded|server|timeout|stream_dropped|first_token_timeout|retry_exhausted|interrupted|killed|tool_timeout)$/;
/** What this machine or this account lacks at the moment; another one that shares the folder may have it. */
const FAILURE_CODES =
  /^(?:disk-full|too-many-files|no-permission|read-only|no-python|command-not-found|(?:unknown|unreadable)-endpoint|(?:missing|bad)-key|key-command|key-held-back|no-model|model-missing|(?:runtime|npm)-missing|no-recording|not-recorded|not-authorized|out-of-credits|credits-held)$/;

/** Errors can also say so themselves: `recoverable: true` on the error, or among the facts of a Failure. */
function mayPass(error: unknown): boolean {
  if (error instanceof Interruption) return true;
  if (error instanceof Failure)
    return (
      error.facts.recoverable === true ||
      FAILURES.test(String(error.facts.kind ?? '')) ||
      FAILURE_CODES.test(error.code)
    );
  if (!(error instanceof Error)) return false;
  if ('recoverable' in error && error.recoverable === true) return true;
  return NAMES.test(error.name) || ('code' in error && CODES.test(String(error.code)));
}

/** The failure that an `.info` tells of; undefined when it tells of none. */
export function readJobError(info: JobInfo): JobError | undefined {
  const { exception, recoverable } = info;
  if (exception === undefined || exception === null) return undefined;
  const read = readException(exception) ?? lastMessage(info);
  return { ...read, recoverable: recoverable ?? RUBY_RECOVERABLE.test(read.class) };
}

/** Classes of scout-ai that say that a try was cut short, not that the work is wrong. */
const RUBY_RECOVERABLE =
  /^(?:Aborted|Interrupt|SignalException|TryAgain|TryThis|ProcessFailed|LockInterrupted|.*Timeout.*|Net::.+|OpenURLError|SocketError|(?:Errno::)?E(?:CONN\w+|TIMEDOUT|PIPE|HOST\w+|NET\w+|NOSPC)|IOError|EOFError|ConcurrentStreamProcessFailed)$/;

function readException(exception: unknown): Omit<JobError, 'recoverable'> | undefined {
  if (typeof exception === 'string')
    return readRubyException(exception) ?? { class: 'Error', message: exception };
  if (typeof exception !== 'object' || exception === null) return undefined;
  const fields = exception as Readonly<Record<string, unknown>>;
  const message = typeof fields.message === 'string' ? fields.message : undefined;
  const name = typeof fields.class === 'string' ? fields.class : 'Error';
  return message === undefined ? undefined : { class: name, message };
}

function lastMessage({ messages }: JobInfo): Omit<JobError, 'recoverable'> {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return { class: 'Error', message: typeof last === 'string' ? last : 'it says nothing more' };
}
