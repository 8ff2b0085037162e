// One server during a run: started when it is needed first, started again when it died, asked for its tools, called.

import { Failure } from '../../errors.ts';
import type { ToolContext, ToolOutput, Warn } from '../../types.ts';
import type { ListCache } from './cache.ts';
import { callTool, listAll, orStopped } from './connection.ts';
import { shownPlace } from './declaration.ts';
import { hiddenInList, hiddenInOutput } from './hiding.ts';
import { readTools } from './listing.ts';
import { toolOutput } from './result.ts';
import { type Started, type StartWorld, startServer } from './start.ts';
import { callAsTask } from './task-call.ts';
import {
  isAnswer,
  isExpired,
  mayBeItsEnd,
  messageOf,
  requestTrouble,
  saysUnknown,
} from './troubles.ts';
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
  const forgotten: Started[] = [];
  let starting: Promise<Started> | undefined;
  let starts = 0;
  let isListed = false;

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
          for (const tell of listeners) tell(text);
        },
        onNoise: (text) =>
          warn({
            code: 'mcp-noise',
            message: `the MCP server "${name}" writes text to its standard output that is no message, which is skipped: ${JSON.stringify(settings.hide(text.slice(0, 5000).trim()).slice(0, 120))}`,
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
  /** Works with the connection; a session that its server has forgotten is begun anew, and the work with it. */
  const inSession = async <T>(
    limits: Limits,
    signal: AbortSignal,
    work: (started: Started) => Promise<T>,
  ): Promise<T> => {
    const started = await orStopped(connected(limits), signal);
    try {
      return await work(started);
    } catch (error) {
      if (signal.aborted || !hasForgotten(started, error)) throw error;
      if ((await starting?.catch(() => undefined)) === started) {
        starting = undefined;
        // It did last: the server has ended the session, not itself.
        starts -= 1;
        // Others may be in the middle of the same discovery: their requests are not cut off.
        forgotten.push(started);
      }
    }
    return work(await orStopped(connected(limits), signal));
  };
  const fetchList = async (
    { client }: Started,
    limit: number,
    signal: AbortSignal = closing.signal,
  ): Promise<ToolList> => {
    const list = hiddenInList(readTools(await listAll(client, limit, signal)), settings.hide);
    isListed = true;
    await lists.put(settings.digest, settings.hide(shownPlace(place)), list);
    return list;
  };

  const attempt = async (
    started: Started,
    tool: ListedTool,
    args: Readonly<Record<string, unknown>>,
    { signal, tell }: ToolContext,
    limits: Limits,
  ): Promise<ToolOutput> => {
    // One line: what stands in a line of its own is said by this program.
    const told = (text: string) =>
      tell?.(settings.hide(text.slice(0, 10_000).replace(/\s+/g, ' ')).slice(0, 500));
    listeners.add(told);
    try {
      const run = tool.isTask === true ? callAsTask : callTool;
      const result = await run(started.client, tool, args, {
        signal,
        limit: limits.call,
        onProgress: told,
      });
      const output = toolOutput(result);
      if (output.exception === undefined) return output;
      return (await missing(tool, output.exception, started, limits)) ?? output;
    } catch (error) {
      if (signal.aborted) throw error;
      if (mayBeItsEnd(error)) await started.settle();
      if (hasForgotten(started, error)) throw error;
      const limit = { milliseconds: limits.call, option: 'mcp_timeout' };
      const why = started.fate() ?? requestTrouble(error, settings.hide, limit);
      if (started.fate() !== undefined || !isAnswer(error)) return failed(why);
      return (await missing(tool, why, started, limits)) ?? failed(why);
    } finally {
      listeners.delete(told);
    }
  };
  /**
   * What is said about a tool that the server has no more; undefined when it has it. A list that was kept from another run is made sure of at
   * the first failure, however the server words it; one of this run only when it says so.
   */
  const missing = async (tool: ListedTool, why: string, started: Started, limits: Limits) => {
    if (isListed && !saysUnknown(why)) return undefined;
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
      let fate: () => string | undefined = () => undefined;
      try {
        return await inSession(limits, signal, async (started) => {
          fate = started.fate;
          try {
            return await fetchList(started, limits.start, signal);
          } catch (error) {
            if (!signal.aborted && mayBeItsEnd(error)) await started.settle();
            throw error;
          }
        });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Failure) throw error;
        const limit = { milliseconds: limits.start, option: 'mcp_start_timeout' };
        throw new Failure({
          code: 'mcp-unavailable',
          exitCode: 3,
          message: settings.hide(
            `the MCP server "${name}" lists no tools: ${fate() ?? requestTrouble(error, settings.hide, limit)}`,
          ),
          next: 'run its command by hand, or leave it out',
        });
      }
    },
    async call(tool, args, { signal: shared, ...rest }, limits) {
      // One of its own: many calls would put too many listeners on the one that they share.
      const context = { ...rest, signal: AbortSignal.any([shared]) };
      try {
        const output = await inSession(limits, context.signal, (started) =>
          attempt(started, tool, args, context, limits),
        );
        return hiddenInOutput(output, settings.hide);
      } catch (error) {
        if (context.signal.aborted) return { content: null, exception: 'it was stopped' };
        if (error instanceof Failure) return { content: null, exception: error.message };
        const why = isExpired(error) ? 'it forgets its sessions' : messageOf(error, settings.hide);
        return failed(why);
      }
    },
    async close() {
      closing.abort();
      const started = await starting?.catch(() => undefined);
      starting = undefined;
      await Promise.all([started, ...forgotten].map((each) => each?.close()));
    },
  };
}

const hasForgotten = (started: Started, error: unknown): boolean =>
  started.fate() === undefined && started.hasSession() && isExpired(error);
