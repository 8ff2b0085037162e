// Tools with which an agent asks others. None yet.
import type { Caller } from '../ask/types.ts';
import type { Tool } from '../types.ts';
import type { Live, Session } from './types.ts';

export async function delegationTools(
  _live: Live,
  _caller: Caller,
  _session: Session,
): Promise<readonly Tool[]> {
  return [];
}
