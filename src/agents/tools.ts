// The tools with which one agent uses others: `ask` for all of them, `hand_off_to_NAME` for those that it names.

import type { Caller } from '../ask/types/agents.ts';
import { locate, usageFailure } from '../errors.ts';
import type { Chat, Message, Tool, ToolContext, ToolOutput } from '../types.ts';
import type { Delegate } from '../workflows/types.ts';
import { type Consultation, type Consulting, consult, DEEPEST } from './consult.ts';
import { INHERIT, type Inherit } from './inherit.ts';
import { isSafeName, NAME_RULE, toolName } from './names.ts';
import { placeFrom } from './places.ts';
import type { Live, Session, Template } from './types.ts';

/** Rejects with a Failure at its line for an agent that is named there and cannot be used. */
export async function delegationTools(
  live: Live,
  caller: Caller,
  session: Session,
): Promise<readonly Tool[]> {
  const { max_depth: most } = caller.settings;
  live.maxDepth ??= typeof most === 'number' ? most : DEEPEST;
  const consulting: Consulting = { live, caller, session };
  const declared = [...caller.start, ...caller.conversation];
  const tools = new Map<string, Tool>();
  for (const { delegate, template } of await delegates(declared, live, session)) {
    const tool = handOffTool(delegate, template, consulting);
    tools.set(tool.name, tool);
  }
  const social = declared.findLast(({ role }) => role === 'socialize');
  const isSocial = social !== undefined && !/^(?:false|no|off|nil)?$/.test(social.content.trim());
  if (isSocial) tools.set('ask', askTool(await session.names(), consulting));
  return [...tools.values()];
}

async function delegates(declared: Chat, live: Live, session: Session) {
  const fromWorkflow = (live.template?.workflow?.delegates ?? []).map((delegate) => ({
    delegate,
    at: undefined,
  }));
  const fromChat = declared
    .filter(({ role }) => role === 'delegate')
    .map((message) => ({ delegate: readDelegate(message), at: message.origin }));
  const found: { delegate: Delegate; template: Template }[] = [];
  for (const { delegate: named, at } of [...fromWorkflow, ...fromChat]) {
    try {
      const delegate = { ...named, name: await placed(named.name, at?.file, session) };
      found.push({ delegate, template: await session.load(delegate.name) });
    } catch (error) {
      throw at === undefined ? error : locate(error, at);
    }
  }
  return found;
}

/** A name as it is; a path as the file that names it means it. */
async function placed(name: string, file: string | undefined, { world }: Session) {
  const place = /[/\\]/.test(name) ? await placeFrom(name, file, world) : undefined;
  return place ?? name;
}

/** `delegate: NAME what it is for`. */
function readDelegate({ content, origin }: Message): Delegate {
  const [, name = '', description = ''] = /^(\S*)\s*([\s\S]*)$/.exec(content.trim()) ?? [];
  if (name !== '') return { name, description };
  throw usageFailure('bad-delegate', '"delegate:" names no agent', {
    ...(origin === undefined ? {} : { at: origin }),
    next: 'write `delegate: NAME what it is for`',
  });
}

function askTool(names: readonly string[], consulting: Consulting): Tool {
  return {
    name: 'ask',
    description: `Asks another agent and returns its answer. Agents: ${names.join(', ') || 'none'}.`,
    parameters: {
      type: 'object',
      properties: {
        agent: { type: 'string', description: 'Name of the agent' },
        prompt: { type: 'string', description: 'What it is asked; it knows nothing else' },
        conversation: {
          type: 'string',
          description:
            'Name of a conversation to begin or go on with. Without it nothing is remembered',
        },
        inherit: {
          type: 'string',
          enum: [...INHERIT],
          description:
            'What a new conversation begins with: nothing, your tools (default), or all that was said here',
        },
      },
      required: ['agent', 'prompt'],
    },
    call: (given, context) => consulted(() => askConsultation(given), consulting, context),
  };
}

function askConsultation(given: Readonly<Record<string, unknown>>): Consultation {
  const agent = textOf(given, 'agent');
  if (!isSafeName(agent))
    throw wrong(`${JSON.stringify(agent)} is no name of an agent: ${NAME_RULE}`);
  const { conversation = null, inherit = null } = given;
  const name = conversation === null || conversation === '' ? undefined : conversation;
  if (name !== undefined && (typeof name !== 'string' || !isSafeName(name)))
    throw wrong(`${JSON.stringify(name)} is no name of a conversation: ${NAME_RULE}`);
  if (name !== undefined && /^hand-off-\d+$/i.test(name))
    throw wrong(`"${name}" is kept for what is handed over; choose another name of a conversation`);
  return {
    agent,
    prompt: textOf(given, 'prompt'),
    conversation: name === undefined ? 'once' : { name },
    inherit: inheritOf(inherit),
  };
}

function inheritOf(value: unknown): Inherit {
  if (value === null || value === '') return 'tools';
  const found = INHERIT.find((each) => each === value);
  if (found !== undefined) return found;
  throw wrong(`inherit is one of ${INHERIT.join(', ')}, not ${JSON.stringify(value)}`);
}

function handOffTool(
  { name, description }: Delegate,
  template: Template,
  consulting: Consulting,
): Tool {
  return {
    name: toolName('hand_off_to_', template.name),
    description: description === '' ? `Hands work over to the agent ${template.name}` : description,
    parameters: {
      type: 'object',
      properties: {
        message: { type: 'string', description: 'What it is to do' },
        new_conversation: {
          type: 'boolean',
          description: 'Begin anew; otherwise it remembers what you handed over before',
        },
      },
      required: ['message'],
    },
    call: (given, context) =>
      consulted(
        () => ({
          agent: name,
          prompt: textOf(given, 'message'),
          conversation: {
            handOff: /^true$/.test(String(given.new_conversation)) ? 'next' : 'last',
          },
          inherit: 'tools',
        }),
        consulting,
        context,
      ),
  };
}

/** Arguments that make no sense reject with words for the model. */
async function consulted(
  read: () => Consultation,
  consulting: Consulting,
  context: ToolContext,
): Promise<ToolOutput> {
  return consult(read(), consulting, context);
}

function textOf(given: Readonly<Record<string, unknown>>, name: string): string {
  const value = given[name];
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw wrong(`"${name}" must be a text that is not empty`);
}

const wrong = (message: string) => usageFailure('bad-delegation', message);
