// Keys of servers: where they come from, to whom they are sent, and that they are shown nowhere.

import * as path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Script } from '../helpers/fake-server.ts';
import { type AskingOptions, ask, type Conversation, serverCommand } from './asking.ts';
import { sessionServer, withServer } from './http-servers.ts';

const odd = (mode: string): string => `mcp: stdio ${serverCommand('odd.js', mode)}`;

const WORK = [[{ name: 'work' }]];
const SLOW = [[{ name: 'slow' }]];

describe('of programs', () => {
  const KEY = 'KEY-mock-123-planted';
  const options = (yaml: string): AskingOptions => ({
    files: { 'home/.scout/etc/mcp.yaml': yaml },
    env: { ODD_SECRET: KEY, OPENAI_API_KEY: 'sk-not-for-servers' },
  });
  const everything = (asked: Conversation) =>
    [asked.stdout, asked.stderr, asked.read('x.chat'), JSON.stringify(asked.bodies)].join('\n');

  test('a program gets a safe part of the environment and what etc/mcp.yaml adds, and a key is shown nowhere', async () => {
    const entry = `odd:\n  command: ${process.execPath} ${path.join(import.meta.dirname, 'servers/odd.js')}\n`;
    const asked = await ask(
      odd('environment'),
      WORK,
      options(`${entry}  env:\n    API_KEY: $ODD_SECRET\n    PLACE: here\n`),
    );
    const given = String(asked.outputs[0]?.content);
    expect(JSON.parse(given)).toMatchObject({
      API_KEY: '***',
      PLACE: 'here',
      PATH: process.env.PATH,
    });
    expect(given).not.toContain('ODD_SECRET');
    expect(everything(asked)).not.toContain(KEY);
    expect(everything(asked)).not.toContain('sk-not-for-servers');
  });

  test('a key that is not set is told with its entry', async () => {
    const asked = await ask(
      odd('ok'),
      [],
      options(`odd:\n  command: node\n  env: {API_KEY: $NOT_SET}\n`),
    );
    expect(asked.code).toBe(3);
    expect(asked.stderr).toContain('NOT_SET is not set: MCP server "odd" needs it');
    expect(asked.stderr).toContain('mcp.yaml:1');
  });

  test.each([
    { name: 'no mapping', yaml: 'odd: 7\n', says: '"odd" takes a mapping' },
    {
      name: 'neither url nor command',
      yaml: 'odd:\n  key: x\n',
      says: 'needs either a url or a command',
    },
    {
      name: 'a value of the wrong kind',
      yaml: 'odd:\n  command: node\n  env: 3\n',
      says: '"env" of "odd" takes',
    },
  ])('a file with $name is an error with its line', async ({ yaml, says }) => {
    const asked = await ask(odd('ok'), [], options(yaml));
    expect(asked.code).toBe(3);
    expect(asked.stderr).toContain(says);
  });

  test.each([
    'url: http://h/\n  key: secret-in-file',
    'url: http://h/\n  headers: {X-Api-Key: secret-in-file}',
    'command: elsewhere\n  env: {TOKEN: secret-in-file}',
  ])('a key in a file that others may read warns: %j', async (fields) => {
    const asked = await ask(odd('ok'), WORK, options(`x:\n  ${fields}\n`));
    expect(asked.stderr).toMatch(/others can read the key in this file: `chmod 600 .*mcp\.yaml`/);
    expect(asked.stderr).not.toContain('secret-in-file');
  });

  test.each([
    { name: 'NODE_OPTIONS', value: '--require ./theirs.js', says: 'NODE_OPTIONS is not set' },
    { name: 'PATH', value: './bin', says: 'PATH is not set' },
    { name: 'https_proxy', value: 'http://mcp.invalid', says: 'https_proxy is not set' },
    { name: 'API_KEY', value: '$ODD_SECRET', says: 'ODD_SECRET is not sent' },
  ])(
    'a file that the working directory brought along runs nothing in a server that a chat names, and gives it no variable: $name',
    async ({ name, value, says }) => {
      const asked = await ask(odd('ok'), WORK, {
        files: {
          'etc/mcp.yaml': `odd:\n  command: node\n  env:\n    ${name}: ${value}\n`,
          'theirs.js': 'process.exit(7);\n',
        },
        env: { ODD_SECRET: KEY },
      });
      expect(asked.stderr).toContain(
        `${says}: the file of MCP server "odd" lies in the working directory`,
      );
      expect([asked.code, asked.bodies]).toEqual([3, []]);
    },
  );

  test('a file that the working directory brought along may say other things to a program', async () => {
    const asked = await ask(odd('environment'), WORK, {
      files: { 'etc/mcp.yaml': 'odd:\n  command: node\n  env: {PLACE: there}\n' },
    });
    expect(JSON.parse(String(asked.outputs[0]?.content))).toMatchObject({ PLACE: 'there' });
  });

  test('an unknown key warns', async () => {
    const asked = await ask(odd('ok'), WORK, options('odd:\n  comand: x\n  command: node\n'));
    expect(asked.stderr).toContain(
      'unknown key "comand" of the MCP server "odd" has no effect; did you mean "command"?',
    );
    expect(asked.code).toBe(0);
  });
});

