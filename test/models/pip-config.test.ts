import { describe, expect, it } from 'vitest';
import {
  type PipMachine,
  parseIni,
  pipConfigFiles,
  readPipSettings,
} from '../../src/models/pip-config.ts';
import { createFiles } from '../../src/world/files.ts';
import { temporaryFolder } from '../helpers/folder.ts';

describe('the places of pip settings', () => {
  const rows: readonly {
    name: string;
    machine: PipMachine;
    there?: { named?: boolean; support?: boolean };
    files: readonly string[];
  }[] = [
    {
      name: 'Linux: the machine, then the user in the old and the new place',
      machine: { os: 'linux', env: { HOME: '/home/u' } },
      files: [
        '/etc/xdg/pip/pip.conf',
        '/etc/pip.conf',
        '/home/u/.pip/pip.conf',
        '/home/u/.config/pip/pip.conf',
      ],
    },
    {
      name: 'Linux: XDG folders are followed',
      machine: {
        os: 'linux',
        env: { HOME: '/home/u', XDG_CONFIG_DIRS: '/a:/b', XDG_CONFIG_HOME: '/conf' },
      },
      files: [
        '/a/pip/pip.conf',
        '/b/pip/pip.conf',
        '/etc/pip.conf',
        '/home/u/.pip/pip.conf',
        '/conf/pip/pip.conf',
      ],
    },
    {
      name: 'a virtual environment comes after the user',
      machine: { os: 'linux', env: { HOME: '/home/u', VIRTUAL_ENV: '/venv' } },
      files: [
        '/etc/xdg/pip/pip.conf',
        '/etc/pip.conf',
        '/home/u/.pip/pip.conf',
        '/home/u/.config/pip/pip.conf',
        '/venv/pip.conf',
      ],
    },
    {
      name: 'a named file that is there stands in for those of the user',
      machine: { os: 'linux', env: { HOME: '/home/u', PIP_CONFIG_FILE: '/my.conf' } },
      there: { named: true },
      files: ['/etc/xdg/pip/pip.conf', '/etc/pip.conf', '/my.conf'],
    },
    {
      name: 'the null device turns all files off',
      machine: { os: 'linux', env: { HOME: '/home/u', PIP_CONFIG_FILE: '/dev/null' } },
      there: { named: true },
      files: [],
    },
    {
      name: 'macOS without a folder for pip below Application Support',
      machine: { os: 'darwin', env: { HOME: '/Users/u' } },
      files: [
        '/Library/Application Support/pip/pip.conf',
        '/Users/u/.pip/pip.conf',
        '/Users/u/.config/pip/pip.conf',
      ],
    },
    {
      name: 'macOS with one',
      machine: { os: 'darwin', env: { HOME: '/Users/u' } },
      there: { support: true },
      files: [
        '/Library/Application Support/pip/pip.conf',
        '/Users/u/.pip/pip.conf',
        '/Users/u/Library/Application Support/pip/pip.conf',
      ],
    },
    {
      name: 'Windows',
      machine: {
        os: 'win32',
        env: {
          USERPROFILE: 'C:\\Users\\u',
          APPDATA: 'C:\\Users\\u\\AppData\\Roaming',
          PROGRAMDATA: 'C:\\ProgramData',
        },
      },
      files: [
        'C:\\ProgramData\\pip\\pip.ini',
        'C:\\Users\\u\\pip\\pip.ini',
        'C:\\Users\\u\\AppData\\Roaming\\pip\\pip.ini',
      ],
    },
  ];
  for (const { name, machine, there, files } of rows)
    it(name, () => {
      expect(pipConfigFiles(machine, { named: false, support: false, ...there })).toEqual(files);
    });
});

