// The messages of tool calls and their outputs as every wire needs them: fields out of JSON text. Pure; pairs nothing.

import { locate, usageFailure } from '../errors.ts';
import { type Fields, isObject, objectIn, parseJson } from '../json.ts';
import type { Message } from '../types.ts';

export interface CallFields {
  /** '' when there is none. */
  readonly id: string;
  readonly name: string;
  /** An object, or whatever else stands there. */
  readonly arguments: unknown;
}

/** A `function_call` message. Throws a usage Failure with its place when it holds no JSON object. */
export function readCall(message: Message): CallFields {
  const value = contentOf(message);
  return { id: idOf(value), name: String(value.name ?? ''), arguments: value.arguments };
}

export interface OutputFields {
  readonly id: string;
  /** What the model gets; never blank. */
  readonly text: string;
  /** The call failed. */
  readonly failed: boolean;
}

/** A `function_call_output` message: nothing is `success`, a blank text `(empty)`, what is no text its JSON. */
export function readOutput(message: Message): OutputFields {
  const value = contentOf(message);
  const { content, exception } = value;
  const result = content ?? 'success';
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  return {
    id: idOf(value),
    text: text.trim() === '' ? '(empty)' : text,
    failed: exception !== undefined && exception !== null && exception !== false,
  };
}

/** Arguments as an object: none at all are an empty one; undefined when they are something else. */
export function argumentObject(given: unknown): Fields | undefined {
  if (isObject(given)) return given;
  if (given === undefined || given === null) return {};
  if (typeof given !== 'string') return undefined;
  if (given.trim() === '') return {};
  const value = parseJson(given);
  if (value === null) return {};
  return isObject(value) ? value : undefined;
}

/** Chats that other programs wrote have it under other names. */
function idOf({ id, call_id, tool_call_id }: Fields): string {
  const given = id ?? call_id ?? tool_call_id;
  return typeof given === 'string' || typeof given === 'number' ? String(given) : '';
}

function contentOf(message: Message): Fields {
  const value = objectIn(message.content);
  if (value !== undefined) return value;
  const error = usageFailure('bad-tool-message', `"${message.role}:" does not hold a JSON object`);
  throw message.origin === undefined ? error : locate(error, message.origin);
}
