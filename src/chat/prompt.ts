// From a compiled chat without its options to the messages that a provider gets. Changes nothing that is stored.

import { usageFailure } from '../errors.ts';
import { objectIn } from '../json.ts';
import type { Chat, Message, Origin, Warn } from '../types.ts';
import { at, short } from './find.ts';
import { pairCalls } from './pairs.ts';
import { KNOWN_ROLES, nearestRole } from './roles.ts';
import { groupRounds } from './rounds.ts';
import { isBlank } from './stages/clean.ts';

const CONVERSATION: ReadonlySet<string> = new Set(
  'system developer user assistant function_call function_call_output mcp_call image pdf provider_content'.split(
    ' ',
  ),
);
/** Bookkeeping: never sent, and nobody misses it. */
const SILENT: ReadonlySet<string> = new Set(['meta', 'skip', 'previous_response_id']);

export interface PromptOptions {
  /** Name of the backend that will be asked: what another one must get back verbatim is no use to it. */
  readonly backend: string;
  readonly warn: Warn;
  /** Nothing will be asked: a chat that ends in an answer is a warning and no failure. */
  readonly onlyShown?: boolean;
}

/**
 * What may reach the provider, in order: no bookkeeping, no blank turns, calls and outputs in pairs. Roles of this program
 * that this version cannot serve are left out with a warning. Rejects, before any request, an unknown role and a chat with
 * nothing to ask: both are usage Failures.
 */
export function prompt(chat: Chat, { backend, warn, onlyShown }: PromptOptions): Chat {
  checkRoles(chat);
  tellUnserved(chat, warn);
  const spoken = groupRounds(continued(chat, backend)).filter(
    (message) =>
      CONVERSATION.has(message.role) && !isBlank(message.content) && isFor(message, backend),
  );
  const paired = pairCalls(spoken, warn);
  checkQuestion(paired, chat.at(-1)?.origin, onlyShown === true ? warn : undefined);
  return paired;
}

/**
 * For the backend whose provider keeps conversations, the last response that the chat names as something that it gets back, at its place: what
 * stands before is known to it.
 */
function continued(chat: Chat, backend: string): Chat {
  if (backend !== 'responses') return chat;
  const named = chat.findLast(({ role }) => role === 'previous_response_id');
  const id = named?.content.trim() ?? '';
  if (named === undefined || id === '' || id === 'nil') return chat;
  const content = JSON.stringify({ backend, blocks: [{ type: 'previous_response', id }] });
  return chat.map((message) =>
    message === named ? { ...message, role: 'provider_content', content } : message,
  );
}

/** A role that no part of this program knows would reach the provider: a usage Failure with its place and what to do. */
export function checkRoles(chat: Chat): void {
  const unknown = chat.find(({ role, content }) => !isKnown(role) && !isBlank(content));
  if (unknown === undefined) return;
  const { role, origin } = unknown;
  const near = nearestRole(role);
  throw usageFailure('unknown-role', `unknown role "${role}"`, {
    ...at(origin),
    next: `${near === undefined ? '' : `did you mean "${near}:"? `}if it is text, write \`\\${role}:\``,
  });
}

const known: ReadonlySet<string> = new Set(KNOWN_ROLES);
const isKnown = (role: string): boolean => known.has(role) || CONVERSATION.has(role);

/** One warning a role, at its first place. */
function tellUnserved(chat: Chat, warn: Warn): void {
  const told = new Set<string>();
  for (const { role, content, origin } of chat) {
    if (CONVERSATION.has(role) || SILENT.has(role) || told.has(role) || isBlank(content)) continue;
    told.add(role);
    warn({
      code: 'role-not-served',
      message: `"${role}: ${short(content, 60)}" has no effect: this version does not serve the role`,
      ...(origin === undefined ? {} : { origin }),
    });
  }
}

function isFor({ role, content }: Message, backend: string): boolean {
  return role !== 'provider_content' || objectIn(content)?.backend === backend;
}

const ASKING: ReadonlySet<string> = new Set('user image pdf function_call_output'.split(' '));

/** Somebody has to have the last word but the model: a user, a file, or a tool. With `warn` an answer there is told and no failure. */
function checkQuestion(chat: Chat, end: Origin | undefined, warn: Warn | undefined): void {
  const last = chat.findLast(({ role }) => ASKING.has(role) || role === 'assistant');
  if (last === undefined)
    throw usageFailure('nothing-to-ask', 'there is nothing to ask: the chat has no question', {
      ...at(end),
      next: 'add a `user:` message, or give a question on the command line',
    });
  if (last.role !== 'assistant') return;
  if (warn === undefined)
    throw usageFailure(
      'already-answered',
      'there is nothing to ask: the last message is an answer',
      {
        ...at(last.origin),
        next: 'add a question at the end of the chat, or give one on the command line',
      },
    );
  warn({
    code: 'already-answered',
    message: 'the last message is an answer: asking needs a question behind it',
    ...(last.origin === undefined ? {} : { origin: last.origin }),
  });
}
