// The roles that this program gives a meaning. Any other role is read and kept, but no provider is ever sent one.

import { nearestNames } from '../nearest.ts';

const ROLES_BY_PURPOSE = {
  conversation: 'system developer user assistant',
  calls: 'function_call function_call_output mcp_call provider_content',
  otherChats: 'import continue last',
  cleaning: 'clear clear_tools clean_role clear_role skip',
  work: 'task inline_task exec_task job inline_job step',
  files: 'file directory pdf image allow_path allow_read_path',
  options:
    'option sticky_option format persist endpoint model backend agent previous_response_id config',
  tools: 'tool introduce mcp kb association clear_associations socialize delegate toolkit',
  bookkeeping: 'meta',
};

/** Every role with a meaning, in the order of a table of them. */
export const KNOWN_ROLES: readonly string[] = Object.values(ROLES_BY_PURPOSE).flatMap((names) =>
  names.split(' '),
);

/** The known role that was probably meant, undefined when none is close. */
export function nearestRole(name: string): string | undefined {
  return nearestNames(name, KNOWN_ROLES)[0];
}
