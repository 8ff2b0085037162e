// What a program and a workflow file may write, as types: this file compiles, and that is most of the test.

import { expect, test } from 'vitest';
import {
  Agent,
  type AgentOptions,
  chat,
  chatTask,
  defineWorkflow,
  input,
  loadAgent,
  z,
} from '../../src/index.ts';

test('inputs of a chat task have the types of their schemas, and it may return an agent, messages or text', () => {
  const workflow = defineWorkflow({
    delegate: { Critic: 'Reads drafts' },
    tasks: {
      ask: chatTask(async (job) => job.agent('Writer', { options: { temperature: 0 } }).user('x')),
      text: chatTask(({ chat: messages }) => messages.map(({ content }) => content).join()),
      typed: chatTask({
        inputs: { word: input.text(), most: z.int().default(3) },
        run: ({ inputs }) => [{ role: 'assistant', content: inputs.word.repeat(inputs.most) }],
      }),
    },
  });
  expect(Object.keys(workflow.tasks)).toEqual(['ask', 'text', 'typed']);
  expect(Object.keys(workflow.tasks.typed.inputs ?? {})).toEqual(['chat', 'word', 'most']);
});

test('an agent is made without loading or asking anything', () => {
  const options: AgentOptions = { start: 'system: x', onError: (_, attempt) => attempt < 2 };
  const agent: Agent = new Agent(options).user('one').add({ role: 'user', content: { two: 2 } });
  expect(agent.saveFile).toBeUndefined();
  expect([typeof loadAgent, typeof chat]).toEqual(['function', 'function']);
});
