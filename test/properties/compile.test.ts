// Laws of what happens between a parsed chat and a prompt, for chats that were drawn to hurt.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { options } from '../../src/chat/options.ts';
import { pairCalls } from '../../src/chat/pairs.ts';
import { clean } from '../../src/chat/stages/clean.ts';
import { clear } from '../../src/chat/stages/clear.ts';
import type { Chat, Message } from '../../src/types.ts';
import { deepFreeze } from '../helpers/compiling.ts';
import { RUNS } from '../helpers/nasty.ts';

const runs = { numRuns: RUNS };
const LONG = { timeout: 3_600_000 };

const id = fc.constantFrom('a', 'b', 'call_0', 7);
const call = fc.record({ id, name: fc.constantFrom('f', 'g') });
const output = fc.record({ id, content: fc.constantFrom('x', '', null, { y: 1 }) });
const json = (role: string, value: fc.Arbitrary<unknown>) =>
  value.map((each): Message => ({ role, content: JSON.stringify(each) }));
const text = (role: string) =>
  fc.string({ maxLength: 8 }).map((content): Message => ({ role, content }));

const traffic = fc.oneof(
  json('function_call', call),
  json('mcp_call', call),
  json('function_call_output', output),
  text('function_call'),
  text('function_call_output'),
);
const spoken = fc.oneof(text('user'), text('assistant'), text('system'));
const markers = fc
  .constantFrom('clear', 'clear_tools', 'clear_role', 'skip', 'meta', 'tool')
  .chain(text);
const settings = fc.oneof(
  fc.constantFrom('model', 'endpoint', 'format', 'persist', 'previous_response_id').chain(text),
  fc
    .constantFrom('a 1', 'b nil', 'c', '__proto__ x')
    .map((content): Message => ({ role: 'option', content })),
);
const chats = fc
  .array(fc.oneof({ weight: 3, arbitrary: traffic }, spoken, markers, settings), { maxLength: 14 })
  .map(deepFreeze);

const without = (chat: Chat, ...roles: readonly string[]) =>
  chat.filter(({ role }) => !roles.includes(role));
const isTraffic = ({ role }: Message) =>
  ['function_call', 'function_call_output', 'mcp_call'].includes(role);
const idOf = ({ content }: Message) => String(JSON.parse(content).id);

test(
  'after pairing, every call has its output in its batch and no output stands alone',
  LONG,
  () => {
    fc.assert(
      fc.property(chats, (chat) => {
        const paired = pairCalls(chat, () => {});
        let open: string[] = [];
        for (const message of paired) {
          if (message.role === 'function_call') open.push(idOf(message));
          else if (message.role === 'function_call_output') {
            expect(open).toContain(idOf(message));
            open.splice(open.indexOf(idOf(message)), 1);
            expect(JSON.parse(message.content).content).not.toBe('');
          } else {
            expect(open).toEqual([]);
            open = [];
          }
        }
        expect(open).toEqual([]);
      }),
      runs,
    );
  },
);

test('pairing changes nothing but tool traffic, and nothing the second time', LONG, () => {
  fc.assert(
    fc.property(chats, (chat) => {
      const paired = pairCalls(chat, () => {});
      expect(paired.filter((each) => !isTraffic(each))).toEqual(
        chat.filter((each) => !isTraffic(each)),
      );
      const warnings: unknown[] = [];
      expect(pairCalls(paired, (warning) => warnings.push(warning))).toEqual(paired);
      expect(warnings).toEqual([]);
    }),
    runs,
  );
});

test('taking options out leaves every other message as it is, in order', LONG, () => {
  fc.assert(
    fc.property(chats, (chat) => {
      const rest = without(chat, 'model', 'endpoint', 'format', 'persist', 'option');
      expect(options(chat).chat).toEqual(rest);
    }),
    runs,
  );
});

test(
  'clear and clean keep what is said after the last clear, and do nothing the second time',
  LONG,
  () => {
    fc.assert(
      fc.property(chats, (chat) => {
        const once = clean(clear(chat));
        expect(clean(clear(once))).toEqual(once);
        const kept = chat.slice(chat.findLastIndex(({ role }) => role === 'clear') + 1);
        const dropped = kept
          .filter(({ role }) => role === 'clear_role')
          .map(({ content }) => content.trim());
        const users = kept.filter(({ role, content }) => role === 'user' && content.trim() !== '');
        if (!dropped.includes('user'))
          expect(once.filter(({ role }) => role === 'user')).toEqual(users);
      }),
      runs,
    );
  },
);
