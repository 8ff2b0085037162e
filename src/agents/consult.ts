// One agent asks another: its prompt goes in as one user message, its answer comes back as the output of a tool, with receipts.

import type { Caller } from '../ask/types/agents.ts';
import { answer } from '../chat/select.ts';
import { errorWords, Failure } from '../errors.ts';
import type { ToolContext, ToolOutput } from '../types.ts';
import { type Inherit, inherited } from './inherit.ts';
import { withFixedPlaces } from './places.ts';
import { receiptsOf } from './receipts.ts';
import { handOffName, memberOf, openConversation } from './society.ts';
import type { Live, Member, Session, Spoken, Template } from './types.ts';

export interface Consultation {
  readonly agent: string;
  readonly prompt: string;
  /** `once`: a fresh conversation that nothing follows. `hand-off`: the one that handing over goes on with, or the next. */
  readonly conversation: { readonly name: string } | 'once' | { readonly handOff: 'last' | 'next' };
  readonly inherit: Inherit;
}

export interface Consulting {
  readonly live: Live;
  readonly caller: Caller;
  readonly session: Session;
}

const AT_ONCE = 3;
export const DEEPEST = 8;

/** Rejects only with the signal's reason. What else goes wrong is told in the output, with what it has cost. */
export async function consult(
  what: Consultation,
  { live, caller, session }: Consulting,
  context: ToolContext,
): Promise<ToolOutput> {
  const deepest = live.maxDepth ?? DEEPEST;
  if (live.depth >= deepest)
    return failed(
      `agents may ask each other at most ${deepest} deep (max_depth), so this one can ask no other`,
    );
  const member = memberFor(what, live);
  const { ask_agents: most } = caller.settings;
  const work = () =>
    live.turns.take(typeof most === 'number' ? most : AT_ONCE, async () => {
      context.signal.throwIfAborted();
      return speak(what, member, { live, caller, session }, context);
    });
  // Calls of one conversation follow each other in the order in which the model made them.
  const going = member.last.then(work);
  member.last = going.catch(() => {});
  return going;
}

function memberFor({ agent, conversation }: Consultation, live: Live): Member {
  if (conversation === 'once') return { last: Promise.resolve(), live: undefined };
  return memberOf(live, 'name' in conversation ? `${agent}/${conversation.name}` : `${agent}/`);
}

async function speak(
  what: Consultation,
  member: Member,
  consulting: Consulting,
  context: ToolContext,
): Promise<ToolOutput> {
  const { session, caller } = consulting;
  try {
    const template = await session.load(what.agent);
    const child = await childFor(what, member, template, consulting, context);
    member.live = child;
    const spoken = await session.ask(child, {
      question: [{ role: 'user', content: what.prompt }],
      signal: context.signal,
      delegated: caller.options,
      flags: delegatedFlags(session),
    });
    // A call that came to its own time limit is told with what it cost; a run that is stopped is not gone on with.
    session.world.signal.throwIfAborted();
    return outputOf(spoken);
  } catch (error) {
    session.world.signal.throwIfAborted();
    return failed(messageOf(error));
  }
}

async function childFor(
  what: Consultation,
  member: Member,
  template: Template,
  { live, caller, session }: Consulting,
  { chat }: ToolContext,
): Promise<Live> {
  const { conversation, inherit } = what;
  const isNext =
    conversation !== 'once' && 'handOff' in conversation && conversation.handOff === 'next';
  if (member.live !== undefined && !isNext) return member.live;
  const name =
    conversation === 'once'
      ? undefined
      : 'name' in conversation
        ? conversation.name
        : await handOffName(live, template.name, isNext, session.world);
  const begin = () =>
    withFixedPlaces(
      inherited(inherit, caller, chat, live.depth === 0 ? session.flags.workflows : []),
      session.world,
    );
  return openConversation(live, template, name, begin, session);
}

function outputOf({ added, failure, spent = [] }: Spoken): ToolOutput {
  const receipts = receiptsOf([...added, ...spent]);
  const extra = receipts.length === 0 ? {} : { receipts };
  if (failure !== undefined) return { ...failed(messageOf(failure)), ...extra };
  return { content: answer(added) ?? '', ...extra };
}

const failed = (exception: string): ToolOutput => ({ content: null, exception });

const messageOf = (error: unknown): string => {
  if (!(error instanceof Failure)) return errorWords(error);
  const { message, next } = error;
  return next === undefined ? message : `${message}; ${next}`;
};

/** Of the command line, what is about the one that a person asks alone does not reach those that it asks. */
export function delegatedFlags({ flags }: Session): Session['flags'] {
  const { agent: _, format: _format, workflows: _workflows, options = [], ...rest } = flags;
  return { ...rest, options: options.filter((each) => !PRIVATE.test(each)) };
}

const PRIVATE = /^\s*(?:agent|format|persist|previous_response_id|tool_choice|max_depth)\s*=/;
