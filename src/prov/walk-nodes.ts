// The nodes of a walk: each is read when it is first visited, and what is wrong with it is told then.

import { errorWords } from '../errors.ts';
import { chatTrouble, type Trouble } from './problems.ts';
import { readChat, reasonOf } from './read-chat.ts';
import type { ChatFacts } from './types/facts.ts';
import type { ChatNode, JobNode, ProvenanceNode } from './types/graph.ts';
import type { NodeKind } from './types/places.ts';
import type { ProvPorts } from './types/ports.ts';
import type { Place } from './walk-types.ts';

export interface Nodes {
  known(kind: NodeKind, place: Place): ProvenanceNode | undefined;
  /** To be asked for once for each kind and path. `facts` are those of a chat that was read already; those of a job stand at its place. */
  read(kind: NodeKind, place: Place, facts: ChatFacts | undefined): ProvenanceNode;
}

export function createNodes({ files, memory }: ProvPorts, tell: (trouble: Trouble) => void): Nodes {
  const chats = new Map<string, ChatNode>();
  return {
    known: (kind, place) => (kind === 'chat' ? chats.get(place.path) : place.job?.node),
    read: (kind, place, facts) => (kind === 'chat' ? chatAt(place, facts) : jobAt(place)),
  };

  function chatAt(place: Place, known: ChatFacts | undefined): ChatNode {
    const { path } = place;
    const facts = known ?? readOrTell(place);
    for (const each of facts?.problems ?? []) tell(chatTrouble(path, each));
    const node: ChatNode = { kind: 'chat', path, facts };
    chats.set(path, node);
    return node;
  }

  function readOrTell(place: Place): ChatFacts | undefined {
    try {
      return readChat(place, files.now, memory);
    } catch (cause) {
      const reason = reasonOf(cause);
      tell({ reason, message: errorWords(cause), kind: 'chat', object: place.path, cause });
      return undefined;
    }
  }

  function jobAt({ path, job }: Place): JobNode {
    if (job?.facts === undefined) throw new Error(`nobody wanted ${path}`);
    const { facts } = job;
    if (facts.problem !== undefined) tell(infoTrouble(path, facts.problem));
    const node: JobNode = { kind: 'job', path, facts };
    job.node = node;
    return node;
  }
}

const infoTrouble = (path: string, why: string): Trouble => ({
  reason: 'broken_info',
  message: `the .info of this job cannot be read: ${why}`,
  kind: 'job',
  object: path,
  source: `${path}.info`,
});
