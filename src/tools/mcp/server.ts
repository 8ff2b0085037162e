// One server during a run: started when it is needed first, started again when it died, asked for its tools, called.

import { Failure } from '../../errors.ts';
import type { ToolContext, ToolOutput, Warn } from '../../types.ts';
import type { ListCache } from './cache.ts';
import { callTool, LateError, listAll } from './connection.ts';
import { shownPlace } from './declaration.ts';
import { readTools } from './listing.ts';
import { toolOutput } from './result.ts';
import { mayBeItsEnd, messageOf, type Started, type StartWorld, startServer } from './start.ts';
import { callAsTask } from './task-call.ts';
import type { Limits, ListedTool, ServerPlace, ServerSettings, ToolList } from './types.ts';

export interface Server {
  readonly name: string;
  /** What it lists now; the list is kept on disk. Rejects with a Failure when it cannot be started or does not answer. */
  list(limits: Limits, signal: AbortSignal): Promise<ToolList>;
  /** Never rejects: what goes wrong is told in the output. */
  call(
    tool: ListedTool,
    args: Readonly<Record<string, unknown>>,
    context: ToolContext,
    limits: Limits,
  ): Promise<ToolOutput>;
  /** Ends it, with everything that came from it. */
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly place: ServerPlace;
  readonly name: string;
  readonly settings: ServerSettings;
  readonly lists: ListCache;
  readonly warn: Warn;
}

/** A server may be started again so often in a run. */
const RESTARTS = 3;

