// What servers list: names that every provider takes, broken schemas, thousands of tools, lists that change, lists on disk.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTools } from '../../src/tools/mcp/listing.ts';
import { startFakeServer } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { openaiStream } from '../helpers/openai-replies.ts';
import { runCli } from '../helpers/run.ts';
import { ask, askServer, serverCommand } from './asking.ts';

const odd = (mode: string, ...args: readonly string[]): string =>
  `mcp: stdio ${serverCommand('odd.js', mode, ...args)}`;

const LONG = `${'a'.repeat(79)}b${'c'.repeat(10)}`;
const TWIN = `${'a'.repeat(79)}d${'c'.repeat(10)}`;

describe('names', () => {
  test('are clean, unique and short, and calls reach the tool that is meant', async () => {
    const { tools } = await ask(odd('names'));
    expect(tools).toHaveLength(7);
    expect(new Set(tools).size).toBe(7);
    for (const name of tools) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    expect(tools).toContain('lasa');
    const asked = await ask(odd('names'), [tools.map((name) => ({ name }))]);
    expect(asked.tools).toEqual(tools);
    expect(asked.outputs.map(({ content }) => content).sort()).toEqual(
      ['notes.read', 'notes/read', 'notes read', 'läsa', 'count', LONG, TWIN]
        .map((name) => `ran ${name}`)
        .sort(),
    );
    expect(asked.outputs.map(({ mcp }) => mcp)).toContain('odd/notes.read');
    expect(asked.stderr).toContain('"notes.read" of odd is called "notes_read_');
  });

  test('do not depend on what else the server lists', async () => {
    const all = await ask(odd('names'));
    const two = await ask(`${odd('names')} -- 'notes.read' 'notes/read'`);
    expect(two.tools).toHaveLength(2);
    expect(all.tools).toEqual(expect.arrayContaining([...two.tools]));
  });

  test('a task of a workflow keeps its name, and the tool of the server gets another, with a warning', async () => {
    const workflow = 'tasks:\n  count:\n    command: ["printf", "from the task"]\n';
    const asked = await ask(
      `tool: Numbers\n\n${odd('names')} -- count`,
      [[{ name: 'count' }, { name: 'mcp_odd_count' }]],
      { files: { 'workflows/Numbers.yaml': workflow } },
    );
    expect(asked.tools).toEqual(['count', 'mcp_odd_count']);
    expect(asked.outputs.map(({ content }) => content)).toEqual(['from the task', 'ran count']);
    expect(asked.stderr).toContain('it is called "mcp_odd_count"');
  });

  test('two servers with a tool of one name', async () => {
    const names = ['mcp_odd_work', 'mcp_odd_2_work'];
    const asked = await ask(`${odd('ok')}\n\n${odd('banner')}`, [names.map((name) => ({ name }))]);
    expect(asked.tools).toEqual(names);
    expect(asked.outputs.map(({ mcp }) => mcp)).toEqual(['odd/work', 'odd_2/work']);
  });

  test('a server of two of one name that gives no tools today changes no names of the other', async () => {
    const asked = await ask(`${odd('die-first')}\n\n${odd('ok')}\n\n${odd('banner')}`);
    expect(asked.tools).toEqual(['mcp_odd_2_work', 'mcp_odd_3_work']);
  });

  test('the same server twice is one, with the tools of both lines', async () => {
    const asked = await ask(`${odd('names')} -- count\n\n${odd('names')} -- läsa`);
    expect(asked.tools).toEqual(['count', 'lasa']);
  });
});

