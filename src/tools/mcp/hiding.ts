// Takes the keys of a server out of what it says: results and lists of tools. Pure.

import type { ToolOutput } from '../../types.ts';
import type { ListedTool, ToolList } from './types.ts';

type Hide = (text: string) => string;

/** The same output without keys. */
export function hiddenInOutput(output: ToolOutput, hide: Hide): ToolOutput {
  const { content, exception } = output;
  return {
    ...output,
    content: typeof content === 'string' ? hide(content) : content,
    ...(exception === undefined ? {} : { exception: hide(exception) }),
  };
}

/** Descriptions, and texts in schemas: names stay, since they are what is called. */
export function hiddenInList({ tools, problems }: ToolList, hide: Hide): ToolList {
  return {
    tools: tools.map((tool) => ({
      ...tool,
      description: hide(tool.description),
      parameters: hiddenIn(tool.parameters, hide) as ListedTool['parameters'],
    })),
    problems: problems.map(hide),
  };
}

function hiddenIn(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((each) => hiddenIn(each, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, hiddenIn(each, hide)]),
  );
}