describe('of addresses', () => {
  const KEY = 'KEY-mock-123-planted';
  const files = (url: string, more = 'key_env: MCP_KEY'): AskingOptions => ({
    files: { 'home/.scout/etc/mcp.yaml': `fake:\n  url: ${url}\n  ${more}\n` },
    env: { MCP_KEY: KEY },
  });

  test.each([401, 403])('a refusal with %i stops before the model is asked', async (status) => {
    await withServer({ status, body: 'who are you?' }, async (server) => {
      const asked = await ask(`mcp: ${server.url}/mcp`);
      expect(asked.code).toBe(3);
      expect(asked.stderr).toContain(`refuses this client (HTTP ${status})`);
      expect(asked.stderr).toContain('etc/mcp.yaml');
      expect(asked.stderr).toContain('x.chat:1');
      expect(asked.bodies).toEqual([]);
    });
  });

  test('a refusal although a key is given names its entry; the key is not in its details either', async () => {
    await withServer({ status: 401, body: `no: ${KEY}` }, async (server) => {
      const asked = await ask(`mcp: ${server.url}/mcp`, [], {
        ...files(server.url),
        args: ['--debug'],
      });
      expect(asked.code).toBe(3);
      expect(asked.stderr).toContain('no: ***');
      expect(asked.stderr).toMatch(/check the key of "fake" in .*mcp\.yaml/);
      expect(asked.stderr).not.toContain(KEY);
    });
  });

  test.each(['key_env: MCP_KEY', 'key: $MCP_KEY', 'headers: {X-Key: $MCP_KEY}'])(
    'a file that the working directory brought along sends no variable of the user to its own address: %s',
    async (more) => {
      const asked = await ask('mcp: http://mcp.invalid/mcp', [], {
        files: { 'etc/mcp.yaml': `far:\n  url: http://mcp.invalid/\n  ${more}\n` },
        env: { MCP_KEY: KEY },
      });
      expect(asked.stderr).toContain(
        'MCP_KEY is not sent: the file of MCP server "far" lies in the working directory',
      );
      expect(asked.stderr).toContain('move the file to your own folder');
      expect([asked.code, asked.bodies]).toEqual([3, []]);
    },
  );

  test.each([
    { name: 'key_env', more: 'key_env: MCP_KEY' },
    { name: 'key', more: `key: $MCP_KEY` },
    { name: 'key_cmd', more: `key_cmd: printf ${KEY}` },
    { name: 'a header', more: 'headers: {Authorization: "$MCP_KEY", X-Team: blue}' },
  ])('$name gives the key, to this address alone', async ({ name, more }) => {
    const fake = sessionServer();
    await withServer(fake.answer, async (server) => {
      const asked = await ask(`mcp: ${server.url}/mcp`, SLOW, files(server.url, more));
      expect(asked.outputs).toMatchObject([{ content: 'ready' }]);
      const expected = name === 'a header' ? KEY : `Bearer ${KEY}`;
      for (const { headers } of server.requests) expect(headers.authorization).toBe(expected);
      await withServer(sessionServer().answer, async (other) => {
        await ask(`mcp: ${other.url}/mcp`, SLOW, files(server.url, more));
        for (const { headers } of other.requests) expect(headers.authorization).toBeUndefined();
      });
    });
  });

  test('a key is in no text, also when the server repeats it, and follows no redirect to another host', async () => {
    await withServer({ status: 200, body: 'never' }, async (other) => {
      const scripts: readonly Script[] = [
        { status: 400, body: `bad header: Bearer ${KEY}` },
        { status: 307, headers: { location: `${other.url}/x` } },
      ];
      for (const script of scripts)
        await withServer(script, async (server) => {
          const asked = await ask(`mcp: ${server.url}/mcp`, [], files(server.url));
          expect(asked.stderr).toContain('does not speak the protocol');
          expect(`${asked.stdout}${asked.stderr}${asked.read('x.chat')}`).not.toContain(KEY);
        });
      expect(other.requests).toEqual([]);
    });
  });
});
