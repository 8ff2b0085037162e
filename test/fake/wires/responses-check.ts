// What the Responses API does not take: items without their partners above all.

import { type Fields, fields, list, parseJson } from '../../../src/json.ts';
import type { RecordedRequest } from '../../helpers/fake-server.ts';
import type { Memory } from '../memory.ts';
import { bearer, checkHead, firstOf, isBlank, repeated, unknownKey, wrong } from '../rules.ts';
import type { Scenario, Violation } from '../types.ts';

const KEYS = [
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'stream'],
  ...['max_output_tokens', 'temperature', 'top_p', 'store', 'metadata', 'truncation', 'background'],
  ...['include', 'prompt_cache_key', 'reasoning', 'text', 'previous_response_id', 'conversation'],
  ...['service_tier', 'user', 'safety_identifier', 'top_logprobs', 'stream_options'],
];

export function checkResponses(
  request: RecordedRequest,
  scenario: Scenario,
  memory: Memory,
): Violation | undefined {
  const { headers, json } = request;
  const head = checkHead(request, scenario, bearer(headers));
  return head ?? firstOf(findings(fields(json), memory));
}

/** The items that the model sees: those of the conversation so far, then the request's own. */
export function wholeInput(body: Fields, { chains }: Memory): readonly unknown[] {
  const { input, previous_response_id: previous } = body;
  const own = typeof input === 'string' ? [{ role: 'user', content: input }] : list(input);
  return [...(chains.get(String(previous)) ?? []), ...own];
}

function* findings(body: Fields, memory: Memory): Generator<Violation> {
  const unknown = unknownKey(body, KEYS);
  if (unknown !== undefined)
    yield wrong(`Unknown parameter: '${unknown}'.`, { code: 'unknown_parameter' });
  if (typeof body.model !== 'string') yield wrong("Missing required parameter: 'model'.");
  const previous = body.previous_response_id;
  if (previous !== undefined && previous !== null) {
    if (!memory.chains.has(String(previous)))
      yield wrong(`Previous response with id '${previous}' not found.`, {
        code: 'previous_response_not_found',
      });
    if (body.conversation !== undefined)
      yield wrong("'previous_response_id' and 'conversation' cannot be used together");
  }
  if (body.instructions !== undefined && isBlank(body.instructions))
    yield wrong("'instructions' is blank");
  if (wholeInput(body, memory).length === 0) yield wrong("Missing required parameter: 'input'.");
  yield* options(body);
  yield* tools(body);
  const items = wholeInput(body, memory).map(fields);
  // What the server kept of its own answers is as it is.
  for (const [index, item] of list(body.input).entries()) yield* itemRules(fields(item), index);
  yield* calls(items);
  yield* reasoning(items, memory);
}

function* options({ reasoning: given, text, include }: Fields): Generator<Violation> {
  const key =
    unknownKey(given, ['effort', 'summary', 'context']) ??
    unknownKey(text, ['format', 'verbosity']);
  if (key !== undefined) yield wrong(`Unknown parameter: '${key}'.`);
  if (include !== undefined && !Array.isArray(include)) yield wrong("Invalid type for 'include'");
}

function* tools({ tools: given, tool_choice }: Fields): Generator<Violation> {
  if (tool_choice !== undefined && list(given).length === 0)
    yield wrong("Tool choice is only allowed when 'tools' are specified.");
  const functions = list(given)
    .map(fields)
    .filter(({ type }) => type === 'function');
  for (const [index, tool] of functions.entries()) {
    const key = unknownKey(tool, ['type', 'name', 'description', 'parameters', 'strict']);
    if (key !== undefined) yield wrong(`Unknown parameter: 'tools[${index}].${key}'.`);
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(tool.name)))
      yield wrong(`Invalid 'tools[${index}].name': string does not match pattern.`);
  }
  const twice = repeated(functions.map(({ name }) => String(name)))[0];
  if (twice !== undefined) yield wrong(`tools: the name ${twice} is there twice`);
}

