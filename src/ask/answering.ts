// An agent whose workflow has a task `ask` answers with it: the conversation goes in, the answer is what the job made.

import { configFailure } from '../errors.ts';
import type { Chat } from '../types.ts';
import type { Task, Workflow } from '../workflows/types.ts';
import { flagOptions } from './flags.ts';
import { namesCustom } from './strategies.ts';
import type { AskedAgent } from './types/agents.ts';
import type { AskFlags } from './types/flags.ts';
import type { Plan } from './types/run.ts';
import type { WorkParts } from './work.ts';

/** As deep as jobs of agents may ask agents that answer with jobs. */
const DEEPEST = 8;

const askTask = (workflow: Workflow | undefined): Task | undefined =>
  workflow?.tasks.find(
    ({ name, inputs }) => name === 'ask' && inputs.some((input) => input.name === 'chat'),
  );

/** What a model may use of the workflow: all but the task that answers. */
export function toolsOf(workflow: Workflow | undefined): Workflow | undefined {
  const task = askTask(workflow);
  if (workflow === undefined || task === undefined) return workflow;
  return { ...workflow, tasks: workflow.tasks.filter((each) => each !== task) };
}

/** How the agent answers when it has a task for that. `compiled` is the whole chat with its options. */
export function answering(
  agent: AskedAgent | undefined,
  compiled: Chat,
  flags: AskFlags,
  work: Pick<WorkParts, 'answer'>,
): Pick<Plan, 'produce'> {
  const task = askTask(agent?.workflow);
  if (agent === undefined || task === undefined) return {};
  const chat = [...compiled.filter(({ role }) => !BOOKKEEPING.has(role)), ...asMessages(flags)];
  return {
    async produce(signal) {
      if (agent.depth > DEEPEST)
        throw configFailure('agents-too-deep', `agents ask each other more than ${DEEPEST} deep`, {
          next: `${task.workflow}/ask may not ask ${task.workflow} itself again and again`,
        });
      const answer = await work.answer(task, chat, signal);
      return { ...answer, messages: agent.project(answer) };
    },
  };
}

/** No part of what is asked: the same question is the same job, whatever was tried before. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['meta', 'skip', 'previous_response_id']);

const ROLES: ReadonlySet<string> = new Set(['endpoint', 'backend', 'model']);

/** What the command line says, for the agents of the job. Where a key goes is no business of a stored job. */
function asMessages(flags: AskFlags): Chat {
  const options = Object.entries(flagOptions(flags)).filter(
    ([name, value]) =>
      !/^(?:url|key|key_env|key_cmd|headers)$/.test(name) &&
      // Code is loaded on the word of the command line, not of a chat.
      !(name === 'prompt_strategies' && namesCustom(value)),
  );
  return [
    ...(flags.workflows ?? []).map((content) => ({ role: 'tool', content })),
    ...options.map(([name, value]) =>
      ROLES.has(name)
        ? { role: name, content: value }
        : { role: 'sticky_option', content: `${name} ${value}` },
    ),
    ...(flags.format === undefined ? [] : [{ role: 'format', content: flags.format }]),
  ];
}
