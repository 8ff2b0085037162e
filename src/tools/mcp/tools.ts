// From the `mcp:` messages of a chat to tools: lists come from disk where they are fresh, names are made, servers start when one is called.

import { Failure, locate, usageFailure } from '../../errors.ts';
import { didYouMean } from '../../nearest.ts';
import type { Chat, Origin, Tool, Warn } from '../../types.ts';
import { readServer } from './declaration.ts';
import { nameTools } from './names.ts';
import type { KnownServer, Servers } from './servers.ts';
import type { Limits, ListedTool, ServerDeclaration, ToolList } from './types.ts';

export interface McpOptions {
  readonly servers: Servers;
  readonly warn: Warn;
  readonly limits: Limits;
  /** Names that other tools have. */
  readonly taken: readonly string[];
  /** `false`: servers whose list is not known are left out, with a warning. */
  readonly mayStart: boolean;
  /** Stops what is waited for. */
  readonly signal: AbortSignal;
}

/** So many tools of one server are used when the chat does not say which. */
const MOST = 100;

/** Tools by server and name. Rejects with a Failure, at its line, for a declaration that cannot work: a command that is not there, a server that refuses, a tool that it does not have. */
export async function mcpTools(declared: Chat, options: McpOptions): Promise<readonly Tool[]> {
  const wanted = await byServer(declared.map(readServer), options.servers);
  // Those that have to be started start side by side.
  const listed = await Promise.all(wanted.map((each) => toolsOf(each, options)));
  const labels = labelled(wanted);
  const all = listed
    .flat()
    .map((each) => ({ ...each, server: labels.get(each.known.digest) ?? each.known.server.name }))
    .sort((a, b) => order(a.server, b.server) || order(a.tool.name, b.tool.name));
  const { names, clashes } = nameTools(all, options.taken);
  for (const clash of clashes) options.warn({ code: 'mcp-name', message: clash });
  return all.map(({ known, server, tool }, index) => ({
    name: names[index] ?? tool.name,
    description: tool.description,
    parameters: tool.parameters,
    call: async (args, context) => ({
      ...(await known.server.call(tool, args, context, options.limits)),
      mcp: `${server}/${tool.name}`,
    }),
  }));
}

interface Wanted {
  readonly known: KnownServer;
  readonly declarations: readonly ServerDeclaration[];
}

interface Listed {
  readonly known: KnownServer;
  readonly tool: ListedTool;
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

async function byServer(
  declarations: readonly ServerDeclaration[],
  servers: Servers,
): Promise<readonly Wanted[]> {
  const found = new Map<string, Wanted>();
  for (const declaration of declarations) {
    const known = await located(
      declaration.origin,
      servers.at(declaration.place, declaration.origin?.file),
    );
    const before = found.get(known.digest)?.declarations ?? [];
    found.set(known.digest, { known, declarations: [...before, declaration] });
  }
  return [...found.values()];
}

/** Servers of one name are told apart by number, in the order of the chat: also of those that give no tools today, so that a name means the same one tomorrow. */
function labelled(wanted: readonly Wanted[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  return new Map(
    wanted.map(({ known: { digest, server } }) => {
      const count = (counts.get(server.name) ?? 0) + 1;
      counts.set(server.name, count);
      return [digest, count === 1 ? server.name : `${server.name}_${count}`];
    }),
  );
}

async function toolsOf(wanted: Wanted, options: McpOptions): Promise<readonly Listed[]> {
  const { known, declarations } = wanted;
  const [first] = declarations;
  const list = await listOf(wanted, options);
  if (list === undefined) return [];
  tellProblems(known, list, first?.origin, options.warn);
  const whole = declarations.some(({ only }) => only.length === 0);
  const names = new Set(declarations.flatMap(({ only }) => only));
  if (!whole) return chosen(known, list, names);
  const sorted = [...list.tools].sort((a, b) => order(a.name, b.name));
  if (sorted.length > MOST)
    options.warn({
      code: 'mcp-many-tools',
      message: `the MCP server "${known.server.name}" lists ${sorted.length} tools; the first ${MOST} by name are used. Name those that are wanted behind it: \`mcp: stdio COMMAND… -- tool…\`, \`mcp: URL tool…\``,
      ...(first?.origin === undefined ? {} : { origin: first.origin }),
    });
  const used = sorted.filter(({ name }, index) => index < MOST || names.has(name));
  return used.map((tool) => ({ known, tool }));
}

const chosen = (known: KnownServer, list: ToolList, names: ReadonlySet<string>) =>
  list.tools.filter(({ name }) => names.has(name)).map((tool) => ({ known, tool }));

/** Undefined: the run goes on without this server, and a warning has said why. */
async function listOf(
  { known, declarations }: Wanted,
  { warn, limits, mayStart, signal }: McpOptions,
): Promise<ToolList | undefined> {
  const { server, digest, lists } = known;
  const { origin } = declarations[0] ?? {};
  const kept = await lists.get(digest);
  // A tool that is named and not in a list that was kept may have come since.
  if (kept !== undefined && (!mayStart || isComplete(kept, declarations)))
    return checked(kept, declarations, server.name);
  if (!mayStart) {
    warn({
      code: 'mcp-unavailable',
      message: `the tools of the MCP server "${server.name}" are not known yet, and it is not started here`,
      ...(origin === undefined ? {} : { origin }),
    });
    return undefined;
  }
  try {
    return checked(await server.list(limits, own(signal)), declarations, server.name);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'mcp-unavailable' || isNaming(declarations))
      throw origin === undefined ? error : locate(error, origin);
    const next = error.next === undefined ? '' : `; ${error.next}`;
    warn({
      code: error.code,
      message: `${error.message}${next}; going on without its tools`,
      ...(origin === undefined ? {} : { origin }),
    });
    return undefined;
  }
}

/** A signal of its own, so that many servers put no more listeners on one than is usual. */
const own = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal]);

/** Who names tools needs them: without them the question would be another one. */
const isNaming = (declarations: readonly ServerDeclaration[]): boolean =>
  declarations.some(({ only }) => only.length > 0);

const isComplete = (list: ToolList, declarations: readonly ServerDeclaration[]): boolean =>
  declarations.every(({ only }) =>
    only.every((name) => list.tools.some((tool) => tool.name === name)),
  );

function checked(
  list: ToolList,
  declarations: readonly ServerDeclaration[],
  server: string,
): ToolList {
  const names = list.tools.map(({ name }) => name);
  for (const { only, origin } of declarations) {
    const missing = only.find((name) => !names.includes(name));
    if (missing === undefined) continue;
    const near = didYouMean(missing, names);
    const some = `its tools are: ${names.slice(0, 30).join(', ') || 'none'}`;
    throw usageFailure('missing-tool', `the MCP server "${server}" has no tool "${missing}"`, {
      ...(origin === undefined ? {} : { at: origin }),
      next: near === undefined ? some : `${near} ${some}`,
    });
  }
  return list;
}

const SHOWN = 5;

function tellProblems(
  { server }: KnownServer,
  { problems }: ToolList,
  origin: Origin | undefined,
  warn: Warn,
): void {
  const rest = problems.length - SHOWN;
  const lines = [...problems.slice(0, SHOWN), ...(rest > 0 ? [`${rest} more are left out`] : [])];
  for (const line of lines)
    warn({
      code: 'mcp-bad-tool',
      message: `the MCP server "${server.name}": ${line}`,
      ...(origin === undefined ? {} : { origin }),
    });
}

async function located<T>(origin: Origin | undefined, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw origin === undefined ? error : locate(error, origin);
  }
}
