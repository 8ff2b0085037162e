// Every reference to a job that a chat makes, as it was written, and whether the job was found.

import type { Provenance } from '../types/graph.ts';
import type { Address, CallReference } from '../types/places.ts';

export interface JobMention {
  readonly address: Address;
  readonly relation: 'job' | 'agent_job';
  /** As it was written. */
  readonly reference: string;
  readonly call: CallReference;
  readonly found: boolean;
}

const NO_CALL: CallReference = { id: null, tool: null };

/** In the order of the chats, and of their messages. */
export function jobReferences({ nodes, warnings }: Provenance): readonly JobMention[] {
  const missing = new Set(
    warnings.flatMap(({ reason, address }) =>
      reason === 'unresolved_job_reference' && address !== null ? [address.join('\0')] : [],
    ),
  );
  return nodes.flatMap((node) => {
    if (node.kind !== 'chat' || node.facts === undefined) return [];
    const { jobs, receipts } = node.facts;
    const mention = (
      address: Address,
      relation: JobMention['relation'],
      reference: string,
      call: CallReference,
    ): JobMention => ({
      address,
      relation,
      reference,
      call,
      found: !missing.has(address.join('\0')),
    });
    return [
      ...jobs.map(({ reference, index }) => mention([node.path, index], 'job', reference, NO_CALL)),
      ...receipts.flatMap(({ job, place, call }) =>
        job === undefined ? [] : [mention([node.path, ...place], 'agent_job', job, call)],
      ),
    ];
  });
}
