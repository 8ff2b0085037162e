// What one chat tells of requests and jobs. Pure: messages in, facts out; nothing in the chat is compiled or obeyed.

import type { Chat, Warn } from '../types.ts';
import { metaFields } from './meta-fields.ts';
import { plainRequest } from './plain-request.ts';
import { receipts } from './receipts.ts';
import { countReason, jobOf, type Mutable, requestFields } from './request-fields.ts';
import { type ToolCallRecord, toolCallStatus, toolCalls } from './tool-calls.ts';
import type {
  CallCounts,
  ChatFacts,
  ChatProblem,
  JobReference,
  RequestFields,
  RequestRecord,
} from './types/facts.ts';

/** Facts of a chat in order. Requests that no id identifies still lack their lineage (`withLineage`). Linear; never throws. */
export function chatFacts(chat: Chat): ChatFacts {
  const requests: Mutable<RequestRecord>[] = [];
  const jobs: JobReference[] = [];
  const problems: ChatProblem[] = [];
  // The last request, as long as no message came from it.
  let barren: Mutable<RequestRecord> | undefined;
  let hasCalls = false;
  let index = -1;
  const warn: Warn = ({ code, message }) =>
    problems.push({ reason: countReason(code), message, place: [index] });
  const requestOrJob = (content: string): RequestFields | undefined => {
    const fields = metaFields(content);
    const reference = jobOf(fields);
    if (reference !== undefined) jobs.push({ reference, index });
    return requestFields(fields, warn);
  };
  for (const { role, content } of chat) {
    index++;
    if (role === 'meta') {
      if (barren !== undefined) barren.orphan = true;
      const request = plainRequest(content) ?? requestOrJob(content);
      barren = request && recordOf(request, index);
      if (barren !== undefined) requests.push(barren);
    } else if (role === 'user' || role === 'system') {
      if (barren !== undefined) barren.orphan = true;
      barren = undefined;
    } else {
      barren = undefined;
      if (!hasCalls) hasCalls = role === 'function_call' || role === 'mcp_call';
    }
  }
  if (barren !== undefined) barren.orphan = true;
  const calls = hasCalls ? toolCalls(chat) : NONE;
  const found = receipts(calls, (problem) => problems.push(problem));
  return {
    requests: orNone(requests),
    receipts: orNone(found),
    jobs: orNone(firstOfEach(jobs)),
    calls: countCalls(calls),
    problems: orNone(problems),
  };
}

/** The same object: a store has a hundred thousand of them. */
function recordOf(request: RequestFields, index: number): Mutable<RequestRecord> {
  const record = request as Mutable<RequestRecord>;
  record.index = index;
  return record;
}

function firstOfEach(jobs: readonly JobReference[]): readonly JobReference[] {
  if (jobs.length < 2) return jobs;
  const known = new Set<string>();
  return jobs.filter(({ reference }) => !known.has(reference) && known.add(reference));
}

/** Most chats have none of most things: they share it. */
const orNone = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : list);

const NONE: readonly never[] = [];

function countCalls(calls: readonly ToolCallRecord[]): CallCounts {
  if (calls.length === 0) return NO_CALLS;
  let failed = 0;
  let open = 0;
  for (const call of calls) {
    const { success } = toolCallStatus(call);
    if (success === null) open++;
    else if (!success) failed++;
  }
  return { total: calls.length, failed, open };
}

const NO_CALLS: CallCounts = { total: 0, failed: 0, open: 0 };