const PARTS: Readonly<Record<string, readonly string[]>> = {
  assistant: ['output_text', 'refusal'],
  user: ['input_text', 'input_image', 'input_file'],
};

/** What an item's own id begins with. */
const PREFIX: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  reasoning: 'rs',
};

function* itemRules(item: Fields, index: number): Generator<Violation> {
  const at = `input[${index}]`;
  const type = String(item.type ?? 'message');
  const prefix = PREFIX[type];
  if (prefix !== undefined && item.id !== undefined && !String(item.id).startsWith(prefix))
    yield wrong(`Invalid '${at}.id': '${item.id}'. Expected an ID that begins with '${prefix}'.`);
  if (type === 'function_call') {
    if (isBlank(item.call_id) || isBlank(item.name))
      yield wrong(`Missing required parameter: '${at}.call_id'.`);
    if (typeof item.arguments !== 'string' || typeof parseJson(item.arguments) !== 'object')
      yield wrong(`'${at}.arguments' must be the text of a JSON object`);
  }
  if (type === 'function_call_output' && (isBlank(item.call_id) || isEmpty(item.output)))
    yield wrong(`Missing required parameter: '${at}.output'.`);
  if (type !== 'message') return;
  const { role, content } = item;
  if (!['user', 'system', 'developer', 'assistant'].includes(String(role)))
    yield wrong(`Invalid value: '${role}' in '${at}.role'`);
  if (isEmpty(content)) yield wrong(`'${at}.content' is blank`);
  const known = PARTS[role === 'assistant' ? 'assistant' : 'user'] ?? [];
  for (const part of list(content)) {
    const { type: kind, text } = fields(part);
    if (!known.includes(String(kind)))
      yield wrong(`Invalid value: '${kind}'. Supported values are: ${known.join(', ')}.`);
    if ((kind === 'input_text' || kind === 'output_text') && isBlank(text))
      yield wrong(`'${at}.content' has a blank part`);
  }
}

const isEmpty = (content: unknown): boolean =>
  Array.isArray(content) ? content.length === 0 : isBlank(content);

function* calls(items: readonly Fields[]): Generator<Violation> {
  const made = items
    .filter(({ type }) => type === 'function_call')
    .map((each) => String(each.call_id));
  const answered = items
    .filter(({ type }) => type === 'function_call_output')
    .map((each) => String(each.call_id));
  const twice = repeated(made)[0] ?? repeated(answered)[0];
  if (twice !== undefined) yield wrong(`Duplicate call_id ${twice}`);
  for (const id of made)
    if (!answered.includes(id)) yield wrong(`No tool output found for function call ${id}.`);
  for (const id of answered)
    if (!made.includes(id))
      yield wrong(`No tool call found for function call output with call_id ${id}.`);
}

interface Issued {
  readonly item: Fields;
  /** For reasoning what it led to, for anything else what stood before it. */
  readonly beside?: Fields;
}

/** Reasoning is whole, and stands right before what it led to; what it led to does not come back under its id without it. */
function* reasoning(items: readonly Fields[], { issued }: Memory): Generator<Violation> {
  for (const [index, item] of items.entries()) {
    const known = issued.get(String(item.id)) as Issued | undefined;
    const before = items[index - 1];
    if (item.type === 'reasoning') {
      const next = items[index + 1];
      if (known === undefined) yield wrong(`Item with id '${item.id}' not found.`);
      if (JSON.stringify(known?.item.encrypted_content) !== JSON.stringify(item.encrypted_content))
        yield wrong('The encrypted content could not be verified.', {
          code: 'invalid_encrypted_content',
        });
      if (next === undefined || (next.type ?? 'message') !== known?.beside?.type)
        yield wrong(
          `Item '${item.id}' of type 'reasoning' was provided without its required following item.`,
        );
      continue;
    }
    const needed = known?.beside?.type === 'reasoning' ? known.beside.id : undefined;
    if (needed !== undefined && before?.id !== needed)
      yield wrong(
        `Item '${item.id}' of type '${item.type}' was provided without its required 'reasoning' item: '${needed}'.`,
      );
  }
}
