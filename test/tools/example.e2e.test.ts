// The worked example of fixtures/: a chat whose tools are tasks in three languages, called by a scripted model.

import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import { packageFolder } from '../helpers/built.ts';
import type { Script } from '../helpers/fake-server.ts';
import { chatChunks, chunk, DONE } from '../helpers/openai-replies.ts';

let home: AskHome | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

const SSE = { 'content-type': 'text/event-stream' };

function calls(...list: readonly (readonly [name: string, args: unknown])[]): Script {
  const body = list.map(([name, args], index) =>
    chunk({
      tool_calls: [
        {
          index,
          id: `call_${name}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        },
      ],
    }),
  );
  return { headers: SSE, body: [...body, chunk({}, 'tool_calls'), DONE] };
}

const SCRIPT: readonly Script[] = [
  calls(
    ['lengths', { text: 'Africa' }],
    ['count', { text: 'the river, the lake and the sea', most: 1 }],
  ),
  calls(['histogram', { values: [6650, 4700, 4180, 2574], bins: 4, title: 'Rivers <of> Africa' }]),
  { headers: SSE, body: chatChunks(['Four rivers.']) },
];

/** The jobs on disk: place without its digest, and what its `.info` says. */
function jobs(folder: string): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.info'))
      .sort()
      .map((name) => [
        path.dirname(name),
        JSON.parse(readFileSync(path.join(folder, name), 'utf8')),
      ]),
  );
}

test('a model calls tasks in TypeScript, YAML and Python; the jobs are on disk; a second run computes nothing', async () => {
  home = await askHome((_request, index) => SCRIPT[index % 3] ?? {});
  const { folder } = home;
  cpSync(path.join(packageFolder, 'fixtures/workflows'), path.join(folder, 'workflows'), {
    recursive: true,
  });
  const ask = async (name: string) => {
    cpSync(path.join(packageFolder, 'fixtures/demo/rivers.chat'), path.join(folder, name));
    const run = home?.start(['ask', '--no-cache', '--jobs', 'var/jobs', name]);
    expect([(await run?.ended)?.code, run?.stdout()]).toEqual([0, 'Four rivers.\n']);
    return parse(readFileSync(path.join(folder, name), 'utf8')).filter(
      ({ role }) => role === 'function_call_output',
    );
  };
  const outputs = (await ask('first.chat')).map(({ content }) => JSON.parse(content));
  expect(outputs.map(({ name, content }) => [name, content])).toEqual([
    ['lengths', '["6650","4700","4180","2574"]'],
    ['count', '{"words":7,"different":5,"most":{"the":3}}'],
    [
      'histogram',
      '4 values in 4 bins\n2574 to 3593: 1\n3593 to 4612: 1\n4612 to 5631: 1\n5631 to 6650: 1\npicture: histogram.svg\n',
    ],
  ]);
  const store = path.join(folder, 'var/jobs');
  const made = jobs(store);
  expect(
    Object.fromEntries(Object.entries(made).map(([place, info]) => [place, info.status])),
  ).toEqual({
    'Plot/histogram': 'done',
    'Table/find': 'done',
    'Table/lengths': 'done',
    'Words/count': 'done',
    'Words/split': 'done',
  });
  expect(made['Words/count']).toMatchObject({
    workflow: 'Words',
    task_name: 'count',
    provided_inputs: { text: 'the river, the lake and the sea', most: 1 },
  });
  const picture = readFileSync(path.join(`${outputs[2].step}.files`, 'histogram.svg'), 'utf8');
  expect(picture).toContain('Rivers &lt;of&gt; Africa');
  const times = () =>
    readdirSync(store, { recursive: true, encoding: 'utf8' }).map((name) => [
      name,
      statSync(path.join(store, name)).mtimeMs,
    ]);
  const before = times();
  const again = (await ask('second.chat')).map(({ content }) => JSON.parse(content));
  expect(again).toEqual(outputs);
  expect(times()).toEqual(before);
});
