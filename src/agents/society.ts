// The conversations that one agent has with others: which are there, where they are kept, and how one goes on that was kept.

import * as path from 'node:path';
import { normalise } from '../chat/normalise.ts';
import { parse } from '../chat/parse.ts';
import { namesIn } from '../config/search.ts';
import type { Chat } from '../types.ts';
import type { World } from '../world/types/world.ts';
import { createLive } from './live.ts';
import { safeName } from './names.ts';
import { contentOf } from './save.ts';
import type { Live, Member, Session, Template } from './types.ts';

/** The member of that name. It is made when it is missing, so that calls that come later wait for the first. */
export function memberOf(live: Live, key: string): Member {
  const member = live.society.get(key) ?? { last: Promise.resolve(), live: undefined };
  live.society.set(key, member);
  return member;
}

/**
 * A conversation with the agent. One that was kept goes on from there; else it begins with what `inherited` gives. One that has no
 * name is fresh and is kept under one that nobody has.
 */
export async function openConversation(
  live: Live,
  template: Template,
  conversation: string | undefined,
  inherited: () => Chat | Promise<Chat>,
  session: Session,
): Promise<Live> {
  const { world } = session;
  const name = conversation ?? freshName(world);
  const folder =
    live.below === undefined
      ? undefined
      : path.join(live.below, safeName(template.name), safeName(name));
  const place = folder === undefined ? undefined : path.join(folder, 'agent.chat');
  const kept = place === undefined ? undefined : await keptChat(place, template, world);
  return createLive({
    template,
    conversation: name,
    messages: kept ?? (await inherited()),
    depth: live.depth + 1,
    maxDepth: live.maxDepth,
    place,
    below: folder === undefined ? undefined : path.join(folder, 'society'),
  });
}

function freshName({ clock }: World): string {
  const time = clock
    .now()
    .toISOString()
    .replaceAll(/[:.]|\d{3}Z$/g, '');
  return `once-${time}-${clock.id().slice(0, 8)}`;
}

/** What follows the start chat in a chat that was kept; undefined when there is none. */
async function keptChat(
  place: string,
  { start, file }: Template,
  world: World,
): Promise<Chat | undefined> {
  const text = await contentOf(place, world);
  if (text === undefined) return undefined;
  const chat = parse(text, { file: place });
  const before = normalise(start);
  const same = before.every(
    ({ role, content }, index) => chat[index]?.role === role && chat[index]?.content === content,
  );
  if (same) return chat.slice(before.length);
  // A start chat that was changed since stays what it was for this conversation, below the new one. Names in it are still those of its folder.
  return chat.map(({ origin, ...message }) =>
    origin === undefined || file === undefined
      ? { ...message, ...(origin === undefined ? {} : { origin }) }
      : { ...message, origin: { ...origin, file } },
  );
}

/** The name of the conversation that handing over goes on with, or of the next one. */
export async function handOffName(
  live: Live,
  agent: string,
  fresh: boolean,
  { files }: World,
): Promise<string> {
  const kept =
    live.below === undefined ? [] : await namesIn(path.join(live.below, safeName(agent)), files);
  const numbers = kept.map((name) => Number(/^hand-off-(\d{1,9})$/.exec(name)?.[1] ?? 0));
  const last = Math.max(0, live.handOffs.get(agent) ?? 0, ...numbers);
  const number = fresh || last === 0 ? last + 1 : last;
  live.handOffs.set(agent, number);
  return `hand-off-${number}`;
}
