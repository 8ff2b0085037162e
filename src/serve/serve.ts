// Serves tasks until the client is gone or a signal comes. Nothing runs any more when it returns.

import manifest from '../../package.json' with { type: 'json' };
import { EXIT, usageFailure } from '../errors.ts';
import { slotsFor } from '../store/produce.ts';
import { openStore, type Store } from '../store/store.ts';
import type { JobHost } from '../store/types.ts';
import { showJobs } from '../task/progress.ts';
import { neutralise } from '../terminal/neutralise.ts';
import { taskFinder } from '../workflows/find.ts';
import { readInputs } from '../workflows/inputs.ts';
import type { World } from '../world/types/world.ts';
import { inUrl, isLoopback, PATH } from './guard.ts';
import { serveHttp } from './http.ts';
import { type Library, loadLibrary } from './library.ts';
import { lineTransport } from './lines.ts';
import { createMade } from './made.ts';
import { type Offer, readOffer } from './offer.ts';
import { createRuns, type Runs } from './runs.ts';
import { serverFactory } from './server.ts';
import { newToken, tokenFrom } from './token.ts';

export interface ServeRequest {
  /** Each names a workflow, and perhaps a task with inputs, as a chat's `tool:` does. */
  readonly words: readonly string[];
  readonly jobs?: string;
  readonly cpus?: number;
  /** Over HTTP there, in place of standard input and output; port 0 is any free one. */
  readonly http?: HttpPlace;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

export interface HttpPlace {
  readonly host: string;
  readonly port: number;
  /** Name of the variable that holds the token. */
  readonly tokenEnv?: string;
}

/**
 * Exit code 0 when the client has closed standard input. Rejects with a Failure for what cannot be served, before a word of the
 * protocol, and with the signal's reason.
 */
export async function serveTasks(
  request: ServeRequest,
  world: World,
  host: JobHost,
): Promise<number> {
  const token = request.http === undefined ? undefined : tokenOf(request.http, request, world);
  // Before any workflow is loaded: also what it prints while it is loaded must not stand among messages.
  world.output.reserve();
  const offer = await readOffer(request.words, world);
  tellProblems(offer, world);
  const store = await storeOf(offer, request, world, host);
  const library = await loadLibrary();
  const shown = showJobs(world, request);
  const runs = createRuns(store, { slots: slotsFor(request.cpus), onEvent: shown.onEvent });
  const factory = serverFactory(library, {
    offer,
    store,
    runs,
    made: createMade(world.files),
    world,
    clock: world.clock,
    version: manifest.version,
  });
  try {
    if (request.http === undefined || token === undefined)
      await overLines(factory, runs, library, world);
    else await overHttp(factory, { ...request.http, token }, runs, { library, offer, world });
  } finally {
    shown.end();
  }
  world.signal.throwIfAborted();
  return EXIT.ok;
}

type Factory = ReturnType<typeof serverFactory>;

async function overLines(
  factory: Factory,
  runs: Runs,
  library: Library,
  world: World,
): Promise<void> {
  if (world.input.kind === 'terminal')
    world.output.note('waits for a client of the Model Context Protocol on standard input');
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const transport = lineTransport(world, library);
  const connection = serveStdio(factory, { transport });
  try {
    await Promise.race([transport.ended, stopOf(world.signal)]);
  } finally {
    await stopAll(runs, world.signal.aborted ? world.signal.reason : gone(), world);
    await connection.close();
  }
}

async function overHttp(
  factory: Factory,
  place: HttpPlace & { readonly token: ReturnType<typeof newToken> },
  runs: Runs,
  {
    library,
    offer,
    world,
  }: { readonly library: Library; readonly offer: Offer; readonly world: World },
): Promise<void> {
  const listening = await serveHttp(place, factory, { servers: world.servers, library });
  const count = offer.tools.length;
  const names = offer.workflows.map(({ name }) => name).join(', ');
  world.output.note(
    `serves ${count} ${count === 1 ? 'task' : 'tasks'} of ${neutralise(names)} at http://${inUrl(place.host)}:${listening.port}${PATH}`,
  );
  if (place.tokenEnv === undefined)
    world.output.note(`clients send the header  Authorization: Bearer ${place.token.reveal()}`);
  await stopOf(world.signal);
  await stopAll(runs, world.signal.reason, world);
  await listening.close();
}

function tokenOf({ host, tokenEnv }: HttpPlace, { quiet }: ServeRequest, { env }: World) {
  if (tokenEnv !== undefined) return tokenFrom(tokenEnv, env);
  if (!isLoopback(host))
    throw usageFailure('token-needed', `who serves at "${host}" needs a token of his own`, {
      next: 'name the variable that holds it: --token-env NAME',
    });
  if (quiet)
    throw usageFailure('token-needed', 'with --quiet the token that is made would not be shown', {
      next: 'leave --quiet out, or give a token: --token-env NAME',
    });
  return newToken();
}

function tellProblems({ workflows }: Offer, { output }: Pick<World, 'output'>): void {
  for (const { problems = [] } of workflows)
    for (const { message, code } of problems)
      output.note(`warning: ${neutralise(message)} (${code})`);
}

function storeOf(
  { workflows }: Offer,
  { jobs }: ServeRequest,
  world: World,
  host: JobHost,
): Promise<Store> {
  return openStore(world, {
    host,
    findTask: taskFinder(world, (name) => workflows.find((each) => each.name === name)),
    readInputs: (task, given) => readInputs(task, given),
    ...(jobs === undefined ? {} : { jobs }),
  });
}

/** How long the answers of stopped calls need to be on their way, in milliseconds. */
const LAST_WORDS = 50;

async function stopAll(
  runs: Runs,
  reason: unknown,
  { clock }: Pick<World, 'clock'>,
): Promise<void> {
  if (await runs.stop(reason)) await clock.sleep(LAST_WORDS);
}

/** Resolves when the signal aborts. */
const stopOf = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

const gone = () => new DOMException('its client left', 'AbortError');
