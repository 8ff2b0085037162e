// What the Messages API does not take. Messages of neighbours with one role count as one, as the server sees them.

import { type Fields, fields, isObject, list } from '../../../src/json.ts';
import type { RecordedRequest } from '../../helpers/fake-server.ts';
import type { Memory } from '../memory.ts';
import { bearer, checkHead, firstOf, isBlank, repeated, unknownKey, wrong } from '../rules.ts';
import type { Scenario, Violation } from '../types.ts';
import { checkPairs, checkThinking } from './anthropic-turns.ts';

const KEYS = [
  ...['model', 'messages', 'max_tokens', 'system', 'stream', 'tools', 'tool_choice', 'thinking'],
  ...['output_config', 'stop_sequences', 'temperature', 'top_p', 'top_k', 'metadata'],
  ...['service_tier', 'cache_control'],
];

export function checkAnthropic(
  request: RecordedRequest,
  scenario: Scenario,
  memory: Memory,
): Violation | undefined {
  const { headers } = request;
  const key = headers['x-api-key'] ?? bearer(headers);
  return checkHead(request, scenario, key) ?? firstOf(findings(request, memory));
}

export interface Turn {
  readonly role: string;
  readonly blocks: readonly Fields[];
}

function* findings(
  { headers, json }: RecordedRequest,
  memory: Memory,
): Generator<Violation | undefined> {
  const body = fields(json);
  if (headers['anthropic-version'] !== '2023-06-01')
    yield wrong('anthropic-version: header is required');
  const unknown = unknownKey(body, KEYS);
  if (unknown !== undefined) yield wrong(`${unknown}: Extra inputs are not permitted`);
  if (typeof body.model !== 'string') yield wrong('model: Field required');
  if (typeof body.max_tokens !== 'number') yield wrong('max_tokens: Field required');
  if (list(body.messages).length === 0) yield wrong('messages: at least one message is required');
  yield* system(body);
  yield* tools(body);
  yield* thinking(body);
  for (const [index, message] of list(body.messages).entries()) yield* messageRules(message, index);
  yield* marks(body);
  const turns = joined(list(body.messages));
  if (turns[0]?.role === 'assistant')
    yield wrong('messages: first message must use the "user" role');
  yield* ending(turns);
  yield* checkPairs(turns);
  yield* checkThinking(turns, body, memory);
}

function* system({ system: given }: Fields): Generator<Violation> {
  if (given === undefined) return;
  if (
    typeof given === 'string'
      ? isBlank(given)
      : list(given).some((each) => isBlank(fields(each).text))
  )
    yield wrong('system: text content blocks must be non-empty');
  for (const [index, each] of list(given).entries()) {
    const key = unknownKey(each, ['type', 'text', 'cache_control', 'citations']);
    if (key !== undefined) yield wrong(`system.${index}.${key}: Extra inputs are not permitted`);
  }
}

const TOOL_KEYS = [
  ...['name', 'description', 'input_schema', 'cache_control', 'strict', 'eager_input_streaming'],
];

