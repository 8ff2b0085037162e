// Faults that users of such tools met, each as a chat that is asked: what goes out on the wire, what is told, and what the file holds after it. Every
// case is asked over Chat Completions and over Ollama.

import { describe, expect, test } from 'vitest';
import { NOT_FINISHED } from '../../src/chat/pairs.ts';
import type { Answers, Script } from '../helpers/fake-server.ts';
import { last, ollamaLines, ollamaStream, piece } from '../helpers/ollama-replies.ts';
import { chunk, DONE, openaiStream } from '../helpers/openai-replies.ts';
import type { Wire } from '../helpers/prompts.ts';
import { runCli } from '../helpers/run.ts';
import { served } from '../helpers/served.ts';

interface Spoken {
  readonly name: 'openai' | 'ollama';
  readonly base: string;
  says(text: string): Script;
  calls(name: string, id: string): Script;
}

const WIRES: readonly Spoken[] = [
  {
    name: 'openai',
    base: '/v1',
    says: (text) => openaiStream(text),
    calls: (name, id) => ({
      body: [
        chunk({ tool_calls: [{ index: 0, id, function: { name, arguments: '{}' } }] }),
        chunk({}, 'tool_calls'),
        DONE,
      ],
    }),
  },
  {
    name: 'ollama',
    base: '',
    says: (text) => ollamaStream(text),
    calls: (name, id) =>
      ollamaLines([piece({ tool_calls: [{ id, function: { name, arguments: {} } }] }), last()]),
  },
];

async function ask(
  wire: Spoken,
  chat: string,
  answers: Answers = wire.says('fine'),
  more: { fields?: string; argv?: readonly string[] } = {},
) {
  const server = await served(answers);
  const result = await runCli(['ask', '--no-cache', ...(more.argv ?? []), 'a.chat'], {
    files: {
      'home/.scout/etc/AI/default.yaml': `backend: ${wire.name}\nurl: ${server.url}${wire.base}\nmodel: m\nretry_max: 0\nkey: KEY-mock-123\n${more.fields ?? ''}`,
      'workflows/Count.yaml': 'tasks:\n  count:\n    command: echo three\n',
      'a.chat': chat,
    },
  });
  const bodies: Wire[] = server.requests.map(({ json }) => json);
  return {
    ...result,
    bodies,
    messages: (bodies.at(-1)?.messages ?? []) as Wire[],
    file: result.read('a.chat') ?? '',
  };
}

const line = (role: string, value: unknown): string => `${role}: ${JSON.stringify(value)}\n\n`;
const call = (name: string, id: string, args: unknown = {}): string =>
  line('function_call', { name, arguments: args, id });
const output = (name: string, id: string, content: string): string =>
  line('function_call_output', { name, id, content });

const idsOf = (messages: Wire[]): string[] =>
  messages.flatMap((each) => each.tool_call_id ?? each.tool_calls?.map(({ id }: Wire) => id) ?? []);
const toolTexts = (messages: Wire[]): string[] =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => content);

