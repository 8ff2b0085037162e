// Where things are kept and looked for.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folders } from '../../src/config/folders.ts';
import { find, searchPath } from '../../src/config/search.ts';
import { createFiles } from '../../src/world/files.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { createWorld } from '../helpers/run.ts';

const files = createFiles();
const one = (home: string) => ({
  config: home,
  data: home,
  state: join(home, 'var'),
  cache: join(home, 'var', 'cache'),
});
const xdg = (home: string) => ({
  config: join(home, '.config/scout'),
  data: join(home, '.local/share/scout'),
  state: join(home, '.local/state/scout'),
  cache: join(home, '.cache/scout'),
});

describe('folders', () => {
  test('SCOUT_HOME wins', async () => {
    const home = temporaryFolder({ '.scout/': '' });
    expect(await folders({ HOME: home, SCOUT_HOME: '/own' }, files)).toEqual(one('/own'));
  });

  test('the folder shared with scout-ai is used when it is there', async () => {
    const home = temporaryFolder({ '.scout/': '' });
    expect(await folders({ HOME: home }, files)).toEqual(one(join(home, '.scout')));
  });

  test('else the XDG folders of the name scout', async () => {
    const home = temporaryFolder();
    expect(await folders({ HOME: home }, files)).toEqual(xdg(home));
    const env = {
      HOME: home,
      XDG_CONFIG_HOME: '/c',
      XDG_DATA_HOME: '/d',
      XDG_STATE_HOME: '/s',
      XDG_CACHE_HOME: '/k',
    };
    expect(await folders(env, files)).toEqual({
      config: '/c/scout',
      data: '/d/scout',
      state: '/s/scout',
      cache: '/k/scout',
    });
  });

  test('empty and relative values count as unset', async () => {
    const home = temporaryFolder();
    const env = {
      HOME: home,
      SCOUT_HOME: '',
      XDG_CONFIG_HOME: 'relative',
      XDG_DATA_HOME: '',
      XDG_CACHE_HOME: './x',
    };
    expect(await folders(env, files)).toEqual(xdg(home));
    expect(await folders({ HOME: home, SCOUT_HOME: 'relative' }, files)).toEqual(xdg(home));
  });

  test('a file called .scout is not taken for the folder', async () => {
    const home = temporaryFolder({ '.scout': '' });
    expect(await folders({ HOME: home }, files)).toEqual(xdg(home));
  });

  test('without HOME they are absolute all the same', async () => {
    for (const folder of Object.values(await folders({}, files))) expect(folder).toMatch(/^\//);
  });
});

describe('search path', () => {
  test("the working directory's folder, the user's, the package's", async () => {
    const folder = temporaryFolder();
    const world = {
      ...createWorld(folder, { env: { SCOUT_HOME: '/own' } }),
      packageFolder: '/pkg',
    };
    expect(await searchPath('chats', world)).toEqual([
      join(folder, 'chats'),
      '/own/chats',
      '/pkg/chats',
    ]);
  });

  test('with the XDG folders: configuration, data, and state for var', async () => {
    const folder = temporaryFolder();
    const world = { ...createWorld(folder), packageFolder: '/pkg' };
    const home = join(folder, 'home');
    expect(await searchPath('etc', world)).toEqual([
      join(folder, 'etc'),
      join(home, '.config/scout/etc'),
      join(home, '.local/share/scout/etc'),
      '/pkg/etc',
    ]);
    expect(await searchPath('var', world)).toEqual([
      join(folder, 'var'),
      join(home, '.local/state/scout/var'),
      '/pkg/var',
    ]);
  });

  test('the first place that has the name', async () => {
    const folder = temporaryFolder({ 'home/etc/AI/x.yaml': '' });
    const world = createWorld(folder, { env: { SCOUT_HOME: join(folder, 'home') } });
    expect(await find('etc', 'AI/x.yaml', world)).toEqual({
      path: join(folder, 'home/etc/AI/x.yaml'),
    });
    expect(await find('etc', 'AI/y.yaml', world)).toMatchObject({
      tried: expect.arrayContaining([join(folder, 'etc/AI/y.yaml')]),
    });
  });
});
