// Makes protocol servers, one for each client: what they list, call and read is the same for all.

import type {
  ListToolsResult,
  McpServerFactory,
  ServerContext,
} from '@modelcontextprotocol/server';
import { nearestNames } from '../nearest.ts';
import type { PlannedJob } from '../store/types.ts';
import type { Clock } from '../world/types/clock.ts';
import { type CallPorts, callTool } from './call.ts';
import type { Library } from './library.ts';
import type { Made } from './made.ts';
import type { Offer, ServedTool } from './offer.ts';
import { type ProgressNote, type ProgressTeller, tellProgress } from './progress.ts';

export interface Service extends CallPorts {
  readonly offer: Offer;
  readonly made: Made;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Of this program. */
  readonly version: string;
}

export function serverFactory(library: Library, service: Service): McpServerFactory {
  const { offer, made } = service;
  const listed: ListToolsResult = { tools: offer.tools.map(listing) };
  return () => {
    const server = new library.Server(
      { name: 'scout-chat', title: titleOf(offer), version: service.version },
      { capabilities: { tools: {}, resources: {} }, instructions: instructions(offer) },
    );
    server.setRequestHandler('tools/list', () => listed);
    server.setRequestHandler('tools/call', ({ params }, context) =>
      callTool(toolOf(params.name, service, library), params.arguments ?? {}, service, {
        signal: signalOf(context),
        begin: (job) => follow(job, context, service),
      }),
    );
    server.setRequestHandler('resources/list', () => ({ resources: [...made.list()] }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
    server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
      const found = await made.read(uri);
      if (found === undefined)
        throw new library.ResourceNotFoundError(
          uri,
          `no job of this server has its result at ${uri}`,
        );
      return { contents: [found] };
    });
    return server;
  };
}

type Listed = ListToolsResult['tools'][number];

/** Equal calls are one job, so a second one changes nothing; what a task does besides nobody knows. */
function listing({ spec, task }: ServedTool): Listed {
  const title = `${task.name} (${task.workflow})`;
  return {
    name: spec.name,
    title,
    description: spec.description,
    inputSchema: spec.parameters as Listed['inputSchema'],
    annotations: { title, ...(task.exec ? {} : { idempotentHint: true }) },
  };
}

const titleOf = ({ workflows }: Offer): string => workflows.map(({ name }) => name).join(', ');

function instructions({ workflows }: Offer): string {
  const about = workflows.map(({ name, title, description }) =>
    [title === name ? name : `${name}: ${title}`, description].filter(Boolean).join('\n'),
  );
  return [
    ...about,
    'Each call is a job that is kept: the same inputs are computed once. Of a result that is stored there is a link, which can be read.',
  ].join('\n\n');
}

function toolOf(
  name: string,
  { offer }: Service,
  { ProtocolError, ProtocolErrorCode }: Library,
): ServedTool {
  const tool = offer.tools.find(({ spec }) => spec.name === name);
  if (tool !== undefined) return tool;
  const names = offer.tools.map(({ spec }) => spec.name);
  const [near] = nearestNames(name, names);
  const next = near === undefined ? `the tools: ${names.join(', ')}` : `did you mean "${near}"?`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}; ${next}`);
}

/** Aborts when the client cancels the call, and when it goes away. */
function signalOf({ mcpReq, http }: ServerContext): AbortSignal {
  const stop = new AbortController();
  const sources = [mcpReq.signal, ...(http?.req === undefined ? [] : [http.req.signal])];
  for (const source of sources) {
    const abort = () => stop.abort(new DOMException(reasonOf(source), 'AbortError'));
    if (source.aborted) abort();
    source.addEventListener('abort', abort, { once: true });
  }
  return stop.signal;
}

const reasonOf = ({ reason }: AbortSignal): string =>
  typeof reason === 'string' && reason !== ''
    ? `its client cancelled it: ${reason}`
    : 'its client cancelled it or left';

/** Progress goes to a client that asked for it. */
function follow(job: PlannedJob, { mcpReq }: ServerContext, { clock }: Service): ProgressTeller {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { onEvent() {}, end() {} };
  const send = (note: ProgressNote) => {
    const params = { progressToken, ...note };
    // A client that is gone needs no progress.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  return tellProgress(job, send, clock);
}
