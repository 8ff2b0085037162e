// From records of requests, wherever copies of them stand, to events: one for each real request.

import { workFailure } from '../errors.ts';
import { addressText } from './problems.ts';
import type { RequestFields } from './types/facts.ts';
import type { ProvenanceNode } from './types/graph.ts';
import type { Deduplication, Evidence, Identity, TokenEvent } from './types/tokens.ts';
import type { ProvenanceWarning } from './types/warnings.ts';

export interface EventOptions {
  /** Told about each event whose evidence disagrees. */
  readonly warn?: (warning: ProvenanceWarning) => void;
  /** Throws a Failure (exit 1) at the first such event instead. */
  readonly strict?: boolean;
}

/**
 * The events that the chats among the nodes tell of, in the order of their first evidence: what chats record themselves in the order of
 * `nodes`, then what only receipts tell. Records belong together by inference id, else by the provider's id, else (chats) by lineage; a
 * receipt without an id is an event of its own. Tokens are those of the first evidence; nothing is ever added up. Model, endpoint and time
 * are those of the first that tells them.
 */
export function tokenEvents(
  nodes: Iterable<ProvenanceNode>,
  { warn, strict = false }: EventOptions = {},
): TokenEvent[] {
  const records = gather([...nodes]);
  return records.map((record) => {
    const disputed = disputes(record.evidence);
    const event = eventOf(record, disputed.length > 0);
    if (disputed.length === 0) return event;
    const warning = conflictWarning(event, disputed);
    if (strict)
      throw workFailure('identity-conflict', warning.message, {
        at: addressText(event.evidence[0].address),
      });
    warn?.(warning);
    return event;
  });
}

interface EventRecord {
  readonly identity: Identity;
  readonly evidence: [Evidence, ...Evidence[]];
}

function gather(nodes: readonly ProvenanceNode[]): readonly EventRecord[] {
  const records: EventRecord[] = [];
  const known: Readonly<Record<Deduplication, Map<string | number, EventRecord>>> = {
    inference_id: new Map(),
    provider_response_id: new Map(),
    legacy_lineage: new Map(),
    receipt_unresolved: new Map(),
  };
  const add = (identity: Identity, evidence: Evidence): void => {
    const [kind, id = ''] = identity;
    const key = identity.length > 2 ? identity.slice(1).join(' ') : id;
    const record = known[kind].get(key);
    if (record !== undefined) return void record.evidence.push(evidence);
    const made: EventRecord = { identity, evidence: [evidence] };
    known[kind].set(key, made);
    records.push(made);
  };
  for (const { kind, path, facts } of nodes)
    if (kind === 'chat' && facts !== undefined)
      for (const request of facts.requests) {
        const address = [path, request.index] as const;
        const { lineage = addressText(address) } = request;
        add(identityOf(request) ?? ['legacy_lineage', lineage], {
          origin: 'chat_meta',
          source: path,
          address,
          call_id: null,
          tool_name: null,
          request,
        });
      }
  for (const { kind, path, facts } of nodes)
    if (kind === 'chat' && facts !== undefined)
      for (const { request, place, call } of facts.receipts) {
        if (request === undefined) continue;
        const address = [path, ...place] as const;
        add(identityOf(request) ?? ['receipt_unresolved', ...address], {
          origin: 'agent_meta',
          source: path,
          address,
          call_id: call.id,
          tool_name: call.tool,
          request,
        });
      }
  return records;
}

function identityOf({ inference, response }: RequestFields): Identity | undefined {
  if (inference !== undefined) return ['inference_id', inference];
  return response === undefined ? undefined : ['provider_response_id', response];
}

function eventOf({ identity, evidence }: EventRecord, conflict: boolean): TokenEvent {
  const { request } = evidence[0];
  return {
    inference_id: request.inference ?? null,
    identity,
    deduplication: identity[0],
    tokens: request.tokens,
    model: request.model ?? told(evidence, 'model'),
    endpoint: request.endpoint ?? told(evidence, 'endpoint'),
    timestamp: request.timestamp ?? told(evidence, 'timestamp'),
    conflict,
    incomplete_evidence: isIncomplete(evidence),
    evidence,
  };
}

/** What the first record lacks another may still have: a request without a model has no price, and one without a time no day. */
function told(evidence: readonly Evidence[], field: 'model' | 'endpoint' | 'timestamp') {
  for (const { request } of evidence) if (request[field] !== undefined) return request[field];
  return null;
}

/** Some copies have the provider's id and some lost it: no contradiction, but less is sure. */
function isIncomplete(evidence: readonly Evidence[]): boolean {
  if (evidence.length === 1) return false;
  const known = evidence.filter(({ request }) => request.response !== undefined).length;
  return known > 0 && known < evidence.length;
}

interface Dispute {
  readonly field: string;
  /** Different values in the order in which they were found. */
  readonly values: readonly (string | number)[];
}

/** What pieces of evidence contradict each other on; what one of them lacks is no contradiction. */
export function disputes(evidence: readonly Evidence[]): readonly Dispute[] {
  if (evidence.length === 1) return NO_DISPUTE;
  return DISPUTABLE.flatMap(([field, read]) => {
    const values = new Set<string | number>();
    for (const { request } of evidence) {
      const value = read(request);
      if (value !== undefined && value !== null) values.add(value);
    }
    return values.size > 1 ? [{ field, values: [...values] }] : [];
  });
}

const NO_DISPUTE: readonly Dispute[] = [];

const DISPUTABLE: readonly (readonly [
  string,
  (request: RequestFields) => string | number | undefined | null,
])[] = [
  ['pt', ({ tokens }) => tokens.pt],
  ['ct', ({ tokens }) => tokens.ct],
  ['tt', ({ tokens }) => tokens.tt],
  ['provider_response_id', ({ response }) => response],
];

function conflictWarning(
  { identity, evidence }: TokenEvent,
  disputed: readonly Dispute[],
): ProvenanceWarning {
  const what = disputed.map(({ field, values }) => `${field} ${values.join(' or ')}`).join(', ');
  const [first] = evidence;
  return {
    reason: 'identity_conflict',
    source: first.source,
    address: null,
    call_id: null,
    tool_name: null,
    message: `${evidence.length} records of ${identity.join(' ')} disagree (${what}); it is counted once, as in ${addressText(first.address)}`,
  };
}
