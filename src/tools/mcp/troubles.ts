// What goes wrong with servers, in words: for the one who asks, and for the model. Keys are taken out before anything is cut.

import { configFailure, type Failure } from '../../errors.ts';
import { LateError } from './connection.ts';
import { shownPlace } from './declaration.ts';
import type { ServerPlace, ServerSettings } from './types.ts';

export interface AttemptState {
  /** How it ended by itself; undefined while it runs. */
  fate(): string | undefined;
  /** Status of its last answer; 0 when there was none. */
  status(): number;
}

export interface AttemptOptions {
  readonly place: ServerPlace;
  readonly name: string;
  readonly settings: Pick<ServerSettings, 'hide' | 'entry'>;
  /** Milliseconds. */
  readonly limit: number;
}

/** Why a server could not be started, and what to do about it. */
export function startFailure(
  error: unknown,
  attempt: AttemptState,
  options: AttemptOptions,
): Failure {
  const { place, name, limit } = options;
  const hide = options.settings.hide;
  const make = (code: string, why: string, next: string) =>
    configFailure(code, hide(`the MCP server "${name}" ${why}`), {
      next,
      detail: [hide(shownPlace(place)).slice(0, 200)],
      cause: withoutKeys(error, hide),
    });
  const status = attempt.status();
  const system = codeOf(error);
  if (place.kind === 'program' && (system === 'ENOENT' || system === 'EACCES'))
    return make(
      'mcp-command',
      `cannot be started: ${system === 'ENOENT' ? 'there is no command' : 'it may not be run:'} "${place.command}"`,
      'check the name, install it, or give its path',
    );
  if (status === 401 || status === 403)
    return make(
      'mcp-refused',
      `refuses this client (HTTP ${status})`,
      options.settings.entry === undefined
        ? `name its key in etc/mcp.yaml: an entry with \`url: ${new URL(shownPlace(place)).origin}\` and \`key_env: NAME\` (chat-mcp(5))`
        : `check the key of "${options.settings.entry.name}" in ${options.settings.entry.file}`,
    );
  const fate = attempt.fate();
  if (fate !== undefined)
    return make('mcp-unavailable', `ended before it answered: ${fate}`, 'run its command by hand');
  if (error instanceof LateError)
    return make(
      'mcp-unavailable',
      `did not answer within ${limit / 1000} s (mcp_start_timeout)`,
      'raise `option: mcp_start_timeout`, or run it by hand and see what it waits for',
    );
  if (place.kind === 'address' && status === 0)
    return make(
      'mcp-unavailable',
      `cannot be reached${system === undefined ? '' : ` (${system})`}: ${messageOf(error, hide)}`,
      'check the address, and that the server runs',
    );
  return make(
    'mcp-unavailable',
    `does not speak the protocol${status < 300 || statusOf(error) !== undefined ? '' : ` (HTTP ${status})`}: ${messageOf(error, hide)}`,
    'check the address or command: it may be no MCP server',
  );
}

/** The same error for `--debug`, which shows everything that it holds. */
function withoutKeys(error: unknown, hide: (text: string) => string, depth = 0): unknown {
  if (!(error instanceof Error)) return hide(String(error));
  const isLast = error.cause === undefined || depth > 4;
  const cause = isLast ? {} : { cause: withoutKeys(error.cause, hide, depth + 1) };
  const copy = new Error(hide(error.message), cause);
  copy.name = error.name;
  copy.stack = hide(error.stack ?? '');
  return copy;
}

/** The system's word for what went wrong, wherever in the chain of causes it stands. */
function codeOf(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; depth++) {
    if ('code' in at && typeof at.code === 'string' && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(at.code))
      return at.code;
    at = at.cause;
  }
  return undefined;
}

/** Whether an end of the program may be behind it that is told in a moment: an answer, and a limit that is over, are none. */
export function mayBeItsEnd(error: unknown): boolean {
  if (error instanceof LateError) return false;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code !== 'number' && code !== 'REQUEST_TIMEOUT';
}

/** Whether the server has answered, if only with an error. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'number';

/** In one line, and not a whole page of it; with its status when it is an answer. Keys go before it is cut, so that none is cut in two. */
export function messageOf(error: unknown, hide: (text: string) => string): string {
  if (!(error instanceof Error)) return line(String(error), hide);
  if (error.name === 'ZodError' || /^\[\s*\{\s*"code": *"/.test(error.message))
    return 'its answer is no message of the protocol';
  const asked = /^Cannot fulfil input request .*'([\w/]+)' on this client/.exec(error.message)?.[1];
  if (asked !== undefined) return `it asks back (${asked}), and nobody can answer it here`;
  const status = statusOf(error);
  const text = line(error.message.replace(/^Error POSTing to endpoint: ?/, ''), hide);
  if (status === undefined) return text;
  return text === '' ? `HTTP ${status}` : `HTTP ${status}: ${text}`;
}

const line = (text: string, hide: (text: string) => string): string =>
  hide(text.slice(0, 10_000).replace(/\s+/g, ' ')).trim().slice(0, 300);

/** The status of the answer that the error is about. */
const statusOf = (error: unknown): number | undefined =>
  error instanceof Error && 'status' in error && typeof error.status === 'number'
    ? error.status
    : undefined;

/** Whether the server has forgotten the session: 404 says so; servers that were started anew often say 400, and why. */
export const isExpired = (error: unknown): boolean =>
  statusOf(error) === 404 || (statusOf(error) === 400 && /session/i.test(String(error)));

/** How servers word it that a tool is unknown to them. */
const UNKNOWN = /-32602|-32601|(?:unknown|no such) tool|tool\b.*\b(?:not found|not exist|unknown)/i;

export const saysUnknown = (text: string): boolean => UNKNOWN.test(text);

/** Why a request failed; `limit` in milliseconds, and what it is called. */
export function requestTrouble(
  error: unknown,
  hide: (text: string) => string,
  limit: { readonly milliseconds: number; readonly option: string },
): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'REQUEST_TIMEOUT' || error instanceof LateError)
    return `it did not answer within ${limit.milliseconds / 1000} s (${limit.option})`;
  return messageOf(error, hide);
}