export function createServer(options: ServerOptions, world: StartWorld): Server {
  const { place, name, settings, lists, warn } = options;
  const closing = new AbortController();
  const listeners = new Set<(text: string) => void>();
  let starting: Promise<Started> | undefined;
  let starts = 0;

  const onListChanged = async () => {
    // The next run asks again, also when this one has no time to.
    await lists.forget(settings.digest);
    const started = await starting?.catch(() => undefined);
    if (started !== undefined && !closing.signal.aborted)
      await fetchList(started, 10_000).catch(() => {});
  };
  const start = (limits: Limits) =>
    startServer(
      {
        place,
        name,
        settings,
        limit: limits.start,
        signal: closing.signal,
        onListChanged: () => void onListChanged(),
        onLog: (text) => {
          for (const tell of listeners) tell(settings.hide(text.slice(0, 500)));
        },
        onNoise: (text) =>
          warn({
            code: 'mcp-noise',
            message: `the MCP server "${name}" writes text to its standard output that is no message, which is skipped: ${JSON.stringify(settings.hide(text.trim().slice(0, 120)))}`,
          }),
      },
      world,
    );
  /** The connection that is there, or a new one in place of one that is gone. */
  const connected = async (limits: Limits): Promise<Started> => {
    for (;;) {
      const current = starting;
      const going = await current?.catch(() => undefined);
      if (going !== undefined && going.fate() === undefined) return going;
      // Somebody else saw the same end first.
      if (starting !== current) continue;
      if (starts > RESTARTS)
        throw new Error(`it was started ${starts} times in this run and did not last`);
      starting = renewed(going, limits);
      return starting;
    }
  };
  const renewed = async (gone: Started | undefined, limits: Limits): Promise<Started> => {
    starts += 1;
    await gone?.close();
    return start(limits);
  };
  const fetchList = async (
    { client }: Started,
    limit: number,
    signal: AbortSignal = closing.signal,
  ): Promise<ToolList> => {
    const list = readTools(await listAll(client, limit, signal));
    await lists.put(settings.digest, settings.hide(shownPlace(place)), list);
    return list;
  };

  const attempt = async (
    tool: ListedTool,
    args: Readonly<Record<string, unknown>>,
    { signal, tell }: ToolContext,
    limits: Limits,
  ): Promise<ToolOutput> => {
    const started = await orStopped(connected(limits), signal);
    const told = (text: string) => tell?.(text);
    listeners.add(told);
    try {
      const run = tool.isTask === true ? callAsTask : callTool;
      const result = await run(started.client, tool, args, {
        signal,
        limit: limits.call,
        onProgress: told,
      });
      const output = toolOutput(result);
      if (output.exception !== undefined && UNKNOWN.test(output.exception))
        return (await missing(tool, started, limits)) ?? output;
      return output;
    } catch (error) {
      if (signal.aborted) throw error;
      if (mayBeItsEnd(error)) await started.settle();
      if (started.fate() === undefined && isExpired(started.status(), error))
        throw new ExpiredError(started);
      const why = started.fate() ?? words(error, limits);
      if (started.fate() === undefined && UNKNOWN.test(messageOf(error)))
        return (await missing(tool, started, limits)) ?? failed(why);
      return failed(why);
    } finally {
      listeners.delete(told);
    }
  };
  /** What is said about a tool that the server has no more; undefined when it has it. */
  const missing = async (tool: ListedTool, started: Started, limits: Limits) => {
    const list = await fetchList(started, limits.start).catch(() => undefined);
    if (list === undefined || list.tools.some((each) => each.name === tool.name)) return undefined;
    const names = list.tools.map((each) => each.name).slice(0, 50);
    return failed(`it has no tool "${tool.name}" any more; it has: ${names.join(', ') || 'none'}`);
  };
  const failed = (why: string): ToolOutput => ({
    content: null,
    exception: `the MCP server "${name}" failed: ${why}`,
  });

  return {
    name,
    async list(limits, signal) {
      const started = await orStopped(connected(limits), signal);
      try {
        return await fetchList(started, limits.start, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (mayBeItsEnd(error)) await started.settle();
        throw new Failure({
          code: 'mcp-unavailable',
          exitCode: 3,
          message: settings.hide(
            `the MCP server "${name}" lists no tools: ${started.fate() ?? words(error, { ...limits, call: limits.start })}`,
          ),
          next: 'run its command by hand, or leave it out',
        });
      }
    },
    async call(tool, args, { signal: shared, ...rest }, limits) {
      // One of its own: many calls would put too many listeners on the one that they share.
      const context = { ...rest, signal: AbortSignal.any([shared]) };
      const source = { mcp: `${name}/${tool.name}` };
      try {
        const output = await attempt(tool, args, context, limits).catch(async (error: unknown) => {
          if (!(error instanceof ExpiredError)) throw error;
          // A session that its server has forgotten is begun anew, and the call with it.
          if ((await starting?.catch(() => undefined)) === error.started) starting = undefined;
          void error.started.close();
          return attempt(tool, args, context, limits);
        });
        return { ...hidden(output, settings), ...source };
      } catch (error) {
        if (context.signal.aborted)
          return { content: null, exception: 'it was stopped', ...source };
        if (error instanceof Failure) return { content: null, exception: error.message, ...source };
        const why = error instanceof ExpiredError ? 'it forgets its sessions' : messageOf(error);
        return { ...failed(settings.hide(why)), ...source };
      }
    },
    async close() {
      closing.abort();
      const started = await starting?.catch(() => undefined);
      starting = undefined;
      await started?.close();
    },
  };
}

/** 404 says that a session is gone; servers that were started anew often say 400, and why. */
const isExpired = (status: number, error: unknown): boolean =>
  status === 404 || (status === 400 && /session/i.test(messageOf(error)));

/** The session is not known to its server any more. */
class ExpiredError extends Error {
  readonly started: Started;

  constructor(started: Started) {
    super('its session has expired');
    this.started = started;
  }
}

/** How servers word it that a tool is unknown to them. */
const UNKNOWN = /-32602|unknown tool|tool\b.*\bnot found|no such tool|-32601/i;

function words(error: unknown, { call }: Limits): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'REQUEST_TIMEOUT' || error instanceof LateError)
    return `it did not answer within ${call / 1000} s (mcp_timeout)`;
  return messageOf(error);
}

function hidden(output: ToolOutput, { hide }: ServerSettings): ToolOutput {
  const { content, exception } = output;
  return {
    ...output,
    content: typeof content === 'string' ? hide(content) : content,
    ...(exception === undefined ? {} : { exception: hide(exception) }),
  };
}

/** Waits no longer than the signal lets it. */
function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
