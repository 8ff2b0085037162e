// Rules of the Messages API that join several messages: calls with their results, thinking with what gave it out.

import { type Fields, fields } from '../../../src/json.ts';
import type { Memory } from '../memory.ts';
import { canonical, repeated, wrong } from '../rules.ts';
import type { Violation } from '../types.ts';
import type { Turn } from './anthropic-check.ts';

const idsOf = (blocks: readonly Fields[], type: string, field: string): string[] =>
  blocks.filter((block) => block.type === type).map((block) => String(block[field]));

/** Every call has its result in the next message, ahead of everything else; every result has its call in the one before. */
export function* checkPairs(turns: readonly Turn[]): Generator<Violation> {
  const ids = turns.flatMap(({ blocks }) => idsOf(blocks, 'tool_use', 'id'));
  const twice = repeated(ids)[0];
  if (twice !== undefined) yield wrong(`messages: \`tool_use\` ids must be unique: ${twice}`);
  for (const [index, { blocks }] of turns.entries()) {
    const calls = idsOf(blocks, 'tool_use', 'id');
    const next = turns[index + 1]?.blocks ?? [];
    const leading = next.slice(0, next.findIndex(({ type }) => type !== 'tool_result') >>> 0);
    const answered = idsOf(leading, 'tool_result', 'tool_use_id');
    const open = calls.filter((id) => !answered.includes(id));
    if (open.length > 0)
      yield wrong(
        `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    const before = idsOf(turns[index - 1]?.blocks ?? [], 'tool_use', 'id');
    const results = idsOf(blocks, 'tool_result', 'tool_use_id');
    const orphan = results.findIndex((id) => !before.includes(id));
    if (orphan !== -1)
      yield wrong(
        `messages.${index}.content.${orphan}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${results[orphan]}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    const again = repeated(results)[0];
    if (again !== undefined)
      yield wrong(
        `messages.${index}: each tool_use must have a single result. Found several for ${again}`,
      );
  }
}

/** Thinking comes back as it was given out, and in the turn in progress it does come back. */
export function* checkThinking(
  turns: readonly Turn[],
  body: Fields,
  { issued }: Memory,
): Generator<Violation> {
  for (const [index, { blocks }] of turns.entries())
    for (const [number, block] of blocks.entries()) {
      const at = `messages.${index}.content.${number}`;
      if (block.type === 'thinking') {
        if (typeof block.signature !== 'string' || block.signature === '')
          yield wrong(`${at}.thinking.signature: Field required`);
        if (fields(issued.get(String(block.signature))).thinking !== block.thinking)
          yield wrong(`${at}: Invalid \`signature\` in \`thinking\` block`);
      }
      if (block.type === 'redacted_thinking' && !issued.has(String(block.data)))
        yield wrong(`${at}: Invalid \`data\` in \`redacted_thinking\` block`);
    }
  const { type } = fields(body.thinking);
  if (type === 'disabled') return;
  if (type === 'enabled') yield* begunWithThinking(turns);
  const start = turns.findLastIndex(isQuestion);
  const newest = turns.findLastIndex(({ role }) => role === 'assistant');
  for (const [index, { role, blocks }] of turns.entries())
    if (role === 'assistant' && (index > start || index === newest))
      yield* unchanged(blocks, index, issued);
}

/** With a budget a turn in progress has begun with thinking. */
function* begunWithThinking(turns: readonly Turn[]): Generator<Violation> {
  const index = turns.findLastIndex(({ role }) => role === 'assistant');
  const last = turns.at(-1)?.blocks ?? [];
  if (index === -1 || !last.every(({ type }) => type === 'tool_result')) return;
  const first = String(turns[index]?.blocks[0]?.type);
  if (first !== 'thinking' && first !== 'redacted_thinking') yield expectedThinking(index, first);
}

const expectedThinking = (index: number, found: string): Violation =>
  wrong(
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
  );

const isQuestion = ({ role, blocks }: Turn): boolean =>
  role === 'user' && blocks.some((block) => block.type !== 'tool_result');

/** A message with calls that were given out here is the one that was given out. */
function* unchanged(
  blocks: readonly Fields[],
  index: number,
  issued: Memory['issued'],
): Generator<Violation> {
  const call = blocks.find((block) => block.type === 'tool_use' && issued.has(String(block.id)));
  if (call === undefined) return;
  const given = (issued.get(String(call.id)) as readonly Fields[]).filter(isSaid);
  const has = given.some(({ type }) => type === 'thinking' || type === 'redacted_thinking');
  const sent = blocks.map(({ cache_control: _, ...rest }) => rest);
  if (!has || canonical(sent) === canonical(given)) return;
  const first = String(sent[0]?.type);
  const expected = String(given[0]?.type);
  if (expected !== first) yield expectedThinking(index, first);
  yield wrong(
    `messages.${index}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}

const isSaid = (block: Fields): boolean =>
  block.type !== 'text' || String(block.text).trim() !== '';
