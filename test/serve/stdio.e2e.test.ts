// Served workflows as the protocol library's own client sees them, over standard input and output.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CallToolResult, Client, Progress } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { shell } from '../helpers/built.ts';
import { living, until } from '../helpers/children.ts';
import { began, connect, project, start, statusOf } from '../helpers/serving.ts';

const call = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args });

/** The text of a result, and the place that it links to. */
function read({ content, isError }: CallToolResult) {
  const texts = content.flatMap((each) => (each.type === 'text' ? [each.text] : []));
  const [link] = content.flatMap((each) => (each.type === 'resource_link' ? [each] : []));
  return { text: texts.join(''), link, failed: isError === true };
}

describe('tools', () => {
  test('are the tasks of all workflows, in TypeScript, YAML and Python, with their inputs', async () => {
    const { client } = await connect(project(), ['Words', 'Table', 'Plot']);
    expect(client.getServerVersion()).toMatchObject({
      name: 'scout-chat',
      title: 'Words, Table, Plot',
    });
    expect(client.getInstructions()).toContain('Counts the words of a text.');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'split',
      'count',
      'find',
      'lengths',
      'histogram',
    ]);
    expect(tools[1]).toEqual({
      name: 'count',
      title: 'count (Words)',
      description: 'How often each word of a text occurs, the most frequent ones first',
      inputSchema: {
        type: 'object',
        properties: {
          text: { type: 'string', description: 'The text' },
          most: { type: 'integer', description: 'How many words to tell', default: 10 },
        },
        required: ['text'],
      },
      annotations: { title: 'count (Words)', idempotentHint: true },
    });
  });

  test('give text, and a link that can be read', async () => {
    const folder = project();
    const { client } = await connect(folder, ['Words', 'Table', 'Plot']);
    const counted = read(await call(client, 'count', { text: 'a b a' }));
    expect(counted.text).toBe('{"words":3,"different":2,"most":{"a":2,"b":1}}');
    expect(counted.link).toMatchObject({
      name: expect.stringMatching(/^Words\/count\/Default_[0-9a-f]{32}\.json$/),
      mimeType: 'application/json',
      description: 'How often each word of a text occurs, the most frequent ones first',
    });
    const place = fileURLToPath(counted.link?.uri ?? '');
    expect(place.startsWith(join(folder, 'var/jobs/Words/count/'))).toBe(true);
    const { contents } = await client.readResource({ uri: counted.link?.uri ?? '' });
    expect(contents).toEqual([
      { uri: counted.link?.uri, mimeType: 'application/json', text: readFileSync(place, 'utf8') },
    ]);
    const rivers = read(await call(client, 'lengths', { text: 'Europe' }));
    expect(JSON.parse(rivers.text)).toContain('2850');
    const drawn = read(await call(client, 'histogram', { values: [1, 2, 2], bins: 2 }));
    expect(drawn.text).toContain('3 values in 2 bins');
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name.split('/')[1])).toEqual([
      'histogram',
      'lengths',
      'count',
    ]);
  });

  test('of one task, and with inputs that are fixed or taken away', async () => {
    const folder = project({
      'with spaces/Words.yaml': 'tasks: { count: { command: "echo mine" } }',
    });
    const { client } = await connect(folder, [
      'Words count most=1',
      'Table find text',
      'Sh hang noinputs',
    ]);
    const { tools } = await client.listTools();
    expect(
      tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {})]),
    ).toEqual([
      ['count', ['text']],
      ['find', ['text']],
      ['hang', []],
    ]);
    expect(read(await call(client, 'count', { text: 'a b a' })).text).toContain('"most":{"a":2}');
    const refused = read(await call(client, 'count', { text: 'a', most: 5 }));
    expect(refused).toMatchObject({
      failed: true,
      text: expect.stringContaining('there is no input "most"'),
    });
    const other = await connect(folder, [join(folder, 'with spaces/Words.yaml')]);
    expect(read(await call(other.client, 'count')).text).toBe('mine\n');
  });

  test('have names that are unique', async () => {
    const folder = project({
      'workflows/Other.yaml': 'tasks: { count: { command: "echo other" } }',
    });
    const { client } = await connect(folder, ['Words', 'Other']);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['split', 'count', 'Other_count']);
    expect(read(await call(client, 'Other_count')).text).toBe('other\n');
  });

  test('give bytes as a link alone, and what is not kept without one', async () => {
    const { client } = await connect(project(), ['Odd']);
    const picture = read(await call(client, 'picture'));
    expect(picture.text).toMatch(/^16 bytes of binary data, stored in /);
    expect(picture.link).toMatchObject({ mimeType: 'image/png', size: 16 });
    const { contents } = await client.readResource({ uri: picture.link?.uri ?? '' });
    expect(contents[0]).toMatchObject({ blob: expect.stringMatching(/^iVBORw0KGgo/) });
    expect(read(await call(client, 'now', { a: 4 }))).toEqual({ text: '{"a":4}', failed: false });
  });
});

