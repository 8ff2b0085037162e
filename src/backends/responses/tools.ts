// The tools of a Responses request: those of the chat, and those that the provider runs itself. Pure.

import { type Fields, fields, isObject, list } from '../../json.ts';
import type { ToolSpec } from '../../types.ts';
import { wireTools } from '../schemas.ts';
import { flagSetting } from '../settings.ts';
import { toolChoice } from '../tool-choice.ts';
import { type WireNames, wireNames } from '../tool-names.ts';
import type { PromptRequest } from '../types.ts';

export interface ToolFields {
  readonly fields: Fields;
  readonly names: WireNames;
  readonly warnings: readonly string[];
}

/** Own tools first, in the order given. The provider's are `websearch`, and what `extra_body` lists under `tools`. */
export function toolFields(request: PromptRequest, refused: ReadonlySet<string>): ToolFields {
  const { tools, warnings } = wireTools(request.tools.filter(({ name }) => !refused.has(name)));
  const names = wireNames(tools);
  const own = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name: names.toWire(name),
    description,
    parameters,
    strict: false,
  }));
  const others = hosted(request).filter(({ type }) => !refused.has(String(type)));
  const all = [...own, ...others];
  const named = others.map(({ type }) => ({ ...NOTHING, name: String(type) }));
  const choice =
    all.length === 0 ? 'auto' : toolChoice({ ...request, tools: [...tools, ...named] });
  const chosen = typeof choice === 'string' ? choice : chosenTool(choice.name, tools, names);
  return {
    fields: all.length === 0 ? {} : { tools: all, tool_choice: chosen },
    names,
    warnings,
  };
}

const NOTHING = { description: '', parameters: {} };

/** The provider's tools are known by their type. */
function chosenTool(name: string, tools: readonly ToolSpec[], names: WireNames): Fields {
  const isOwn = tools.some((tool) => tool.name === name);
  return isOwn ? { type: 'function', name: names.toWire(name) } : { type: name };
}

function hosted({ endpoint }: PromptRequest): readonly Fields[] {
  const listed = list(fields(endpoint.settings.extra_body).tools).filter(isObject);
  const searches = listed.some(({ type }) => String(type).startsWith('web_search'));
  const search = flagSetting(endpoint, 'websearch') === true && !searches;
  return [...(search ? [{ type: 'web_search' }] : []), ...listed];
}
