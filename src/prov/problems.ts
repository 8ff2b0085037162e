// Problems as they are told: once each, with place and reason, as a Failure for programs and as a warning for reports.

import { Failure, workFailure } from '../errors.ts';
import type { ChatProblem } from './types/facts.ts';
import type { Address, CallReference, NodeKind, Relation } from './types/places.ts';
import type { Problem, ProvenanceWarning, WarningReason } from './types/warnings.ts';

export interface Trouble {
  readonly reason: WarningReason;
  readonly message: string;
  readonly kind?: NodeKind;
  /** Path of the node, or what was asked for. */
  readonly object: string;
  /** Path of the file that it is about, when that is not the node's. */
  readonly source?: string;
  readonly relation?: Relation;
  readonly reference?: string;
  readonly address?: Address;
  readonly call?: CallReference;
  /** What was thrown. */
  readonly cause?: unknown;
}

export function problem(trouble: Trouble): Problem {
  const { kind, object, relation, reference } = trouble;
  const warning = warningOf(trouble);
  return { error: failureOf(trouble, warning), kind, object, relation, reference, warning };
}

/** A problem that lies in a chat's messages. */
export function chatTrouble(path: string, { reason, message, place, call }: ChatProblem): Trouble {
  return {
    reason,
    message,
    kind: 'chat',
    object: path,
    ...(place === undefined ? {} : { address: [path, ...place] }),
    ...(call === undefined ? {} : { call, relation: 'agent_job' }),
  };
}

function warningOf(trouble: Trouble): ProvenanceWarning {
  return {
    reason: trouble.reason,
    source: trouble.source ?? trouble.object,
    address: trouble.address ?? null,
    call_id: trouble.call?.id ?? null,
    tool_name: trouble.call?.tool ?? null,
    message: trouble.message,
  };
}

function failureOf(trouble: Trouble, { source }: ProvenanceWarning): Failure {
  if (trouble.cause instanceof Failure) return trouble.cause;
  const { reason, message, cause, address } = trouble;
  const at = address === undefined ? source : addressText(address);
  return workFailure(reason.replaceAll('_', '-'), message, {
    ...(at === null ? {} : { at }),
    ...(cause === undefined ? {} : { cause }),
  });
}

/** `path:index[key,entry]`, as far as the address goes. */
export function addressText([path, index, key, entry]: Address): string {
  if (index === undefined) return path;
  return key === undefined ? `${path}:${index}` : `${path}:${index}[${key},${entry}]`;
}