for (const wire of WIRES)
  describe(`over ${wire.name}`, () => {
    test('the same id twice in one conversation: ids are unique, outputs stay with their calls', async () => {
      const chat = `user: one\n\n${call('count', 'call_0', { a: 1 })}${output('count', 'call_0', 'first')}assistant: ok\n\nuser: two\n\n${call('count', 'call_0', { a: 2 })}${output('count', 'call_0', 'second')}user: three\n`;
      const { code, messages, file } = await ask(wire, chat);
      expect(code).toBe(0);
      const [one, oneOut, two, twoOut] = idsOf(messages);
      expect([one === oneOut, two === twoOut, one === two]).toEqual([true, true, false]);
      expect(toolTexts(messages)).toEqual(['first', 'second']);
      expect(file.startsWith(chat.trimEnd())).toBe(true);
    });

    test('a call with no result in the history: a stand-in goes out, nothing is run again', async () => {
      const chat = `tool: Count count\n\nuser: one\n\n${call('count', 'k1')}user: two\n`;
      const { code, messages, stderr, file } = await ask(wire, chat);
      expect([code, toolTexts(messages)]).toEqual([0, [NOT_FINISHED]]);
      expect(stderr).toContain('a.chat:5: warning: the call "count" has no result');
      expect(file.startsWith(chat.trimEnd())).toBe(true);
    });

    test('an output whose call was deleted is left out, with a warning', async () => {
      const { code, messages, stderr } = await ask(
        wire,
        `user: one\n\n${output('count', 'gone', 'x')}user: two\n`,
      );
      expect([code, toolTexts(messages)]).toEqual([0, []]);
      expect(stderr).toMatch(/gone|its call is not there/);
    });

    test('two calls and one output: the other one is told as not finished', async () => {
      const { messages } = await ask(
        wire,
        `user: one\n\n${call('count', 'k1')}${call('count', 'k2')}${output('count', 'k2', 'two')}user: go on\n`,
      );
      expect(
        Object.fromEntries(
          messages
            .filter(({ role }) => role === 'tool')
            .map((each) => [each.tool_call_id, each.content]),
        ),
      ).toEqual({ k1: NOT_FINISHED, k2: 'two' });
    });

    test('empty or blank messages are left out of the wire, an empty result says something', async () => {
      const chat = `assistant:\n\nuser: \n\nuser: one\n\n${call('count', 'k1')}${output('count', 'k1', '')}user: two\n`;
      const { messages } = await ask(wire, chat);
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
      for (const each of messages.filter(({ tool_calls: calls }) => calls === undefined))
        expect(each.content.trim()).not.toBe('');
    });

    test('a chat with only a system text is an error before any request', async () => {
      const { code, bodies } = await ask(wire, 'system: be brief\n');
      expect([code, bodies.length]).toEqual([2, 0]);
    });

    const unknown: readonly [string, string][] = [
      ['that nobody has', 'no_such'],
      ['in another spelling', 'Count'],
    ];
    for (const [name, called] of unknown)
      test(`a call of a tool ${name}: the model is told, and the run goes on`, async () => {
        const { code, messages, stdout, file } = await ask(
          wire,
          'tool: Count count\n\nuser: how many?\n',
          [wire.calls(called, 'k1'), wire.says('Three.')],
        );
        expect([code, stdout]).toEqual([0, 'Three.\n']);
        expect(toolTexts(messages)[0]).toContain(called);
        expect(file).toContain('exception');
      });

    test('a model that calls for ever is stopped by the limit', async () => {
      const { code, bodies, stdout } = await ask(
        wire,
        'tool: Count count\n\noption: max_rounds 3\n\nuser: how many?\n',
        (_request, index) => wire.calls('no_such', `k${index}`),
      );
      expect([code, bodies.length, stdout]).toEqual([5, 3, '']);
    });

    test('names of the output limit: one option, under the name of the wire', async () => {
      const { bodies } = await ask(wire, 'option: max_tokens 50\n\nuser: q\n');
      const { max_tokens, max_completion_tokens, options } = bodies[0];
      expect([max_tokens, max_completion_tokens, options]).toEqual(
        wire.name === 'openai'
          ? [50, undefined, undefined]
          : [undefined, undefined, { num_predict: 50 }],
      );
    });

    test('an answer that was cut at its length is shown as cut off, and kept', async () => {
      const cut =
        wire.name === 'openai'
          ? openaiStream('Half an', { finish: 'length' })
          : ollamaStream('Half an', { done_reason: 'length' });
      const { code, stderr, file } = await ask(wire, 'user: q\n', cut);
      expect(code).toBe(5);
      expect(stderr).toContain('cut at its length limit');
      expect(file).toContain('Half an');
    });

    test('keys in the open: a key that the server repeats is nowhere', async () => {
      const { code, stdout, stderr, file } = await ask(
        wire,
        'user: q\n',
        ({ headers }) => ({ status: 400, body: { error: `odd header ${headers.authorization}` } }),
        { argv: ['--events', 'events.jsonl', '--debug'] },
      );
      expect(code).toBe(4);
      expect(stderr).toContain('odd header');
      expect(stdout + stderr + file).not.toContain('KEY-mock-123');
    });

    test('events tell each request without key, header or body', async () => {
      const { stdout } = await ask(wire, 'user: BODY-words\n', wire.says('fine'), {
        argv: ['--events', '-'],
      });
      const events = stdout
        .trim()
        .split('\n')
        .map((each) => JSON.parse(each));
      const [http, ...others] = events.filter(({ type }) => type === 'http');
      expect(others).toEqual([]);
      expect(http).toMatchObject({
        method: 'POST',
        purpose: 'chat',
        model: 'm',
        status: 200,
        attempts: 1,
        first_token: expect.any(Number),
        total: expect.any(Number),
      });
      expect(JSON.stringify(http)).not.toMatch(/KEY-mock|BODY-words|uthorization/);
    });

    test('values that are no sane numbers: texts are read, the rest is told and not counted', async () => {
      const answer =
        wire.name === 'openai'
          ? openaiStream('fine', { usage: { prompt_tokens: '10', completion_tokens: -7 } })
          : ollamaStream('fine', { prompt_eval_count: '10', eval_count: -7 });
      const { stderr, file } = await ask(wire, 'user: q\n', answer);
      expect(file).toMatch(/^meta: .*\bpt=10\b/m);
      expect(file).not.toMatch(/\bct=|NaN|undefined|=-7/);
      expect(stderr).toContain('odd token counts');
    });
  });
