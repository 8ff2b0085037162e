// What a model thinks, as a person and as a pipe see it.

import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from '../../src/chat/parse.ts';
import { onTerminal, packageFolder, shell } from '../helpers/built.ts';
import { screen } from '../terminal/screen.ts';
import { wireHome } from '../wires/home.ts';

const THINKING = {
  thinking: ['\n\nFirst ', 'tho', 'ught\u001b[31m red\u0007', '.\nSecond line\n'],
};
const DIM = '\u001b[2m';

const REPLIES = [
  { content: [THINKING, { text: 'Let me **look**.' }, { call: 'nothing' }] },
  {
    content: [
      { thinking: 'More of it.' },
      { text: 'The answer' },
      { thinking: 'Wait.' },
      { text: ' is here.' },
    ],
  },
];

async function home() {
  const made = await wireHome({ replies: REPLIES });
  const env = { HOME: path.join(made.folder, 'home'), FAKE_KEY: 'k' };
  return { ...made, surroundings: { cwd: made.folder, env } };
}

const CHAT = path.join(packageFolder, 'bin/chat.js');
const ASK = ['ask', '--no-cache', '-e', 'openai'];

describe('thinking', () => {
  it('is shown dim on a terminal with -v, each in lines of its own, and obeyed by nothing', async () => {
    const { surroundings } = await home();
    const { output } = await onTerminal(
      process.execPath,
      [CHAT, ...ASK, '-v', 'Look.'],
      surroundings,
    );
    expect(output).toContain(`${DIM}First`);
    expect(output).not.toContain('\u001b[31m');
    const lines = screen(output, 80);
    expect(lines.filter((line) => !/^(?:tokens|failed|$)/.test(line))).toEqual([
      ...['First thought␛[31m red␇.', 'Second line', 'Let me look.'],
      ...['More of it.', 'The answer', 'Wait.', 'is here.'],
    ]);
  });

  it('is plain with NO_COLOR', async () => {
    const { surroundings } = await home();
    const { output } = await onTerminal(process.execPath, [CHAT, ...ASK, '-v', 'Look.'], {
      ...surroundings,
      env: { ...surroundings.env, NO_COLOR: '1' },
    });
    expect(output).toContain('Second line');
    expect(output).not.toContain(DIM);
  });

  it('is not shown without -v, nor with -q', async () => {
    for (const flags of [[], ['-v', '-q']]) {
      const { surroundings } = await home();
      const args = [CHAT, ...ASK, ...flags, 'Look.'];
      const { output } = await onTerminal(process.execPath, args, surroundings);
      expect(output).toContain('is here.');
      expect(output).not.toMatch(/thought|More of it|Wait/);
    }
  });

  it('goes to standard error of a pipe without escape codes, and to the meta', async () => {
    const { surroundings, folder } = await home();
    const { stdout, stderr, code } = await shell(
      'chat ask --no-cache -e openai -v -c c.chat "Look."',
      surroundings,
    );
    expect([code, stdout]).toEqual([0, 'Let me **look**.\nThe answer is here.\n']);
    expect(stderr).not.toContain('\u001b');
    expect(stderr.split('\n')).toEqual(
      expect.arrayContaining(['First thought␛[31m red␇.', 'Second line', 'More of it.', 'Wait.']),
    );
    const metas = parse(readFileSync(path.join(folder, 'c.chat'), 'utf8')).filter(
      ({ role }) => role === 'meta',
    );
    expect(metas.map(({ content }) => /reas="?([^"=]*)/.exec(content)?.[1]?.slice(0, 12))).toEqual([
      'First though',
      'More of it.W',
    ]);
  });
});
