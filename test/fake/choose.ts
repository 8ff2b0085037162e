// Which reply of a scenario answers a request, and what it counts.

import type { Fields } from '../../src/json.ts';
import type { Memory } from './memory.ts';
import { countTokens } from './tokens.ts';
import type { Counts, Part, Prompt, Reply, Scenario } from './types.ts';

const SILENT: Reply = {
  times: 1,
  content: [{ kind: 'text', pieces: ['Hello from the fake server.'] }],
};

/** The first reply that fits and is not used up; the last that fits goes on. */
export function choose(
  replies: readonly Reply[],
  used: Map<Reply, number>,
  body: Fields,
  prompt: Prompt,
): Reply {
  const fitting = replies.filter(
    ({ when }) =>
      (when?.model?.test(String(body.model ?? '')) ?? true) &&
      (when?.last?.test(prompt.last) ?? true),
  );
  const reply =
    fitting.find((each) => (used.get(each) ?? 0) < each.times) ?? fitting.at(-1) ?? SILENT;
  used.set(reply, (used.get(reply) ?? 0) + 1);
  return reply;
}

/** What the toy tokenizer makes of a prompt and its reply. */
export function count(
  prompt: Prompt,
  { content }: Reply,
  memory: Memory,
  { context }: Scenario,
): Counts {
  const all = countTokens(prompt.pieces);
  const thinking = countTokens(content.filter(({ kind }) => kind === 'thinking').flatMap(textsOf));
  return {
    prompt: Math.min(all, context ?? all),
    ...memory.read(prompt),
    thinking,
    completion: countTokens(content.flatMap(textsOf)),
  };
}

function textsOf(part: Part): readonly string[] {
  if (part.kind === 'redacted') return [];
  if (part.kind !== 'call') return part.pieces;
  return [part.name, ...(part.fragments ?? [JSON.stringify(part.arguments)])];
}
