// The worked example of fixtures/: a chat whose tools are those of the file-system server, called by a scripted model.

import { cpSync, existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { askHome } from '../helpers/ask-home.ts';
import { packageFolder } from '../helpers/built.ts';
import { openaiStream } from '../helpers/openai-replies.ts';
import { callsScript } from './asking.ts';

const TODO =
  '- Wednesday: sow winter rye\n- Thursday: lemon tree in\n- Friday: earth up the leeks\n';

test('a model reads notes and writes a list; the calls are in the chat', async () => {
  const home = await askHome([
    callsScript([{ name: 'list_directory', arguments: { path: '.' } }]),
    callsScript(
      ['beds', 'greenhouse'].map((name) => ({
        name: 'read_text_file',
        arguments: { path: `${name}.md` },
      })),
    ),
    callsScript([{ name: 'write_file', arguments: { path: 'todo.md', content: TODO } }]),
    openaiStream('The list is in todo.md.'),
  ]);
  cpSync(path.join(packageFolder, 'fixtures/mcp'), home.folder, { recursive: true });
  const programs = path.join(packageFolder, 'node_modules/.bin');
  const started = home.start(['ask', 'files.chat'], {
    env: { PATH: `${programs}${path.delimiter}${process.env.PATH}` },
  });
  expect(await started.ended).toMatchObject({ code: 0 });
  expect(started.stdout()).toBe('The list is in todo.md.\n');
  expect(readFileSync(home.file('notes/todo.md'), 'utf8')).toBe(TODO);
  const chat = parse(readFileSync(home.file('files.chat'), 'utf8'));
  const outputs = chat
    .filter(({ role }) => role === 'function_call_output')
    .map(({ content }) => JSON.parse(content));
  expect(outputs.map(({ mcp }) => mcp)).toEqual([
    'mcp-server-filesystem/list_directory',
    'mcp-server-filesystem/read_text_file',
    'mcp-server-filesystem/read_text_file',
    'mcp-server-filesystem/write_file',
  ]);
  expect(outputs[0].content).toContain('[FILE] beds.md');
  expect(outputs[2].content).toContain('lemon tree');
  for (const output of outputs) expect(output).not.toHaveProperty('exception');
  expect(existsSync(home.file('files.chat.files'))).toBe(false);
  await home.close();
});
