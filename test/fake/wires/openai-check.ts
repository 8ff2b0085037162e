// What servers of Chat Completions do not take, with what some of them leave out.

import { type Fields, fields, list, parseJson } from '../../../src/json.ts';
import type { RecordedRequest } from '../../helpers/fake-server.ts';
import {
  bearer,
  checkHead,
  firstOf,
  isBlank,
  repeated,
  textOf,
  unknownKey,
  wrong,
} from '../rules.ts';
import type { Scenario, Violation } from '../types.ts';

const KEYS = [
  ...['model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice', 'n', 'stop', 'seed'],
  ...['parallel_tool_calls', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'user'],
  ...['frequency_penalty', 'presence_penalty', 'logit_bias', 'logprobs', 'top_logprobs', 'store'],
  ...['reasoning_effort', 'response_format', 'prompt_cache_key', 'service_tier', 'metadata'],
  ...['verbosity', 'safety_identifier'],
];
/** Fields of servers other than the original. */
const OTHERS = [
  ...['chat_template_kwargs', 'top_k', 'min_p', 'repetition_penalty', 'reasoning', 'provider'],
  ...['repeat_penalty', 'typical_p', 'mirostat', 'grammar', 'min_tokens', 'web_search_options'],
];

/** By profile: keys that the server refuses. */
const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  original: [...OTHERS, 'max_tokens'],
  ollama: ['tool_choice', 'n', 'logit_bias'],
  llamacpp: ['n'],
  openrouter: ['chat_template_kwargs'],
};

export function checkOpenai(request: RecordedRequest, scenario: Scenario): Violation | undefined {
  const { headers, json } = request;
  return (
    checkHead(request, scenario, bearer(headers) ?? headers['api-key'] ?? headers['x-api-key']) ??
    firstOf(findings(fields(json), scenario))
  );
}

function* findings(body: Fields, { profile = 'other' }: Scenario): Generator<Violation> {
  const unknown = unknownKey(body, [...KEYS, ...OTHERS]);
  if (unknown !== undefined) yield wrong(`Unrecognized request argument supplied: ${unknown}`);
  const forbidden = FORBIDDEN[profile]?.find((key) => Object.hasOwn(body, key));
  if (forbidden !== undefined)
    yield wrong(`Unsupported parameter: '${forbidden}' is not supported with this model.`, {
      code: 'unsupported_parameter',
    });
  if (typeof body.model !== 'string') yield wrong('you must provide a model parameter');
  if (list(body.messages).length === 0) yield wrong("[] is too short - 'messages'");
  if (body.stream_options !== undefined && body.stream !== true)
    yield wrong("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  if (body.max_tokens !== undefined && body.max_completion_tokens !== undefined)
    yield wrong(
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    );
  yield* tools(body);
  for (const [index, message] of list(body.messages).entries())
    yield* messageRules(fields(message), index, profile);
  yield* pairs(list(body.messages).map(fields));
  yield* marks(body);
}

function* tools({ tools: given, tool_choice }: Fields): Generator<Violation> {
  if (given !== undefined && list(given).length === 0) yield wrong("[] is too short - 'tools'");
  if (tool_choice !== undefined && given === undefined)
    yield wrong("'tool_choice' is only allowed when 'tools' are specified.");
  const names = list(given).map((tool) => String(fields(fields(tool).function).name));
  for (const [index, name] of names.entries())
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      yield wrong(
        `Invalid 'tools[${index}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      );
  if (repeated(names).length > 0)
    yield wrong(`tools: the name ${repeated(names)[0]} is there twice`);
}

const ROLES = ['developer', 'system', 'user', 'assistant', 'tool'];
const MESSAGE_KEYS = [
  ...['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'refusal', 'reasoning_content'],
  ...['reasoning', 'reasoning_details'],
];

function* messageRules(message: Fields, index: number, profile: string): Generator<Violation> {
  const { role, content, tool_calls } = message;
  const at = `messages[${index}]`;
  const key = unknownKey(message, MESSAGE_KEYS);
  if (key !== undefined) yield wrong(`Unrecognized key '${key}' in '${at}'`);
  if (!ROLES.includes(String(role))) yield wrong(`Invalid value: '${role}' in '${at}.role'`);
  const hasCalls = list(tool_calls).length > 0;
  if (tool_calls !== undefined && !hasCalls) yield wrong(`[] is too short - '${at}.tool_calls'`);
  const isEmpty = Array.isArray(content) ? content.length === 0 : isBlank(content);
  if (isEmpty && !(role === 'assistant' && hasCalls)) yield wrong(`'${at}.content' is blank`);
  for (const part of list(content)) {
    const { type, text, image_url } = fields(part);
    if (type === 'text' && isBlank(text)) yield wrong(`'${at}.content' has a blank part`);
    if (role === 'tool' && type !== 'text')
      yield wrong(`'${at}.content' of a tool may only be text`);
    if (
      profile === 'ollama' &&
      type === 'image_url' &&
      !String(fields(image_url).url).startsWith('data:')
    )
      yield wrong('invalid image input');
  }
  for (const call of list(tool_calls)) {
    const { id, function: called } = fields(call);
    const { name, arguments: given } = fields(called);
    if (isBlank(id) || isBlank(name)) yield wrong(`'${at}.tool_calls' needs ids and names`);
    if (typeof given !== 'string' || typeof parseJson(given) !== 'object')
      yield wrong(`'${at}.tool_calls[].function.arguments' must be the text of a JSON object`);
  }
}

/** Every call has its tool message before the next message of another kind, every tool message its call. */
function* pairs(messages: readonly Fields[]): Generator<Violation> {
  let open: string[] = [];
  for (const [index, { role, tool_calls, tool_call_id }] of messages.entries()) {
    if (role === 'tool') {
      if (!open.includes(String(tool_call_id)))
        yield wrong(
          `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls' (messages[${index}]).`,
        );
      open = open.filter((id) => id !== tool_call_id);
      continue;
    }
    if (open.length > 0) yield unanswered(open);
    open = list(tool_calls).map((call) => String(fields(call).id));
    if (repeated(open).length > 0) yield wrong(`the call id ${repeated(open)[0]} is there twice`);
  }
  if (open.length > 0) yield unanswered(open);
}

const unanswered = (ids: readonly string[]): Violation =>
  wrong(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`,
  );

/** Marks for models behind a gateway: on parts with text, at most four. */
function* marks({ messages }: Fields): Generator<Violation> {
  const parts = list(messages).flatMap((message) => list(fields(message).content));
  const marked = parts.filter((part) => fields(part).cache_control !== undefined);
  if (marked.length > 4)
    yield wrong(
      `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`,
    );
  if (marked.some((part) => isBlank(textOf([part]))))
    yield wrong('cache_control cannot be set for empty text blocks');
}
