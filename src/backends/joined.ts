// Pieces of a reply that arrived together: what belongs together is one event. Waits for nothing.

import type { ReplyEvent } from './types.ts';

/** Adds an event; text that follows text, and thinking that follows thinking, become one. */
export function addEvent(events: ReplyEvent[], event: ReplyEvent): void {
  const last = events.at(-1);
  if (event.kind === 'text' && last?.kind === 'text')
    events[events.length - 1] = { kind: 'text', text: last.text + event.text };
  else if (event.kind === 'thinking' && last?.kind === 'thinking')
    events[events.length - 1] = { kind: 'thinking', text: last.text + event.text };
  else events.push(event);
}
