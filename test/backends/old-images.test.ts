// Images of tools that pile up in a conversation: over every wire the oldest are told in words, so that requests stay small.

import { describe, expect, test } from 'vitest';
import { loadBackend } from '../../src/backends/index.ts';
import { askContext, fakeRequest } from '../helpers/asking.ts';
import { call, near, output, user } from '../helpers/prompts.ts';

const PICTURE = 'cGljdHVyZQ==';

/** Each tool made one picture. */
const rounds = (count: number) =>
  Array.from({ length: count }, (_, index) => [
    call('look', {}, `t${index}`),
    output('ok', `t${index}`),
    { role: 'image', content: `https://x.example/${index}.png` },
  ]).flat();

describe.each(['openai', 'anthropic', 'responses', 'ollama'])('over the wire of %s', (name) => {
  const sent = async (count: number): Promise<string> => {
    const backend = await loadBackend(name);
    const chat = [user('q'), ...rounds(count)];
    const files = chat.flatMap(({ role, content }) => (role === 'image' ? [content] : []));
    const attachments = new Map(
      files.map((path) => [path, { path, mediaType: 'image/png', base64: PICTURE }]),
    );
    const request = fakeRequest(near({}, { backend: name }), chat, { attachments });
    return JSON.stringify(await backend.wire(request, askContext()));
  };
  const pictures = (body: string) => body.split(PICTURE).length - 1;

  test('the oldest are told in a line each, in steps', async () => {
    const bodies = await Promise.all([20, 21, 30, 31].map(sent));
    expect(bodies.map(pictures)).toEqual([20, 11, 20, 11]);
    expect(bodies[1]).toContain('[an older image of a tool is left out: 9.png]');
    expect(bodies[1]).not.toContain('left out: 10.png');
  });
});
