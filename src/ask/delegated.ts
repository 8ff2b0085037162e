// What was used by others that a chat delegated to, as the outputs of its calls tell. Pure.

import { type MetaFields, tokensOf } from '../chat/meta.ts';
import type { Chat } from '../types.ts';
import { addTokens } from './totals.ts';

/** The sums of all receipts in these messages, each request once; undefined when they count nothing. */
export function delegatedTokens(messages: Chat): Readonly<Record<string, number>> | undefined {
  const requests = new Map<unknown, MetaFields>();
  for (const { role, content } of messages)
    if (role === 'function_call_output')
      for (const fields of receiptsOf(content)) requests.set(fields.inference_id ?? fields, fields);
  let sums: Readonly<Record<string, number>> = {};
  for (const fields of requests.values()) sums = addTokens(sums, tokensOf(fields));
  return Object.keys(sums).length === 0 ? undefined : sums;
}

function receiptsOf(content: string): readonly MetaFields[] {
  if (!content.includes('"meta"')) return [];
  try {
    const { meta } = JSON.parse(content) ?? {};
    return Array.isArray(meta) ? meta.filter((each) => typeof each === 'object' && each) : [];
  } catch {
    return [];
  }
}
