// Where keys come from, where they go, and that nobody sees them.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { secret } from '../../src/config/secret.ts';
import type { Environment } from '../../src/world/types/world.ts';
import { failureOf } from '../helpers/compiling.ts';
import { endpointWorld, resolved } from '../helpers/endpoint.ts';

const KEY = 'KEY-mock-123';
const FILE = 'home/etc/AI/x.yaml';
const url = 'url: http://host.example/v1\nmodel: m\n';

describe('keys', () => {
  const KEYS: readonly {
    name: string;
    text: string;
    env?: Environment;
    flags?: Record<string, string>;
  }[] = [
    { name: 'in the file', text: `key: ${KEY}` },
    { name: 'a variable named in key', text: 'key: $MY_KEY', env: { MY_KEY: ` ${KEY}\n` } },
    { name: 'a variable named in key, with braces', text: `key: \${MY_KEY}`, env: { MY_KEY: KEY } },
    { name: 'a variable named in key_env', text: 'key_env: MY_KEY', env: { MY_KEY: KEY } },
    { name: 'the output of a command', text: `key_cmd: sh -c 'echo "${KEY}"'` },
    { name: 'an option on the command line', text: 'key_env: MY_KEY', flags: { key: KEY } },
  ];
  for (const { name, text, env, flags } of KEYS)
    test(name, async () => {
      const world = endpointWorld({ [FILE]: `${url}${text}\n` }, env);
      const { endpoint } = await resolved({ flags: { endpoint: 'x', ...flags } }, world);
      expect(endpoint.key?.reveal()).toBe(KEY);
      expect(
        inspect(endpoint, { depth: 9 }) + JSON.stringify(endpoint) + String(endpoint.key),
      ).not.toContain(KEY);
    });

  const MISSING: readonly { name: string; text: string; env?: Environment; message: RegExp }[] = [
    {
      name: 'a variable that is not set',
      text: 'key_env: MY_KEY',
      message: /^MY_KEY is not set: endpoint "x" needs its key there$/,
    },
    {
      name: 'a variable that is empty',
      text: 'key: $MY_KEY',
      env: { MY_KEY: '' },
      message: /^MY_KEY is not set/,
    },
    {
      name: 'a key with a line end in it',
      text: 'key_env: MY_KEY',
      env: { MY_KEY: `${KEY}\nx: y` },
      message: /the value of MY_KEY is no key/,
    },
    {
      name: 'a command that fails',
      text: `key_cmd: sh -c 'echo ${KEY}; exit 4'`,
      message: /failed with status 4/,
    },
    {
      name: 'a command that is not there',
      text: 'key_cmd: no-such-program-x',
      message: /cannot be run/,
    },
    { name: 'a command without output', text: 'key_cmd: "true"', message: /it is empty/ },
  ];
  for (const { name, text, env, message } of MISSING)
    test(`${name} is exit 3`, async () => {
      const world = endpointWorld({ [FILE]: `${url}${text}\n` }, env);
      const failure = await failureOf(resolved({ flags: { endpoint: 'x' } }, world));
      expect(failure).toMatchObject({ exitCode: 3, message: expect.stringMatching(message) });
    });

  test('nothing is looked up or run when no key is wanted', async () => {
    const world = endpointWorld({ [FILE]: `${url}key_cmd: no-such-program-x\n` });
    expect(
      (await resolved({ flags: { endpoint: 'x' }, withKey: false }, world)).endpoint.key,
    ).toBeUndefined();
  });

  test('a command of a file that the working directory brought along is run only when the user named it', async () => {
    const world = endpointWorld({ 'etc/AI/x.yaml': `${url}key_cmd: echo ${KEY}\n` });
    const failure = await failureOf(resolved({ chat: { endpoint: 'x' } }, world));
    expect(failure).toMatchObject({ code: 'key-held-back', exitCode: 3 });
    expect((await resolved({ flags: { endpoint: 'x' } }, world)).endpoint.key?.reveal()).toBe(KEY);
  });

  const TAKERS: readonly { name: string; file: string }[] = [
    { name: 'as a key', file: `${url}key_env: OPENAI_API_KEY\n` },
    { name: 'as a key in the file', file: `${url}key: $OPENAI_API_KEY\n` },
    { name: 'in a header', file: `${url}headers: {x-k: $OPENAI_API_KEY}\n` },
  ];
  for (const { name, file } of TAKERS)
    test(`a cloned folder cannot send a variable to its own address, ${name}`, async () => {
      const env = { OPENAI_API_KEY: KEY };
      for (const [request, place] of [
        [{}, 'etc/AI/default.yaml'],
        [{ chat: { endpoint: 'x' } }, 'etc/AI/x.yaml'],
        [{ flags: { endpoint: 'openai' } }, 'etc/AI/openai.yaml'],
      ] as const) {
        const world = endpointWorld({ [place]: file }, env);
        const failure = await failureOf(resolved(request, world));
        expect(failure).toMatchObject({ code: 'key-held-back', exitCode: 3 });
        expect(failure.message).toMatch(/^OPENAI_API_KEY is not sent/);
        expect(
          (await resolved({ ...request, withKey: false }, world)).endpoint.key,
        ).toBeUndefined();
      }
      const named = endpointWorld({ 'etc/AI/x.yaml': file }, env);
      for (const request of [
        { flags: { endpoint: 'x' } },
        { flags: { endpoint: 'x', key_env: 'OPENAI_API_KEY' } },
      ]) {
        const { key, headers } = (await resolved(request, named)).endpoint;
        expect([key?.reveal(), headers['x-k']]).toContain(KEY);
      }
    });

  test("a cloned folder cannot take the place of the user's own endpoint and have its key", async () => {
    const own = 'url: https://lab.example.invalid/v1\nmodel: m\nkey_env: LAB_KEY\n';
    for (const [theirs, said] of [
      [`${url}key_env: LAB_KEY\n`, /^LAB_KEY is not sent/],
      [`${url}headers: {x-k: $LAB_KEY}\n`, /^LAB_KEY is not sent/],
      [`${url}key_cmd: echo ${KEY}\n`, /is not run/],
    ] as const) {
      const files = { 'home/etc/AI/lab.yml': own, 'etc/AI/lab.yaml': theirs };
      for (const [request, env] of [
        [{ flags: { endpoint: 'lab' } }, {}],
        [{}, { ASK_ENDPOINT: 'lab' }],
      ] as const) {
        const world = endpointWorld(files, { LAB_KEY: KEY, ...env });
        const failure = await failureOf(resolved(request, world));
        expect(failure).toMatchObject({ code: 'key-held-back', exitCode: 3 });
        expect(failure.message).toMatch(said);
        expect(failure.next).toContain('there is one of that name in your own folder');
      }
    }
  });

  test('a folder gives a key to this machine, and to the service that the key is for', async () => {
    const near = 'url: http://127.0.0.1:9/v1\nmodel: m\nkey_env: MY_KEY\n';
    const service = 'url: https://api.openai.com/v1\nmodel: m\nkey_env: OPENAI_API_KEY\n';
    for (const file of [near, service]) {
      const env = { MY_KEY: KEY, OPENAI_API_KEY: KEY };
      const { endpoint } = await resolved({}, endpointWorld({ 'etc/AI/default.yaml': file }, env));
      expect(endpoint.key?.reveal()).toBe(KEY);
    }
  });

  test('headers of a file do not follow to another address, since they may hold a key', async () => {
    const headers = `headers: {authorization: "Bearer ${KEY}"}\n`;
    const world = endpointWorld({ [FILE]: `${url}${headers}` });
    const of = async (address: string) =>
      (await resolved({ flags: { endpoint: 'x', url: address } }, world)).endpoint.headers;
    expect(await of('http://elsewhere.example/v1')).toEqual({});
    expect(await of('http://host.example/v2')).toEqual({ authorization: `Bearer ${KEY}` });
  });

  test('a key in a file that others can read is a warning, one of mode 600 is not', async () => {
    const world = endpointWorld({ [FILE]: `${url}key: ${KEY}\n` });
    const file = join(world.folder, FILE);
    chmodSync(file, 0o644);
    expect((await resolved({ flags: { endpoint: 'x' } }, world)).warnings).toEqual([
      {
        code: 'key-readable',
        message: `others can read the key in this file: \`chmod 600 ${file}\``,
        origin: { file, line: 3 },
      },
    ]);
    chmodSync(file, 0o600);
    expect((await resolved({ flags: { endpoint: 'x' } }, world)).warnings).toEqual([]);
  });

  test('a header may be read from the environment', async () => {
    const world = endpointWorld(
      { [FILE]: `${url}headers: {x-token: $MY_TOKEN}\n` },
      { MY_TOKEN: 't' },
    );
    expect((await resolved({ flags: { endpoint: 'x' } }, world)).endpoint.headers).toEqual({
      'x-token': 't',
    });
  });

  test('a secret shows itself to nobody who does not ask', () => {
    const key = secret(KEY);
    expect(
      [`${key}`, JSON.stringify({ key }), inspect(key), inspect([key]), String(key)].join(),
    ).not.toContain(KEY);
    expect(key.reveal()).toBe(KEY);
  });
});