function* tools({ tools: given, tool_choice }: Fields): Generator<Violation> {
  if (tool_choice !== undefined && list(given).length === 0)
    yield wrong('tool_choice may only be specified while providing tools');
  for (const [index, tool] of list(given).entries()) {
    const { name, input_schema, type } = fields(tool);
    // Tools of the server's own have a type, and other fields.
    if (type !== undefined && type !== 'custom') continue;
    const key = unknownKey(tool, [...TOOL_KEYS, 'type']);
    if (key !== undefined)
      yield wrong(`tools.${index}.custom.${key}: Extra inputs are not permitted`);
    if (!/^[A-Za-z0-9_-]{1,128}$/.test(String(name)))
      yield wrong(
        `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
      );
    if (fields(input_schema).type !== 'object')
      yield wrong(`tools.${index}.custom.input_schema.type: Input should be 'object'`);
  }
  if (repeated(list(given).map((tool) => String(fields(tool).name))).length > 0)
    yield wrong('tools: Tool names must be unique.');
}

function* thinking(body: Fields): Generator<Violation> {
  const { type, budget_tokens, display, ...rest } = fields(body.thinking);
  const extra = Object.keys(rest)[0];
  if (extra !== undefined)
    yield wrong(`thinking.${String(type)}.${extra}: Extra inputs are not permitted`);
  if (body.thinking !== undefined && !['disabled', 'adaptive', 'enabled'].includes(String(type)))
    yield wrong(
      "thinking: Input tag does not match any of the expected tags: 'disabled', 'adaptive', 'enabled'",
    );
  if (
    display !== undefined &&
    (type === 'disabled' || !['summarized', 'omitted'].includes(String(display)))
  )
    yield wrong(`thinking.${String(type)}.display: Extra inputs are not permitted`);
  if (type !== 'enabled' && budget_tokens !== undefined)
    yield wrong(`thinking.${String(type)}.budget_tokens: Extra inputs are not permitted`);
  if (type === 'enabled') {
    if (!(Number(budget_tokens) >= 1024))
      yield wrong('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
    if (Number(body.max_tokens) <= Number(budget_tokens))
      yield wrong('`max_tokens` must be greater than `thinking.budget_tokens`.');
    if (['any', 'tool'].includes(String(fields(body.tool_choice).type)))
      yield wrong('Thinking may not be enabled when tool_choice forces tool use.');
  }
  const key = unknownKey(body.output_config, ['effort', 'format']);
  if (key !== undefined) yield wrong(`output_config.${key}: Extra inputs are not permitted`);
}

const BLOCK_KEYS: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'citations'],
  image: ['source'],
  document: ['source', 'title', 'context', 'citations'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name', 'input'],
  tool_result: ['tool_use_id', 'content', 'is_error'],
};

const UNMARKED = ['thinking', 'redacted_thinking'];

function* messageRules(message: unknown, index: number): Generator<Violation> {
  const { role, content } = fields(message);
  const at = `messages.${index}`;
  const key = unknownKey(message, ['role', 'content']);
  if (key !== undefined) yield wrong(`${at}.${key}: Extra inputs are not permitted`);
  if (role !== 'user' && role !== 'assistant')
    yield wrong(`${at}.role: Input should be 'user' or 'assistant'`);
  if (typeof content === 'string' ? isBlank(content) : list(content).length === 0)
    yield wrong(`${at}: all messages must have non-empty content`);
  for (const [number, block] of list(content).entries())
    yield* blockRules(fields(block), `${at}.content.${number}`, String(role));
}

function* blockRules(block: Fields, at: string, role: string): Generator<Violation> {
  const type = String(block.type);
  const keys = BLOCK_KEYS[type];
  // Blocks of the server's own tools pass.
  if (keys === undefined) return;
  const marked = UNMARKED.includes(type) ? [] : ['cache_control'];
  const key = unknownKey(block, ['type', ...keys, ...marked]);
  if (key !== undefined) yield wrong(`${at}.${type}.${key}: Extra inputs are not permitted`);
  const userOnly = ['image', 'document', 'tool_result'].includes(type);
  if (userOnly !== (role === 'user') && type !== 'text')
    yield wrong(`${at}: \`${type}\` blocks are not allowed in a message of role ${role}`);
  if (type === 'text' && isBlank(block.text))
    yield wrong('messages: text content blocks must contain non-whitespace text');
  if (type === 'tool_use') {
    if (!/^[a-zA-Z0-9_-]+$/.test(String(block.id)))
      yield wrong(`${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(block.name)))
      yield wrong(`${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    if (!isObject(block.input))
      yield wrong(`${at}.tool_use.input: Input should be a valid dictionary`);
  }
  if (type === 'tool_result')
    for (const [number, part] of list(block.content).entries())
      yield* blockRules(fields(part), `${at}.tool_result.content.${number}`, 'user');
  if (type === 'image') yield* source(block, at, /^image\/(?:jpeg|png|gif|webp)$/);
  if (type === 'document') yield* source(block, at, /^(?:application\/pdf|text\/plain)$/);
}

function* source({ source: given }: Fields, at: string, media: RegExp): Generator<Violation> {
  const { type, media_type, data } = fields(given);
  if (
    type === 'base64' &&
    !(media.test(String(media_type)) && /^[A-Za-z0-9+/]+=*$/.test(String(data)))
  )
    yield wrong(`${at}.source.base64: Input should be a valid file of a known media type`);
}

function* marks(body: Fields): Generator<Violation> {
  const blocks = [
    ...list(body.tools),
    ...list(body.system),
    ...list(body.messages).flatMap((message) => list(fields(message).content)),
  ];
  const nested = blocks.flatMap((block) => list(fields(block).content));
  const marked = [body, ...blocks, ...nested].filter(
    (each) => fields(each).cache_control !== undefined,
  );
  if (marked.length > 4)
    yield wrong(
      `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`,
    );
  for (const each of marked) {
    const { type, ttl } = fields(fields(each).cache_control);
    if (type !== 'ephemeral' || ![undefined, '5m', '1h'].includes(ttl as string | undefined))
      yield wrong('cache_control: Input should be ephemeral, with a ttl of 5m or 1h');
  }
}

function* ending(turns: readonly Turn[]): Generator<Violation> {
  const last = turns.at(-1);
  const text = last?.blocks.at(-1)?.text;
  if (last?.role === 'assistant' && typeof text === 'string' && text !== text.trimEnd())
    yield wrong('messages: final assistant content cannot end with trailing whitespace');
}

/** Messages as the server joins them; text is a block. */
function joined(messages: readonly unknown[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const { role, content } = fields(message);
    const blocks =
      typeof content === 'string' ? [{ type: 'text', text: content }] : list(content).map(fields);
    const last = turns.at(-1);
    if (last !== undefined && last.role === role)
      turns[turns.length - 1] = { role: last.role, blocks: [...last.blocks, ...blocks] };
    else turns.push({ role: String(role), blocks });
  }
  return turns;
}