describe('lists', () => {
  test('5,000 tools are cut to 100 with a warning that says how to name the wanted ones', async () => {
    const asked = await ask(odd('many'));
    expect(asked.tools).toHaveLength(100);
    expect(asked.stderr).toMatch(
      /x\.chat:1: warning: .* lists 5000 tools; the first 100 by name are used\. Name those/,
    );
    const named = await ask(`${odd('many')} -- tool_4711`, [[{ name: 'tool_4711' }]]);
    expect(named.tools).toEqual(['tool_4711']);
    expect(named.outputs).toMatchObject([{ content: 'called tool_4711' }]);
  });

  test('pages that never end do', async () => {
    expect((await ask(odd('endless'))).tools).toEqual(['same']);
  });

  test('a tool whose schema is no object is left out with a warning, the rest works', async () => {
    const asked = await ask(odd('schemas'), [[{ name: 'good' }]]);
    expect(asked.tools).toEqual(['good', 'none']);
    expect(asked.outputs).toMatchObject([{ content: 'ok' }]);
    expect(asked.stderr).toContain('"text" is left out: its schema is a string, not an object');
    expect(asked.stderr).toContain('"nil" is left out: its schema is null, not an object');
    expect(asked.stderr).toContain('"list" is left out: its schema is a list, not an object');
    expect(asked.stderr).toContain(
      '"number" is left out: its schema is of the type "number", not object',
    );
    // Of many, the first are told.
    expect(asked.stderr).toContain('more are left out');
  });

  test('a schema that is nested too deep for every reader costs its tool', async () => {
    const { tools, problems } = readTools([
      { name: 'deep', inputSchema: JSON.parse(`${'{"a":'.repeat(5000)}{}${'}'.repeat(5000)}`) },
      { name: 'flat', inputSchema: {} },
    ]);
    expect(tools).toMatchObject([{ name: 'flat' }]);
    expect(problems).toEqual([
      '"deep" is left out: its schema is nested more than 200 levels deep',
    ]);
  });

  test('a server without tools gives none', async () => {
    expect((await ask(odd('no-tools'))).tools).toEqual([]);
  });

  test('a list that changed is asked for again by the next run', async () => {
    const folder = temporaryFolder();
    const declaration = odd('changing', path.join(folder, 'mark'));
    const args = ['--no-cache'];
    const first = await ask(declaration, [[{ name: 'old_tool' }]], { folder, args });
    expect(first.outputs).toMatchObject([{ content: 'ran old_tool' }]);
    const second = await ask(declaration, [], { folder, args });
    expect(second.tools).toEqual(['new_tool']);
  });

  test.each([[[]], [['no idea what you mean']]])(
    'a tool of a kept list that the server has no more says so, and the list is renewed, in whatever words (%j)',
    async (words) => {
      const folder = temporaryFolder();
      const mark = path.join(folder, 'mark');
      const declaration = odd('changing', mark, ...words);
      expect((await ask(declaration, [], { folder })).tools).toEqual(['old_tool']);
      writeFileSync(mark, '');
      const args = ['--no-cache'];
      const asked = await ask(declaration, [[{ name: 'old_tool' }]], { folder, args });
      expect(asked.outputs[0]?.exception).toContain(
        'it has no tool "old_tool" any more; it has: new_tool',
      );
      expect((await ask(declaration, [], { folder, args })).tools).toEqual(['new_tool']);
    },
  );

  test('a list older than a day, or no list at all, counts for nothing', async () => {
    const folder = temporaryFolder();
    const declaration = odd('changing', path.join(folder, 'mark'));
    await ask(declaration, [], { folder });
    const cache = path.join(folder, 'home/.scout/var/cache/mcp');
    const [name = ''] = readdirSync(cache);
    const file = path.join(cache, name);
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    for (const content of [
      JSON.stringify({
        ...kept,
        tools: [{ name: 'fake', inputSchema: {} }],
        time: '2020-01-01T00:00:00Z',
      }),
      JSON.stringify({ ...kept, tools: 7 }),
      'no json',
    ]) {
      writeFileSync(file, content);
      expect((await ask(declaration, [], { folder, args: ['--no-cache'] })).tools).toEqual([
        'old_tool',
      ]);
    }
  });
});

test('an answer is asked for again, unless the chat wants it kept', async () => {
  const folder = temporaryFolder();
  const server = await startFakeServer(openaiStream('done'));
  const again = async (chat: string) => {
    await askServer(chat, server, { folder });
    return askServer(chat, server, { folder });
  };
  expect((await again(odd('ok'))).stderr).not.toContain('cached');
  expect((await again(`option: persist true\n\n${odd('ok')}`)).stderr).toContain('cached');
  await server.close();
});

describe('looking without asking', () => {
  const files = { 'x.chat': `${odd('die-first')}\n\nuser:\n\nGo on.\n`, 'home/.scout/': '' };
  test.each([
    ['compile', 'x.chat'],
    ['compile', '--prompt', '-b', 'openai', '-m', 'm', 'x.chat'],
    ['ask', '-d', 'x.chat'],
  ])('%s %s starts no server', async (...args) => {
    const { code, stderr } = await runCli(args, { files, env: { OPENAI_API_KEY: 'x' } });
    expect(stderr).not.toContain('no module x');
    expect(code).toBe(0);
  });

  test('compile --wire lists the tools, and does not with --no-run', async () => {
    const chat = { 'x.chat': `${odd('ok')}\n\nuser:\n\nGo on.\n`, 'home/.scout/': '' };
    const wire = [
      'compile',
      '--wire',
      '-b',
      'openai',
      '-m',
      'm',
      '-o',
      'url=http://127.0.0.1:9/v1',
    ];
    const without = await runCli([...wire, '--no-run', 'x.chat'], { files: chat });
    expect(JSON.parse(without.stdout).tools ?? []).toEqual([]);
    expect(without.stderr).toContain('are not known yet, and it is not started here');
    const listed = await runCli([...wire, 'x.chat'], { files: chat });
    expect(JSON.parse(listed.stdout).tools).toHaveLength(1);
  });

  test('clear_tools takes servers back', async () => {
    const asked = await ask(`${odd('die-first')}\n\nclear_tools: true`);
    expect(asked.stderr).not.toContain('no module x');
    expect(asked.tools).toEqual([]);
  });
});
