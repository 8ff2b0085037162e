// What Ollama does not take, and what it would take without a word but not understand.

import { type Fields, fields, isObject, list } from '../../../src/json.ts';
import type { RecordedRequest } from '../../helpers/fake-server.ts';
import { bearer, checkHead, firstOf, isBlank, unknownKey, wrong } from '../rules.ts';
import type { Scenario, Violation } from '../types.ts';

const KEYS = [
  ...['model', 'messages', 'tools', 'think', 'format', 'options', 'stream', 'keep_alive'],
  ...['truncate', 'shift', 'logprobs', 'top_logprobs'],
];
const MESSAGE_KEYS = [
  ...['role', 'content', 'thinking', 'images', 'tool_calls', 'tool_name', 'tool_call_id'],
];

export function checkOllama(request: RecordedRequest, scenario: Scenario): Violation | undefined {
  // A key is needed only where a proxy asks for one.
  const given = bearer(request.headers) ?? 'none';
  return checkHead(request, scenario, given) ?? firstOf(findings(fields(request.json), scenario));
}

function* findings(body: Fields, { models }: Scenario): Generator<Violation> {
  const unknown = unknownKey(body, KEYS);
  if (unknown !== undefined) yield wrong(`unknown field "${unknown}"`);
  if (typeof body.model !== 'string') yield wrong('model is required');
  if (models.length > 0 && !models.includes(String(body.model)))
    yield wrong(`model '${body.model}' not found`, { status: 404 });
  const { think, format, options } = body;
  if (
    think !== undefined &&
    typeof think !== 'boolean' &&
    !['low', 'medium', 'high', 'max'].includes(String(think))
  )
    yield wrong(`invalid think value: ${JSON.stringify(think)}`);
  if (format !== undefined && format !== 'json' && !isObject(format)) yield wrong('invalid format');
  if (options !== undefined && !isObject(options)) yield wrong('options must be an object');
  if (list(body.messages).length === 0) yield wrong('messages are missing');
  for (const message of list(body.messages)) yield* messageRules(fields(message));
  yield* pairs(list(body.messages).map(fields));
}

function* messageRules(message: Fields): Generator<Violation> {
  const { role, content, images, tool_calls, tool_name, tool_call_id } = message;
  const unknown = unknownKey(message, MESSAGE_KEYS);
  if (unknown !== undefined) yield wrong(`unknown field "${unknown}" of a message`);
  if (!['system', 'user', 'assistant', 'tool'].includes(String(role)))
    yield wrong(`invalid role: ${role}`);
  if (content !== undefined && typeof content !== 'string')
    yield wrong(
      'json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string',
    );
  const carries = list(images).length > 0 || list(tool_calls).length > 0;
  if (isBlank(content) && !carries) yield wrong(`a message of ${role} is blank`);
  if (list(images).some((each) => !/^[A-Za-z0-9+/]+=*$/.test(String(each))))
    yield wrong('invalid image input');
  if (role === 'tool' && tool_name === undefined && tool_call_id === undefined)
    yield wrong('a tool message needs tool_name or tool_call_id');
  for (const call of list(tool_calls)) {
    const { name, arguments: given } = fields(fields(call).function);
    if (isBlank(name)) yield wrong('a tool call needs a name');
    if (!isObject(given))
      yield wrong(
        `json: cannot unmarshal ${typeof given} into Go struct field ChatRequest.messages.tool_calls.function.arguments of type map[string]interface {}`,
      );
  }
}

/** As many tool messages follow as there are calls, each for one of them. */
function* pairs(messages: readonly Fields[]): Generator<Violation> {
  let open: Fields[] = [];
  for (const { role, tool_calls, tool_name, tool_call_id } of [...messages, {} as Fields]) {
    if (role === 'tool') {
      const at = open.findIndex(
        ({ id, function: called }) =>
          (tool_call_id === undefined || id === undefined || id === tool_call_id) &&
          (tool_name === undefined || fields(called).name === tool_name),
      );
      if (at === -1)
        yield wrong(`a tool message for ${tool_name ?? tool_call_id} without its call`);
      open.splice(at, 1);
      continue;
    }
    if (open.length > 0)
      yield wrong(`a call of ${fields(open[0]?.function).name} without its tool message`);
    open = list(tool_calls).map(fields);
  }
}
