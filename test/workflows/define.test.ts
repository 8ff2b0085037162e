import { describe, expect, expectTypeOf, test } from 'vitest';
import * as zod from 'zod';
import { defineWorkflow, input, type WorkflowJob, z } from '../../src/workflows/public.ts';

describe('defineWorkflow', () => {
  test('gives run the types of the inputs of its own task', () => {
    const baking = defineWorkflow({
      title: 'Bread',
      tasks: {
        whisk: {
          inputs: {
            eggs: z.int().default(2).describe('How many'),
            speed: z.enum(['slow', 'fast']),
            note: z.string().optional(),
            names: z.array(z.string()),
          },
          result: 'string',
          run: (inputs, job) => {
            expectTypeOf(inputs).toEqualTypeOf<{
              readonly eggs: number;
              readonly speed: 'slow' | 'fast';
              readonly note: string | undefined;
              readonly names: string[];
            }>();
            expectTypeOf(job).toEqualTypeOf<WorkflowJob>();
            return inputs.speed;
          },
        },
        bake: {
          inputs: { minutes: z.number(), recipe: input.file() },
          deps: [
            'whisk',
            { task: 'whisk', name: 'more', inputs: (own) => ({ eggs: own.minutes * 2 }) },
          ],
          async *run({ minutes, recipe }, job) {
            expectTypeOf(minutes).toEqualTypeOf<number>();
            expectTypeOf(recipe).toEqualTypeOf<string>();
            expectTypeOf(await job.dep('whisk')).toBeUnknown();
            yield await job.dep<string>('whisk');
          },
        },
        rest: { run: () => 1 },
      },
    });
    expect(Object.keys(baking.tasks)).toEqual(['whisk', 'bake', 'rest']);
    expect(
      baking.tasks.whisk.run({ eggs: 1, speed: 'fast', note: undefined, names: [] }, {} as never),
    ).toBe('fast');
    // @ts-expect-error a task without run is no task
    defineWorkflow({ tasks: { nothing: {} } });
    // @ts-expect-error the words for results are known
    defineWorkflow({ tasks: { odd: { result: 'picture', run: () => 1 } } });
  });

  test('z has everything of zod but its languages, its converters and its older names', () => {
    const left = Object.keys(zod).filter((name) => !(name in z) && !/^(?:_?Zod|\$)/.test(name));
    expect(left.sort()).toEqual([
      'compile',
      'core',
      'deepPartial',
      'default',
      'fromJSONSchema',
      'getErrorMap',
      'input',
      'locales',
      'output',
      'setErrorMap',
      'toJSONSchema',
      'toZod',
      'withParser',
      'z',
    ]);
  });
});
