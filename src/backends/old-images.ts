// Keeps the images that tools made from piling up in a prompt. Pure; images that a person attached stay.

import * as path from 'node:path';
import type { Chat, Message } from '../types.ts';

/** So many images of tools are sent. */
const MOST = 20;
/** Older ones go in steps, so that the beginning of the prompt stays the same for a while. */
const STEP = MOST / 2;

/** The prompt with the oldest of more than 20 such images told in a line each; the prompt itself when there are fewer. Places stay. */
export function withoutOldImages(messages: Chat): Chat {
  const made = messages.flatMap((_, index) => (isToolImage(messages, index) ? [index] : []));
  if (made.length <= MOST) return messages;
  const dropped = new Set(made.slice(0, Math.ceil((made.length - MOST) / STEP) * STEP));
  return messages.map((message, index) => (dropped.has(index) ? inWords(message) : message));
}

/** Images right behind outputs: tools made them. */
function isToolImage(messages: Chat, index: number): boolean {
  if (messages[index]?.role !== 'image') return false;
  let before = index;
  while (messages[before]?.role === 'image') before -= 1;
  return messages[before]?.role === 'function_call_output';
}

const inWords = (message: Message): Message => ({
  ...message,
  role: 'user',
  content: `[an older image of a tool is left out: ${path.basename(message.content.trim())}]`,
});
