// The reference servers: every tool of each is listed, called from a chat through a scripted model, and answers.

import { realpathSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/folder.ts';
import { ask, type Conversation, installed, type ModelCall } from './asking.ts';
import { EVERYTHING } from './everything.ts';

const contentOf = (asked: Conversation, name: string): string =>
  String(asked.outputs.find((output) => output.name === name)?.content);

/** Each call in a round of its own, so that one may use what another has made. */
async function callAll(
  declaration: string,
  calls: readonly ModelCall[],
  args: readonly string[] = [],
): Promise<Conversation> {
  const asked = await ask(
    declaration,
    calls.map((call) => [call]),
    { args },
  );
  expect(asked.code).toBe(0);
  expect(asked.outputs.map(({ name }) => name)).toEqual(calls.map(({ name }) => name));
  expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(asked.tools));
  return asked;
}

describe('server-everything', () => {
  test('all 13 tools are called; images, links, resources and structure arrive; progress shows', async () => {
    const asked = await callAll(`mcp: stdio ${installed('mcp-server-everything')}`, EVERYTHING, [
      '-v',
    ]);
    expect(contentOf(asked, 'echo')).toBe('Echo: hi');
    expect(contentOf(asked, 'get-sum')).toContain('5');
    expect(contentOf(asked, 'get-resource-links')).toMatch(/\[resource "[^"]+" \S+/);
    expect(contentOf(asked, 'get-resource-reference')).toMatch(
      /\[resource \S+ \(text\/plain\)\]\n/,
    );
    expect(contentOf(asked, 'get-structured-content')).toMatch(/temperature/);
    expect(contentOf(asked, 'get-annotated-message')).toContain('[image 1 (image/png');
    expect(contentOf(asked, 'gzip-file-as-resource')).toMatch(/\[resource .*gzip.*not sent\]/);
    expect(asked.messages('image')).toHaveLength(2);
    expect(asked.stderr).toMatch(/trigger-long-running-operation: [1-4] of 4/);
    // What programs need is there, and nothing else of the environment.
    expect(JSON.parse(contentOf(asked, 'get-env')).PATH).toBe(process.env.PATH);
  });
});

describe('server-memory', () => {
  test('all 9 tools are called', async () => {
    const folder = temporaryFolder();
    const entity = (name: string) => ({ name, entityType: 'place', observations: ['old'] });
    const relation = { from: 'Ghent', to: 'Bruges', relationType: 'near' };
    const asked = await ask(
      `mcp: stdio ${installed('mcp-server-memory')}`,
      [
        { name: 'create_entities', arguments: { entities: [entity('Ghent'), entity('Bruges')] } },
        { name: 'create_relations', arguments: { relations: [relation] } },
        {
          name: 'add_observations',
          arguments: { observations: [{ entityName: 'Ghent', contents: ['has canals'] }] },
        },
        { name: 'read_graph' },
        { name: 'search_nodes', arguments: { query: 'canals' } },
        { name: 'open_nodes', arguments: { names: ['Bruges'] } },
        {
          name: 'delete_observations',
          arguments: { deletions: [{ entityName: 'Ghent', observations: ['old'] }] },
        },
        { name: 'delete_relations', arguments: { relations: [relation] } },
        { name: 'delete_entities', arguments: { entityNames: ['Ghent'] } },
      ].map((call) => [call]),
      {
        folder,
        files: {
          'home/.scout/etc/mcp.yaml': `memory:\n  command: mcp-server-memory\n  env: {MEMORY_FILE_PATH: ${folder}/memory.jsonl}\n`,
        },
      },
    );
    expect(asked.tools).toHaveLength(9);
    expect(asked.outputs).toHaveLength(9);
    for (const output of asked.outputs) expect(output).not.toHaveProperty('exception');
    expect(contentOf(asked, 'read_graph')).toContain('has canals');
    expect(contentOf(asked, 'search_nodes')).not.toContain('"name": "Bruges"');
  });
});

describe('server-filesystem', () => {
  test('all 14 tools are called, on files of the test', async () => {
    const folder = realpathSync(temporaryFolder());
    const at = (name: string) => path.join(folder, name);
    writeFileSync(at('a.txt'), 'one\ntwo\nthree\n');
    writeFileSync(
      at('p.png'),
      Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      ),
    );
    const asked = await callAll(`mcp: stdio ${installed('mcp-server-filesystem')} ${folder}`, [
      { name: 'list_allowed_directories' },
      { name: 'read_file', arguments: { path: at('a.txt') } },
      { name: 'read_text_file', arguments: { path: at('a.txt'), head: 1 } },
      { name: 'read_media_file', arguments: { path: at('p.png') } },
      { name: 'read_multiple_files', arguments: { paths: [at('a.txt')] } },
      { name: 'write_file', arguments: { path: at('b.txt'), content: 'new\n' } },
      {
        name: 'edit_file',
        arguments: { path: at('b.txt'), edits: [{ oldText: 'new', newText: 'newer' }] },
      },
      { name: 'create_directory', arguments: { path: at('sub') } },
      { name: 'move_file', arguments: { source: at('b.txt'), destination: at('sub/b.txt') } },
      { name: 'list_directory', arguments: { path: folder } },
      { name: 'list_directory_with_sizes', arguments: { path: folder } },
      { name: 'directory_tree', arguments: { path: folder } },
      { name: 'search_files', arguments: { path: folder, pattern: '**/b.txt' } },
      { name: 'get_file_info', arguments: { path: at('a.txt') } },
    ]);
    for (const output of asked.outputs) expect(output).not.toHaveProperty('exception');
    expect(contentOf(asked, 'read_text_file')).toBe('one');
    expect(contentOf(asked, 'search_files')).toContain('sub/b.txt');
    expect(asked.messages('image')).toHaveLength(1);
    const outside = await ask(`mcp: stdio ${installed('mcp-server-filesystem')} ${folder}`, [
      [{ name: 'read_file', arguments: { path: '/etc/hostname' } }],
    ]);
    expect(outside.outputs[0]?.exception).toMatch(/denied|outside/i);
  });
});
