// A conversation over the Responses protocol through the program: each turn a process of its own, saved in between.

import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { type AskHome, askHome } from '../helpers/ask-home.ts';
import { writeTree } from '../helpers/folder.ts';
import {
  called,
  type Item,
  type KeepingServer,
  keepingServer,
  message,
  reasoning,
} from '../helpers/responses-replies.ts';

const WORKFLOW = `tasks:
  look:
    description: Looks something up
    inputs:
      key: {type: string, required: true}
    command: ["printf", "found %s  ", "{{key}}"]
`;

/** Two turns, each with reasoning, a text and two calls, then reasoning and a text whose ends a careless writer would change. */
const OUTPUTS: readonly (readonly Item[])[] = [1, 2, 3].flatMap((turn) => [
  [
    reasoning(`rs_${turn}a`, 'Two "lookups":\n\na and b 🐌'),
    message('Let me look.', `msg_${turn}a`),
    called(`call_${turn}a`, 'look', '{"key": "a"}'),
    called(`call_${turn}b`, 'look', '{"key":"Žluť\\n"}'),
  ],
  [reasoning(`rs_${turn}b`, 'Both there.'), message(`Turn ${turn} is done. \n`, `msg_${turn}b`)],
]);

let home: AskHome | undefined;
afterEach(async () => {
  await home?.close();
  home = undefined;
});

interface Program extends AskHome {
  readonly keeping: KeepingServer;
  bodies(): readonly { readonly input: readonly Item[]; readonly [name: string]: unknown }[];
  ask(
    question: string,
    ...more: string[]
  ): Promise<{ code: number | null; warnings: readonly string[] }>;
  text(): string;
}

async function start(settings = ''): Promise<Program> {
  const keeping = keepingServer(OUTPUTS);
  const own = await askHome((request) => keeping.answer(request));
  home = own;
  const endpoint = `backend: responses\nurl: ${own.server.url}/v1\nmodel: fake-5\nkey: $FAKE_KEY\nretry_base: 0.01\n`;
  writeTree(own.folder, {
    'home/.scout/etc/AI/default.yaml': `${endpoint}${settings}`,
    'workflows/Look.yaml': WORKFLOW,
    'c.chat': 'system:\n\nBe brief.\n\ntool: Look\n',
  });
  return {
    ...own,
    keeping,
    bodies: () => own.server.requests.map(({ json }) => json),
    async ask(question, ...more) {
      const args = ['ask', '--no-cache', ...more, '-c', 'c.chat', question];
      const started = own.start(args, { env: { FAKE_KEY: 'KEY-mock-123' } });
      const { code } = await started.ended;
      return { code, warnings: started.stderr().match(/^(?:warning|error): .*/gm) ?? [] };
    },
    text: () => readFileSync(own.file('c.chat'), 'utf8'),
  };
}

const fine = { code: 0, warnings: [] };
const typesOf = (items: readonly Item[] = []) => items.map(({ type, role }) => type ?? role);
const ANSWERED = ['function_call_output', 'function_call_output'];