describe('an INI text', () => {
  const rows: readonly {
    name: string;
    text: string;
    sections: Record<string, Record<string, string>>;
  }[] = [
    {
      name: 'both signs between key and value',
      text: '[a]\nk = v\nl: w',
      sections: { a: { k: 'v', l: 'w' } },
    },
    {
      name: 'a value with signs of its own',
      text: '[a]\nurl = http://u:p@h/?a=b',
      sections: { a: { url: 'http://u:p@h/?a=b' } },
    },
    {
      name: 'keys in any case, with underscores',
      text: '[a]\nIndex_URL = x',
      sections: { a: { 'index-url': 'x' } },
    },
    {
      name: 'comments and empty lines',
      text: '# c\n[a]\n; d\n\nk = v # kept',
      sections: { a: { k: 'v # kept' } },
    },
    {
      name: 'a value that goes on',
      text: '[a]\nk =\n  one\n  two\nl = w',
      sections: { a: { k: 'one\ntwo', l: 'w' } },
    },
    {
      name: 'CRLF and a byte order mark',
      text: '\ufeff[a]\r\nk = v\r\n',
      sections: { a: { k: 'v' } },
    },
    {
      name: 'a section that comes twice',
      text: '[a]\nk = 1\n[b]\nm = 2\n[a]\nk = 3',
      sections: { a: { k: '3' }, b: { m: '2' } },
    },
    {
      name: 'lines that are nothing',
      text: 'k = outside\n[a]\nnothing\nk = v',
      sections: { a: { k: 'v' } },
    },
  ];
  for (const { name, text, sections } of rows)
    it(name, () => {
      const read = [...parseIni(text)].map(([title, values]) => [
        title,
        Object.fromEntries(values),
      ]);
      expect(Object.fromEntries(read)).toEqual(sections);
    });
});

describe('settings without an installed pip', () => {
  const rows: readonly {
    name: string;
    files?: Record<string, string>;
    env?: Record<string, string>;
    settings: unknown;
  }[] = [
    { name: 'nothing is known', settings: { indexes: [] } },
    {
      name: 'the index of the user',
      files: { 'home/.config/pip/pip.conf': '[global]\nindex-url = http://one/simple' },
      settings: { indexes: ['http://one/simple'] },
    },
    {
      name: 'the section of the command wins over the general one',
      files: {
        'home/.config/pip/pip.conf':
          '[download]\nindex-url = http://two\n[global]\nindex-url = http://one',
      },
      settings: { indexes: ['http://two'] },
    },
    {
      name: 'further indexes come after, in lines or words',
      files: {
        'home/.config/pip/pip.conf':
          '[global]\nindex-url = http://one\nextra-index-url =\n  http://two\n  http://three http://four',
      },
      settings: { indexes: ['http://one', 'http://two', 'http://three', 'http://four'] },
    },
    {
      name: 'the environment wins over files',
      files: { 'home/.config/pip/pip.conf': '[global]\nindex-url = http://one\ncert = /a.pem' },
      env: { PIP_INDEX_URL: 'http://env', PIP_EXTRA_INDEX_URL: 'http://more' },
      settings: { indexes: ['http://env', 'http://more'], certificates: '/a.pem' },
    },
    {
      name: 'no-index leaves none',
      env: { PIP_INDEX_URL: 'http://env', PIP_NO_INDEX: '1' },
      settings: { indexes: [] },
    },
    {
      name: 'a virtual environment wins over the user',
      files: {
        'home/.config/pip/pip.conf': '[global]\nindex-url = http://one',
        'venv/pip.conf': '[global]\nindex-url = http://venv',
      },
      env: { VIRTUAL_ENV: '@/venv' },
      settings: { indexes: ['http://venv'] },
    },
  ];
  for (const { name, files = {}, env = {}, settings } of rows)
    it(name, async () => {
      const folder = temporaryFolder({ 'home/': '', ...files });
      const placed = Object.entries(env).map(([key, value]) => [key, value.replace('@', folder)]);
      const machine = {
        os: 'linux',
        // The machine's own files must not count here.
        env: { HOME: `${folder}/home`, XDG_CONFIG_DIRS: folder, ...Object.fromEntries(placed) },
      };
      const real = createFiles();
      const own = {
        ...real,
        stat: async (path: string) => (path.startsWith(folder) ? real.stat(path) : undefined),
      };
      expect(await readPipSettings(machine, own)).toEqual(settings);
    });
});
