import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_MODEL } from '../../src/models/catalogue.ts';
import { describeModels } from '../../src/models/describe.ts';
import { findModel, listInstalled } from '../../src/models/installed.ts';
import { createFiles } from '../../src/world/files.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { ggufHeader, tinyModel } from '../helpers/wheel.ts';

const gguf = ggufHeader(3, 0, 0);
const catalogue = [tinyModel(gguf), tinyModel(gguf, { name: 'Other' })];

describe('the model that is meant', () => {
  const rows: readonly {
    name: string;
    model: string | undefined;
    finds?: string;
    fails?: Record<string, unknown>;
  }[] = [
    { name: 'a pulled one by its name', model: 'tiny', finds: 'models/tiny.gguf' },
    { name: 'in any case of letters', model: 'TINY', finds: 'models/tiny.gguf' },
    { name: 'a file that was put into the folder', model: 'my-own', finds: 'models/my-own.gguf' },
    { name: 'a path', model: '@/elsewhere/a.gguf', finds: 'elsewhere/a.gguf' },
    { name: 'a path below the home folder', model: '~/a.gguf', finds: 'home/a.gguf' },
    {
      name: 'nothing named and nothing pulled: the default is missing',
      model: undefined,
      fails: { code: 'model-missing', exitCode: 3, next: `chat model pull ${DEFAULT_MODEL}` },
    },
    {
      name: 'one of the catalogue that is not pulled',
      model: 'other',
      fails: { code: 'model-missing', next: 'chat model pull Other' },
    },
    {
      name: 'an unknown name lists what is there',
      model: 'nothing',
      fails: { code: 'model-missing', exitCode: 3, detail: ['pulled: junk, my-own, tiny'] },
    },
    {
      name: 'a path to nothing',
      model: './none.gguf',
      fails: { code: 'model-missing', exitCode: 3 },
    },
    { name: 'a folder', model: '@/models', fails: { code: 'model-missing', exitCode: 3 } },
    {
      name: 'a file that is no GGUF',
      model: '@/elsewhere/junk.gguf',
      fails: {
        code: 'model-unreadable',
        exitCode: 3,
        message: expect.stringContaining('junk.gguf'),
      },
    },
    {
      name: 'the start of a file',
      model: '@/elsewhere/short.gguf',
      fails: { code: 'model-unreadable', message: expect.stringContaining('only the start') },
    },
    {
      name: 'a version that nobody reads any more',
      model: '@/elsewhere/old.gguf',
      fails: { code: 'model-unreadable', message: expect.stringContaining('version 1') },
    },
    {
      name: 'a file that promises more than it holds',
      model: '@/elsewhere/greedy.gguf',
      fails: { code: 'model-unreadable', message: expect.stringContaining('damaged') },
    },
    { name: 'a pulled file that is no GGUF', model: 'junk', fails: { code: 'model-unreadable' } },
  ];
  for (const { name, model, finds, fails } of rows)
    it(name, async () => {
      const folder = temporaryFolder({
        'models/tiny.gguf': gguf,
        'models/my-own.gguf': gguf,
        'models/junk.gguf': '<html>',
        'elsewhere/short.gguf': 'GGUF\x03',
        'elsewhere/old.gguf': ggufHeader(1, 0, 0),
        'elsewhere/greedy.gguf': ggufHeader(3, 7_000_000, 1),
        'models/notes.txt': '',
        'models/incomplete/': '',
        'elsewhere/a.gguf': gguf,
        'elsewhere/junk.gguf': 'junk',
        'home/a.gguf': gguf,
      });
      const world = { files: createFiles(), env: { HOME: join(folder, 'home') } };
      // Without a name the built-in list decides what the default is.
      const list = model === undefined ? undefined : catalogue;
      const found = findModel(model?.replace('@', folder), join(folder, 'models'), world, list);
      if (fails !== undefined) await expect(found).rejects.toMatchObject(fails);
      else expect((await found).path).toBe(join(folder, finds ?? ''));
    });
});

describe('the list of models', () => {
  it('of a folder that is not there is empty', async () => {
    expect(await listInstalled('/nonexistent/models', createFiles())).toEqual([]);
  });

  it('tells what is pulled, damaged, missing, and not of the catalogue', async () => {
    const folder = temporaryFolder({ 'tiny.gguf': gguf, 'Other.gguf': 'short', 'mine.gguf': gguf });
    const rows = await describeModels(folder, createFiles(), [
      ...catalogue,
      tinyModel(gguf, { name: 'Third' }),
    ]);
    expect(rows.map(({ name, state, license }) => [name, state, license])).toEqual([
      ['tiny', 'pulled', 'MIT'],
      ['Other', 'damaged', 'MIT'],
      ['Third', 'not pulled', 'MIT'],
      ['mine', 'pulled', undefined],
    ]);
  });
});