describe('the store', () => {
  test('is that of `chat task run`: what one computed the other only reads', async () => {
    const folder = project();
    const env = { HOME: join(folder, 'home') };
    await shell("chat task run Words count --text 'a b' --most 10", { cwd: folder, env });
    const { client, stderr } = await connect(folder, ['Words']);
    expect(read(await call(client, 'count', { text: 'a b' })).text).toContain('"words":2');
    expect(stderr()).not.toContain('started');
    await call(client, 'count', { text: 'c' });
    expect(stderr()).toContain('Words/count');
    const again = await shell('chat task run Words count --text c', { cwd: folder, env });
    expect(again).toMatchObject({ code: 0, stderr: '' });
  });

  test('is another one with --jobs', async () => {
    const folder = project();
    const { client } = await connect(folder, ['Words', '--jobs', 'mine']);
    await call(client, 'split', { text: 'a' });
    expect(readdirSync(join(folder, 'mine/Words'))).toEqual(['split']);
  });

  test('has nothing to read but the jobs that were answered with', async () => {
    const folder = project();
    await shell('chat task run Words split --text secret', {
      cwd: folder,
      env: { HOME: join(folder, 'home') },
    });
    const [name = ''] = readdirSync(join(folder, 'var/jobs/Words/split')).filter(
      (each) => !each.endsWith('.info'),
    );
    const { client } = await connect(folder, ['Words']);
    const own = read(await call(client, 'split', { text: 'own' })).link?.uri ?? '';
    for (const uri of [
      `file://${folder}/var/jobs/Words/split/${name}`,
      `${own}.info`,
      `${own}/../${name}`,
      'file:///etc/passwd',
      'http://elsewhere/x',
      'no address',
    ])
      await expect(client.readResource({ uri })).rejects.toThrow(/no job of this server/);
    rmSync(fileURLToPath(own));
    await expect(client.readResource({ uri: own })).rejects.toThrow(/no job of this server/);
  });
});

describe('what goes wrong', () => {
  const FAILURES = [
    { name: 'a missing input', tool: 'count', args: {}, text: /input "text" is required/ },
    {
      name: 'a wrong type',
      tool: 'count',
      args: { text: 'a', most: 'many' },
      text: /input "most" cannot be "many": it takes a whole number/,
    },
    {
      name: 'an input that is refused',
      tool: 'count',
      args: { text: 'a', most: 0 },
      text: /input "most" cannot be 0/,
    },
    {
      name: 'an input that there is not',
      tool: 'count',
      args: { text: 'a', least: 1 },
      text: /no input "least"\nits inputs: text \(text\); most/,
    },
    {
      name: 'a file that is not there',
      tool: 'read',
      args: { list: 'nowhere.txt' },
      text: /input "list" cannot be "nowhere.txt"/,
    },
    {
      name: 'a task that fails',
      tool: 'fail',
      args: {},
      text: /^Odd\/fail failed: no flour\n(?:.*\n)*job: .*var\/jobs\/Odd\/fail\/Default\.json$/,
    },
    {
      name: 'a dependency that fails',
      tool: 'above',
      args: {},
      text: /^Odd\/above needs a job that failed: Odd\/fail failed: no flour\n(?:.*\n)*job: .*var\/jobs\/Odd\/fail\/Default\.json$/,
    },
  ];

  test('inside a tool is a result that says so, and the next call is served', async () => {
    const { client } = await connect(project(), ['Words', 'Odd']);
    for (const { name, tool, args, text } of FAILURES) {
      const { failed, text: said } = read(await call(client, tool, args));
      expect([name, failed], said).toEqual([name, true]);
      expect(said).toMatch(text);
    }
    expect(read(await call(client, 'count', { text: 'a' })).failed).toBe(false);
  });

  test('with a tool that there is not is an error with the nearest name', async () => {
    const { client } = await connect(project(), ['Words']);
    await expect(call(client, 'cuont')).rejects.toThrow(
      /Unknown tool: cuont; did you mean "count"\?/,
    );
  });

  test('on a line is answered, and the connection goes on', async () => {
    const { child, stdout, ended } = start(project(), ['Words']);
    child.stdin?.write('noise\n\n{"id":4,"a":1}\n{"jsonrpc":"2.0","id":5,"method":"ping"}\n');
    await until(() => stdout().split('\n').length > 3);
    expect(
      stdout()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'the line is not JSON' } },
      {
        jsonrpc: '2.0',
        id: 4,
        error: { code: -32600, message: 'the line is no JSON-RPC message' },
      },
      { jsonrpc: '2.0', id: 5, result: {} },
    ]);
    child.stdin?.end();
    expect(await ended).toEqual({ code: 0, signal: null });
  });
});

