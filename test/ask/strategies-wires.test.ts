// A prompt that was shortened is one that every provider takes: calls with their results right behind them, and only blocks whose calls
// are as they were signed.

import { describe, expect, test } from 'vitest';
import { strategised } from '../../src/ask/strategies.ts';
import { loadBackend } from '../../src/backends/index.ts';
import { STRATEGIES } from '../../src/chat/strategies/index.ts';
import type { Chat } from '../../src/types.ts';
import { askContext, fakeEndpoint, fakeRequest } from '../helpers/asking.ts';

/** Rounds of one to three calls with signed thinking before them; some calls are long, some come again, and the turns are long. */
function session(rounds: number, backend: string): Chat {
  const messages: { role: string; content: string }[] = [{ role: 'system', content: 'Be brief.' }];
  for (let round = 0; round < rounds; round++) {
    if (round % 20 === 0) messages.push({ role: 'user', content: `Question ${round}.` });
    const calls = Array.from({ length: 1 + (round % 3) }, (_, index) => ({
      id: `toolu_${round}_${index}`,
      name: 'read',
      input: {
        path: `file${round % 10 === 9 ? 'Again' : `${round}.${index}`}.txt`,
        text: round % 4 === 0 ? `text ${round} `.repeat(60) : '',
      },
    }));
    const blocks = [
      { type: 'thinking', thinking: `Thought ${round}.`, signature: `sig${round}` },
      ...calls.map((call) => ({ type: 'tool_use', ...call })),
    ];
    if (backend === 'anthropic')
      messages.push({ role: 'provider_content', content: JSON.stringify({ backend, blocks }) });
    for (const { id, name, input } of calls)
      messages.push({
        role: 'function_call',
        content: JSON.stringify({ name, arguments: input, id }),
      });
    for (const { id, name } of calls)
      messages.push({
        role: 'function_call_output',
        content: JSON.stringify({ name, id, content: `line of ${id}\n`.repeat(60) }),
      });
  }
  return messages;
}

interface Told {
  /** `call ID` and `result ID` in their order, `text` for what else stands between. */
  readonly order: readonly string[];
  readonly body: string;
}

/** Reads calls and results out of a body of any of the wires. */
function told(body: unknown): Told {
  const order: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const each of value) visit(each);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const { type, role, id, call_id, tool_call_id, tool_use_id, tool_calls, content, ...rest } =
      value as Record<string, unknown>;
    if (type === 'tool_use') order.push(`call ${id}`);
    else if (type === 'function_call') order.push(`call ${call_id}`);
    else if (rest.function !== undefined) order.push(`call ${id}`);
    else if (type === 'tool_result') order.push(`result ${tool_use_id}`);
    else if (type === 'function_call_output') order.push(`result ${call_id}`);
    else if (role === 'tool') order.push(`result ${tool_call_id}`);
    else {
      if (role === 'user' && typeof content === 'string') order.push('text');
      visit(content);
      visit(tool_calls);
      visit(rest.messages ?? rest.input);
    }
  };
  visit(body);
  return { order, body: JSON.stringify(body) };
}

describe.each(['openai', 'anthropic', 'responses', 'ollama'])('over the wire of %s', (name) => {
  test.each(Object.keys(STRATEGIES))('%s leaves whole pairs', async (strategy) => {
    const backend = await loadBackend(name);
    const endpoint = fakeEndpoint('http://127.0.0.1:9/v1', { backend: name });
    for (const rounds of [10, 30, 45, 60, 90, 140]) {
      const prompt = session(rounds, name);
      const apply = async (chat: Chat) =>
        (await STRATEGIES[strategy]?.(chat, { settings: {}, backend: name })) ?? chat;
      const sent = await strategised({
        prompt,
        strategies: { names: [strategy], code: [], inbox: false, apply },
      });
      const { order, body } = told(
        await backend.wire(fakeRequest(endpoint, sent.messages, sent), askContext()),
      );
      const calls = sent.messages.filter(({ role }) => role === 'function_call').length;
      const open = new Set<string>();
      let seen = 0;
      for (const entry of order) {
        const [kind = '', id = ''] = entry.split(' ');
        if (kind === 'call') {
          seen += 1;
          open.add(id);
        } else if (kind === 'result') expect([entry, open.delete(id)]).toEqual([entry, true]);
        else expect([entry, open.size]).toEqual([entry, 0]);
      }
      expect([rounds, seen, open.size]).toEqual([rounds, calls, 0]);
      if (name !== 'anthropic') continue;
      // Signed thinking is there exactly for the rounds whose calls are all as they were made.
      const kept = new Set(sent.messages);
      for (let round = 0; round < rounds; round++) {
        const own = prompt.filter(
          ({ role, content }) => role === 'function_call' && content.includes(`toolu_${round}_`),
        );
        if (own.every((call) => kept.has(call))) continue;
        expect(body).not.toContain(`"sig${round}"`);
      }
      expect(body).toContain(`"sig${rounds - 1}"`);
    }
  });
});

test.each(Object.keys(STRATEGIES))(
  'calls with signed thinking, after %s: each message that calls begins with the thinking that led to it',
  async (strategy) => {
    const settings = { prompt_strategies: [strategy], epoch_threshold: 10, epoch_full: 4 };
    const prompt = session(60, 'anthropic');
    const given = await STRATEGIES[strategy]?.(prompt, { settings, backend: 'anthropic' });
    const backend = await loadBackend('anthropic');
    const endpoint = fakeEndpoint('https://llm.example', { backend: 'anthropic', settings });
    const body = await backend.wire(fakeRequest(endpoint, given ?? prompt), askContext());
    const { messages } = body as {
      messages: readonly { role: string; content: readonly Record<string, unknown>[] }[];
    };
    const calling = messages.filter(({ content }) =>
      content.some(({ type }) => type === 'tool_use'),
    );
    expect(calling.length).toBeGreaterThan(10);
    for (const { content } of calling) expect(content[0]?.type).toBe('thinking');
  },
);
