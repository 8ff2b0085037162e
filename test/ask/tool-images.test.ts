// Images that tools made: kept beside the chat, or refused with a note that the model reads.

import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { expect, test } from 'vitest';
import { imageKeeper, keepImages } from '../../src/ask/tool-images.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { createWorld } from '../helpers/run.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = (base64: string) => ({ mediaType: 'image/png', base64 });

test('an image is named relative to the chat, or by its whole path, and is what its bytes say', async () => {
  const folder = temporaryFolder();
  const world = createWorld(folder);
  const name = /^x\.chat\.files\/images\/[0-9a-f]{20}\.png$/;
  const near = await imageKeeper({ saveFile: 'deep/x.chat', relative: true }, world)(image(PNG));
  expect(near.message.content).toMatch(name);
  expect(existsSync(path.join(folder, 'deep', near.message.content))).toBe(true);
  expect(near.attachment).toMatchObject({ mediaType: 'image/png', base64: PNG });
  const far = await imageKeeper({ saveFile: 'deep/x.chat', relative: false }, world)(image(PNG));
  expect(far.message.content).toBe(path.join(folder, 'deep', near.message.content));
});

test.each([
  ['no image at all', 'bm8=', /of an unknown kind/],
  ['nothing', '', /is empty/],
  ['a PDF', Buffer.from('%PDF-1.4\n').toString('base64'), /application\/pdf/],
])('%s is a note', async (_, base64, why) => {
  const keep = imageKeeper({ saveFile: 'x.chat', relative: true }, createWorld(temporaryFolder()));
  const { images, notes } = await keepImages([image(base64), image(PNG)], keep);
  expect(images).toHaveLength(1);
  expect(notes).toHaveLength(1);
  expect(notes[0]).toMatch(why);
  expect(notes[0]).toMatch(/^\[image 1 is not attached: /);
});

test('a backend that takes none gets notes', async () => {
  const { images, notes } = await keepImages([image(PNG)], undefined);
  expect(images).toEqual([]);
  expect(notes).toEqual(['[image 1 is not attached: this backend takes no images]']);
});

test('more than four of a result are noted', async () => {
  const keep = imageKeeper({ saveFile: 'x.chat', relative: true }, createWorld(temporaryFolder()));
  const { images, notes } = await keepImages(
    Array.from({ length: 6 }, () => image(PNG)),
    keep,
  );
  expect(images).toHaveLength(4);
  expect(notes).toHaveLength(2);
});