describe('a conversation in two processes', () => {
  it('that the provider does not keep goes out whole, its beginning the same to the byte', async () => {
    const program = await start('previous_response: false\n');
    expect(await program.ask('One?')).toEqual(fine);
    expect(await program.ask('Two?')).toEqual(fine);
    const bodies = program.bodies();
    expect(bodies.map(({ store, instructions }) => [store, instructions])).toEqual(
      Array(4).fill([false, 'Be brief.']),
    );
    const texts = bodies.map(({ input }) => JSON.stringify(input).slice(0, -1));
    for (const [index, earlier] of texts.slice(0, -1).entries())
      expect(texts[index + 1]?.startsWith(earlier)).toBe(true);
    const turn = ['user', 'reasoning', 'assistant', 'function_call', 'function_call', ...ANSWERED];
    expect(typesOf(bodies[3]?.input)).toEqual([...turn, 'reasoning', 'assistant', ...turn]);
    expect(bodies[3]?.input[3]).toMatchObject({ arguments: '{"key": "a"}' });
    expect(bodies[3]?.input[5]).toMatchObject({ output: 'found a  ' });
  });

  it('that the provider keeps is gone on from, also by the second process', async () => {
    const program = await start();
    expect(await program.ask('One?')).toEqual(fine);
    expect(await program.ask('Two?')).toEqual(fine);
    expect(
      program.bodies().map((body) => [body.previous_response_id, ...typesOf(body.input)]),
    ).toEqual([
      [undefined, 'user'],
      ['resp_1', ...ANSWERED],
      ['resp_2', 'user'],
      ['resp_3', ...ANSWERED],
    ]);
    const { seen } = program.keeping;
    for (const [index, earlier] of seen.slice(0, -1).entries())
      expect(seen[index + 1]?.slice(0, earlier.length)).toEqual(earlier);
    const roles = parse(program.text()).map(({ role }) => role);
    expect(roles.slice(3, 12)).toEqual([
      'meta',
      'provider_content',
      'assistant',
      'function_call',
      'function_call_output',
      'function_call',
      'function_call_output',
      'meta',
      'provider_content',
    ]);
    expect(program.text()).toContain('provider_response_id=resp_1');
    expect(program.text()).not.toContain('KEY-mock-123');
  });

  it('whose file was edited in between goes out as it stands now', async () => {
    const program = await start();
    await program.ask('One?');
    writeFileSync(program.file('c.chat'), program.text().replace('One?', 'Just one?'));
    expect(await program.ask('Two?')).toEqual(fine);
    const body = program.bodies()[2];
    expect(body).not.toHaveProperty('previous_response_id');
    expect(typesOf(body?.input)).toEqual([
      'user',
      'reasoning',
      'assistant',
      'function_call',
      'function_call',
      ...ANSWERED,
      'reasoning',
      'assistant',
      'user',
    ]);
    expect(JSON.stringify(body?.input[0])).toContain('Just one?');
  });

  it('that the provider forgot goes out whole, with a warning, and is gone on from after that', async () => {
    const program = await start();
    await program.ask('One?');
    program.keeping.forget();
    const { code, warnings } = await program.ask('Two?');
    expect(code).toBe(0);
    expect(warnings).toEqual([
      expect.stringMatching(/'resp_2' not found\.; sent the whole conversation instead$/),
    ]);
    expect(program.bodies().map((body) => body.previous_response_id)).toEqual([
      undefined,
      'resp_1',
      'resp_2',
      undefined,
      'resp_3',
    ]);
    expect(await program.ask('Three?')).toEqual(fine);
    expect(program.bodies()[5]?.previous_response_id).toBe('resp_4');
  });

  it('goes to another model without what the first one must get back', async () => {
    const program = await start();
    await program.ask('One?');
    expect(await program.ask('Two?', '-m', 'fake-6')).toEqual(fine);
    const body = program.bodies()[2];
    expect(body).toMatchObject({ model: 'fake-6' });
    expect(typesOf(body?.input)).not.toContain('reasoning');
    expect(body).not.toHaveProperty('previous_response_id');
  });
});

it('a response that the chat names is gone on from, and what stands before it is not sent', async () => {
  const program = await start();
  await program.ask('One?');
  const named = 'user:\n\nsecret past\n\nprevious_response_id: resp_2\n';
  writeFileSync(program.file('c.chat'), `system:\n\nBe brief.\n\ntool: Look\n\n${named}`);
  expect(await program.ask('Two?')).toEqual(fine);
  expect(program.bodies()[2]).toMatchObject({ previous_response_id: 'resp_2' });
  expect(typesOf(program.bodies()[2]?.input)).toEqual(['user']);
  expect(program.bodies()[3]?.previous_response_id).toBe('resp_3');
  expect(JSON.stringify(program.bodies())).not.toContain('secret past');
  expect(program.text()).toContain(named);
});