test('what workflows print is on standard error, and every line of standard output is a message', async () => {
  const { child, stdout, stderr, ended } = start(project(), ['Odd']);
  const send = (message: object) =>
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({ id: 1, method: 'tools/call', params: { name: 'loud', arguments: {} } });
  await until(() => stdout().includes('\n'));
  child.stdin?.end();
  expect((await ended).code).toBe(0);
  const messages = stdout()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(messages).toMatchObject([{ id: 1, result: { content: [{ text: 'quiet' }, {}] } }]);
  expect(stderr()).toContain('noise while it is loaded\n');
  expect(stderr()).toContain('noise of a task\n{"jsonrpc":"2.0","id":2,"result":{}}\n');
});

test('progress grows, and says what is done', async () => {
  const { client } = await connect(project(), ['Odd']);
  const notes: Progress[] = [];
  await client.callTool(
    { name: 'steps', arguments: {} },
    { onprogress: (note) => notes.push(note) },
  );
  expect(
    notes
      .filter(({ total }) => total === 3)
      .map(({ progress, message }) => [Math.round(progress), message]),
  ).toEqual([
    [1, 'Odd/steps: 1 of 3 steps'],
    [2, 'Odd/steps: 2 of 3 steps'],
    [3, 'Odd/steps: 3 of 3 steps'],
  ]);
  for (const [index, { progress }] of notes.entries())
    if (index > 0) expect(progress).toBeGreaterThan(notes[index - 1]?.progress ?? 0);
});

describe('a call that is cancelled', () => {
  test('ends its run with all its processes', async () => {
    const folder = project();
    const { client } = await connect(folder, ['Sh']);
    const stop = new AbortController();
    const called = client.callTool({ name: 'above', arguments: {} }, { signal: stop.signal });
    await until(() => began(folder) === 1 && living(folder).length > 4);
    stop.abort('changed my mind');
    await expect(called).rejects.toThrow('changed my mind');
    await until(() => living(folder).length === 1);
    await until(() => statusOf(folder, 'Sh/hang/Default') === 'aborted');
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  test('leaves the run to another call that waits for the same job', async () => {
    const folder = project();
    const { client } = await connect(folder, ['Sh']);
    const [one, other] = [new AbortController(), new AbortController()];
    const calls = [one, other].map(({ signal }) =>
      client.callTool({ name: 'hang', arguments: {} }, { signal }).catch((error: unknown) => error),
    );
    await until(() => began(folder) === 1 && living(folder).length > 4);
    one.abort('enough');
    await calls[0];
    await client.listTools();
    expect(statusOf(folder, 'Sh/hang/Default')).toBe('running');
    expect(living(folder).length).toBeGreaterThan(4);
    other.abort('enough, too');
    await calls[1];
    await until(() => living(folder).length === 1);
    expect(began(folder)).toBe(1);
  });
});

test('a client of the newest revision of the protocol is served, too', async () => {
  const { client } = await connect(project(), ['Words'], { versionNegotiation: { mode: 'auto' } });
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  const notes: unknown[] = [];
  const result = await client.callTool(
    { name: 'count', arguments: { text: 'a' } },
    { onprogress: (note) => notes.push(note) },
  );
  expect(read(result).text).toContain('"words":1');
  expect(notes).not.toEqual([]);
});
