// Appending messages one by one to a chat file, as a conversation does it: twice as many may take about twice as long.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { openConversation } from '../../src/ask/conversation.ts';
import { createFiles } from '../../src/world/files.ts';
import { createLocks } from '../../src/world/lock.ts';
import { median } from './measure.ts';
import type { Bench } from './types.ts';

export const appendBench: Bench = {
  name: 'append',
  async run() {
    const small: number[] = [];
    const large: number[] = [];
    for (let trial = 0; trial < 3; trial++) {
      small.push(await appendMessages(500));
      large.push(await appendMessages(2000));
    }
    return [
      {
        name: 'append',
        measured: `2,000 messages one by one: ${median(large).toFixed(0)} ms`,
        against: `500 messages: ${median(small).toFixed(0)} ms (linear: 4, quadratic: 16)`,
        ratio: median(large) / median(small),
        bound: 6,
      },
    ];
  },
};

/** Milliseconds for so many messages, each with a lock, one write and a flush of its own. */
async function appendMessages(count: number): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'scout-bench-'));
  const world = { files: createFiles(), locks: createLocks() };
  const file = path.join(folder, 'grows.chat');
  const conversation = await openConversation(file, world, {
    create: true,
    signal: new AbortController().signal,
    warn: () => {},
  });
  const started = performance.now();
  for (let index = 0; index < count; index++)
    await conversation.append([
      { role: index % 2 ? 'assistant' : 'user', content: `Message ${index}.\n<b>bold\nuser: text` },
    ]);
  const milliseconds = performance.now() - started;
  await conversation.close();
  rmSync(folder, { recursive: true, force: true });
  return milliseconds;
}
