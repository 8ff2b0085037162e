// The tools of a request for the Messages protocol, and which of them the model has to use. Pure.

import { type Fields, fields } from '../../json.ts';
import { wireTools } from '../schemas.ts';
import { toolChoice } from '../tool-choice.ts';
import { type WireNames, wireNames } from '../tool-names.ts';
import { readCall } from '../traffic.ts';
import type { PromptRequest } from '../types.ts';

export interface ToolFields {
  /** `tools` and `tool_choice`; nothing without tools. */
  readonly fields: Fields;
  readonly names: WireNames;
  readonly warnings: readonly string[];
}

export interface ToolOptions {
  /** Thinking has a budget: no tool can be forced beside it. */
  readonly budget: boolean;
  /** A host that takes no calls in the history without tools: those that were called are declared by their names. */
  readonly named: boolean;
}

/** In the order given. A tool that the protocol cannot take is left out with a warning. */
export function toolFields(request: PromptRequest, { budget, named }: ToolOptions): ToolFields {
  const { tools: adapted, warnings } = wireTools(request.tools);
  const tools = adapted.filter(({ parameters }) => oddProperty(parameters) === undefined);
  const left = adapted.flatMap(({ name, parameters }) => {
    const odd = oddProperty(parameters);
    return odd === undefined ? [] : [`the tool "${name}" is left out: ${NOT_TAKEN} "${odd}"`];
  });
  const names = wireNames(tools);
  const choice = choiceField({ ...request, tools }, names);
  const conflict = budget && (choice.type === 'any' || choice.type === 'tool');
  const conflicts = conflict ? [NOT_FORCED] : [];
  const none = named ? { tools: calledTools(request, names) } : {};
  return {
    fields:
      tools.length === 0
        ? none
        : {
            tools: tools.map(({ name, description, parameters }) => ({
              name: names.toWire(name),
              description,
              input_schema: parameters,
            })),
            tool_choice: conflict ? { type: 'auto' } : choice,
          },
    names,
    warnings: [...warnings, ...left, ...conflicts],
  };
}

const NOT_TAKEN = 'the provider takes no input named';
const NOT_FORCED = '"tool_choice" has no effect: no tool can be forced while thinking has a budget';

function oddProperty(schema: Fields): string | undefined {
  return Object.keys(fields(schema.properties)).find((name) => !/^[\w.-]{1,64}$/.test(name));
}

function choiceField(request: PromptRequest, names: WireNames): Fields {
  if (request.tools.length === 0) return {};
  const choice = toolChoice(request);
  if (typeof choice !== 'string') return { type: 'tool', name: names.toWire(choice.name) };
  return { type: choice === 'required' ? 'any' : choice };
}

/** Undefined when nothing was called. */
function calledTools({ messages }: PromptRequest, names: WireNames): readonly Fields[] | undefined {
  const calls = messages.filter(({ role }) => role === 'function_call').map(readCall);
  const called = new Set(calls.map(({ name }) => names.toWire(name)));
  if (called.size === 0) return undefined;
  const schema = { type: 'object', properties: {} };
  return [...called].map((name) => ({ name, description: GONE, input_schema: schema }));
}

const GONE = 'Not available any more';
