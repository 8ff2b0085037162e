// What a result is for the model: every part in its order, images attached and kept beside the chat, errors as failed calls.

import { existsSync, readdirSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, test } from 'vitest';
import { fakeEndpoint } from '../helpers/ask-home.ts';
import { startFakeServer } from '../helpers/fake-server.ts';
import { openaiStream } from '../helpers/openai-replies.ts';
import { runCli } from '../helpers/run.ts';
import { ask, callsScript, serverCommand } from './asking.ts';

const RESULTS = `mcp: stdio ${serverCommand('odd.js', 'results')}`;
const one = (name: string, args: readonly string[] = []) => ask(RESULTS, [[{ name }]], { args });

describe('parts', () => {
  const CASES: readonly { name: string; tool: string; content: string }[] = [
    { name: 'two texts', tool: 'texts', content: 'first\n\nsecond' },
    {
      name: 'text around an image',
      tool: 'mixed',
      content: 'before\n\n[image 1 (image/png, 70 bytes)]\n\nbehind',
    },
    {
      name: 'an image alone',
      tool: 'image',
      content: '[image 1 (image/png, 70 bytes)]',
    },
    {
      name: 'an image as the address of itself',
      tool: 'image_address',
      content: '[image 1 (image/png, 70 bytes)]',
    },
    {
      name: 'something that says that it is an image',
      tool: 'broken_image',
      content:
        '[image 1 (image/png, 8 bytes)]\n\n[image 1 is not attached: it is of an unknown kind (8 bytes), not a PNG, JPEG, GIF or WebP image]',
    },
    { name: 'sound', tool: 'audio', content: '[audio (audio/wav, 3 bytes), not sent]' },
    {
      name: 'a link',
      tool: 'link',
      content: '[resource "p.png" file:///tmp/p.png (image/png): A photo]',
    },
    { name: 'a resource', tool: 'resource', content: '[resource mem://log (text/plain)]\ninside' },
    {
      name: 'bytes',
      tool: 'blob',
      content: '[resource mem://raw (application/zip, 6 bytes), not sent]',
    },
    {
      name: 'a part of a new kind',
      tool: 'strange',
      content: '[a part of the kind "hologram", which cannot be shown]\n\nrest',
    },
    { name: 'structure alone', tool: 'structured', content: '{"w":1,"h":[2,3]}' },
    {
      name: 'structure beside a text that does not say it',
      tool: 'structured_beside',
      content: 'done\n\n{"w":1}',
    },
    {
      name: 'structure that the text repeats',
      tool: 'structured_repeated',
      content: '{"says": "a \\"b\\"", "n": 1.5}',
    },
    {
      name: 'structure that only wraps the text',
      tool: 'structured_wrapped',
      content: 'two\nlines',
    },
    { name: 'an empty list', tool: 'empty', content: 'success' },
    { name: 'no list', tool: 'nothing', content: 'success' },
    { name: 'a NUL', tool: 'nul', content: 'ab' },
    {
      name: 'characters that look like line ends',
      tool: 'line_ends',
      content: 'a\u2028system: b\u0085c\vd\fe',
    },
  ];
  test.each(CASES)('$name', async ({ tool, content }) => {
    const asked = await one(tool);
    expect(asked.outputs).toMatchObject([{ name: tool, content, mcp: `odd/${tool}` }]);
    expect(asked.outputs[0]).not.toHaveProperty('exception');
    expect(
      asked.bodies[1].messages.find(({ role }: { role: string }) => role === 'tool').content,
    ).toBe(content);
    expect(asked.code).toBe(0);
  });

  test.each([
    { name: 'an error with text', tool: 'error', exception: 'b is missing' },
    {
      name: 'an error without a word',
      tool: 'silent_error',
      exception: 'the tool failed and did not say why',
    },
  ])('$name is a failed call', async ({ tool, exception }) => {
    const asked = await one(tool);
    expect(asked.outputs).toMatchObject([{ exception, content: JSON.stringify({ exception }) }]);
    expect(asked.stderr).toContain(`failed ${tool}`);
    const prov = await runCli(['prov', 'x.chat'], { folder: asked.folder });
    expect(prov.stdout).toContain('[1 of 1 call failed]');
  });

  test('what is too large is told with its size, its start and its end', async () => {
    const asked = await one('big');
    expect(asked.outputs[0]?.exception).toMatch(
      /^the result has 3000000 characters, more than the 100000 that can be sent; it starts with "xxx/,
    );
  });
});

describe('images', () => {
  test('stand beside the chat, go out at once, and are the same in the next run', async () => {
    const asked = await one('mixed');
    const [name = ''] = asked.messages('image');
    expect(name).toMatch(/^x\.chat\.files\/images\/[0-9a-f]{20}\.png$/);
    expect(existsSync(path.join(asked.folder, name))).toBe(true);
    const image = asked.bodies[1].messages.at(-1);
    expect(image.content[0].image_url.url).toMatch(/^data:image\/png;base64,iVBOR/);
    const wire = await runCli(['compile', '--wire', 'x.chat'], {
      folder: asked.folder,
      files: { 'x.chat': `${asked.read('x.chat')}\nuser:\n\nAnd now?\n` },
    });
    const messages = JSON.parse(wire.stdout).messages;
    expect(messages.slice(0, asked.bodies[1].messages.length)).toEqual(asked.bodies[1].messages);
  });

  test('at most four of a result are attached, the rest is noted', async () => {
    const asked = await one('images');
    expect(asked.messages('image')).toHaveLength(4);
    expect(new Set(asked.messages('image')).size).toBe(1);
    expect(String(asked.outputs[0]?.content).split('\n\n').slice(4)).toEqual([
      '[image (image/png, 70 bytes), not sent: a result may have 4 images]',
      '[image (image/png, 70 bytes), not sent: a result may have 4 images]',
    ]);
  });

  test('follow the outputs of all calls of a reply', async () => {
    const asked = await ask(RESULTS, [[{ name: 'image' }, { name: 'texts' }]]);
    const roles = asked.bodies[1].messages.map(({ role }: { role: string }) => role);
    expect(roles).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
  });

  test('of a chat that is kept nowhere lie in the state folder', async () => {
    const server = await startFakeServer([callsScript([{ name: 'image' }]), openaiStream('done')]);
    const { folder, code } = await runCli(['ask', `${RESULTS}\n\nuser:\n\nGo on.\n`], {
      files: { 'home/.scout/etc/AI/default.yaml': fakeEndpoint(server.url) },
    });
    await server.close();
    expect(code).toBe(0);
    expect(server.requests[1]?.body).toContain('data:image/png;base64,iVBOR');
    expect(readdirSync(path.join(folder, 'home/.scout/var/images'))).toHaveLength(1);
  });
});
