// The completion scripts in the shells that they are for.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onTerminal, shell } from '../helpers/built.ts';
import { type Tree, temporaryFolder, writeTree } from '../helpers/folder.ts';

const files: Tree = {
  'notes.chat': '',
  'two words.chat': '',
  'other.txt': '',
  'chats/': '',
  'etc/AI/lab.yaml': 'backend: openai\n',
  'Agent/Reader/start_chat': 'system: Read.\n',
  'workflows/Counting.yaml': 'tasks: {lines: {command: [wc, -l]}}\n',
  // A name is only ever a name.
  'etc/AI/la$(touch owned).yaml': 'backend: openai\n',
};

interface Case {
  readonly name: string;
  /** The last word is the one to complete. */
  readonly line: readonly string[];
  /** All of these are offered. */
  readonly offers: readonly string[];
  /** None of these is. */
  readonly not?: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: 'commands',
    line: ['chat', ''],
    offers: ['ask', 'print', 'endpoint', 'completion'],
    not: ['list'],
  },
  { name: 'the beginning of a command', line: ['chat', 'end'], offers: ['endpoint'], not: ['ask'] },
  {
    name: 'commands of a group',
    line: ['chat', 'endpoint', ''],
    offers: ['list', 'test'],
    not: ['ask'],
  },
  { name: 'options of a command', line: ['chat', 'doctor', '--j'], offers: ['--json'] },
  { name: 'global options', line: ['chat', 'doctor', '--co'], offers: ['--color'] },
  {
    name: 'global options before the command',
    line: ['chat', '--ver'],
    offers: ['--version', '--verbose'],
  },
  {
    name: 'a command behind a global option',
    line: ['chat', '--debug', 'doc'],
    offers: ['doctor'],
  },
  {
    name: 'values of an option',
    line: ['chat', 'doctor', '--color', 'a'],
    offers: ['auto', 'always'],
    not: ['never'],
  },
  {
    name: 'values of an argument',
    line: ['chat', 'completion', ''],
    offers: ['bash', 'zsh', 'fish'],
  },
  { name: 'endpoints', line: ['chat', 'ask', '-e', 'la'], offers: ['lab'] },
  { name: 'endpoints as an argument', line: ['chat', 'endpoint', 'test', 'lo'], offers: ['local'] },
  { name: 'chats before other files', line: ['chat', 'print', 'n'], offers: ['notes.chat'] },
  {
    name: 'commands and topics of the help',
    line: ['chat', 'help', 'en'],
    offers: ['endpoint', 'endpoints'],
  },
  { name: 'backends', line: ['chat', 'ask', '-b', 'ol'], offers: ['ollama'] },
  {
    name: 'commands of the short form agent',
    line: ['agent', ''],
    offers: ['ask', 'list', 'find'],
    not: ['doctor'],
  },
  { name: 'options of the short form prov', line: ['prov', '--cos'], offers: ['--cost'] },
  {
    name: 'any file where a file is meant',
    line: ['chat', 'ask', '-f', 'o'],
    offers: ['other.txt'],
  },
  {
    name: 'any file where a job is meant',
    line: ['chat', 'task', 'info', ''],
    offers: ['other.txt', 'notes.chat'],
  },
  {
    name: 'a chat behind the name of an agent, and no agent again',
    line: ['chat', 'agent', 'ask', 'Reader', 'n'],
    offers: ['notes.chat'],
    not: ['Reader'],
  },
  {
    name: 'no workflow again where a task stands',
    line: ['chat', 'task', 'run', 'Counting', 'C'],
    offers: [],
    not: ['Counting'],
  },
  {
    name: 'the first argument behind the value of an option',
    line: ['chat', 'task', 'run', '--jobs', 'folder', 'C'],
    offers: ['Counting'],
  },
  {
    name: 'an argument that may be repeated again',
    line: ['chat', 'task', 'serve', 'Counting', 'C'],
    offers: ['Counting'],
  },
  {
    name: 'the first argument of the short form agent',
    line: ['agent', 'find', 'R'],
    offers: ['Reader'],
  },
];

describe('bash completes', () => {
  const complete = async (line: readonly string[], folder: string) => {
    const words = line.map((word) => `'${word}'`).join(' ');
    const { stdout, stderr } = await shell(
      `source <(chat completion bash)
       COMP_WORDS=(${words}); COMP_CWORD=${line.length - 1}
       "$(complete -p ${line[0]} | sed 's/.*-F //; s/ .*//')"; printf '%s\\n' "\${COMPREPLY[@]}"`,
      { cwd: folder },
    );
    expect(stderr).toBe('');
    return stdout.split('\n');
  };

  for (const { name, line, offers, not = [] } of cases)
    test(name, async () => {
      const offered = await complete(line, temporaryFolder(files));
      expect(offered).toEqual(expect.arrayContaining([...offers]));
      for (const word of not) expect(offered).not.toContain(word);
    });

  test('a value behind an equals sign, which arrives as words of its own', async () => {
    const offered = await complete(['chat', 'doctor', '--color', '=', 'al'], temporaryFolder());
    expect(offered).toContain('always');
    expect(await complete(['chat', 'doctor', '--color', '='], temporaryFolder())).toContain(
      'never',
    );
  });

  test('chats with spaces, and folders, but no other files beside them', async () => {
    const offered = await complete(['chat', 'print', ''], temporaryFolder(files));
    expect(offered).toEqual(expect.arrayContaining(['notes.chat', 'two words.chat', 'chats']));
    expect(offered).not.toContain('other.txt');
  });

  test('the name of a file that holds a command without running it', async () => {
    const folder = temporaryFolder(files);
    await complete(['chat', 'ask', '-e', 'la'], folder);
    expect((await shell('ls', { cwd: folder })).stdout).not.toContain('owned');
  });

  test('and is registered for chat', async () => {
    const { stdout } = await shell('source <(chat completion bash); complete -p chat');
    expect(stdout).toBe('complete -F _chat_complete chat\n');
  });
});

describe('fish completes', () => {
  for (const { name, line, offers, not = [] } of cases)
    test(name, async (context) => {
      if ((await shell('command -v fish')).code !== 0) return context.skip('fish is not installed');
      const folder = temporaryFolder({ ...files, 'home/': '' });
      const { stdout, stderr } = await shell(
        `chat completion fish | source; complete -C '${line.join(' ')}'`,
        {
          cwd: folder,
          env: { HOME: `${folder}/home` },
          program: ['fish', '--no-config'],
        },
      );
      expect(stderr).toBe('');
      const offered = stdout.split('\n').map((each) => each.split('\t')[0]);
      expect(offered).toEqual(expect.arrayContaining([...offers]));
      for (const word of not) expect(offered).not.toContain(word);
    });
});

describe('zsh completes', () => {
  for (const { name, line, offers, not = [] } of cases)
    test(name, async (context) => {
      if ((await shell('command -v zsh')).code !== 0) return context.skip('zsh is not installed');
      const folder = temporaryFolder({ ...files, 'home/': '' });
      const offered = await zshOffers(line, folder);
      expect(offered).toEqual(expect.arrayContaining([...offers]));
      for (const word of not) expect(offered).not.toContain(word);
    });
});

/** Writes every match that is added to a file, and ends the shell after the first completion. */
const ZSHRC = `
autoload -Uz compinit && compinit -u -d $DUMP
source <(chat completion zsh)
compadd() {
  local -a matches
  if [[ \${@[1,(i)(-|--)]} != *-(O|A|D)" "* ]]; then
    builtin compadd -A matches "$@"
    print -rl -- $matches >> $OFFERS
  fi
  builtin compadd "$@"
}
comppostfuncs=(exit)
PROMPT='ready> '
`;

/** What compinit found, for all tests: looking takes half a second. */
const DUMP = join(temporaryFolder(), 'zcompdump');

/** What zsh offers for a line, in a real interactive shell. */
async function zshOffers(line: readonly string[], folder: string): Promise<readonly string[]> {
  const offers = join(folder, 'home/offers');
  writeTree(folder, { 'home/.zshrc': ZSHRC, 'home/offers': '' });
  let typed = false;
  await onTerminal('zsh', ['-i'], {
    cwd: folder,
    env: { HOME: join(folder, 'home'), OFFERS: offers, DUMP },
    type(output) {
      // The line editor is there when it has switched bracketed paste on.
      if (typed || !/ready> .*\x1b\[\?2004h/s.test(output)) return undefined;
      typed = true;
      return `${line.join(' ')}\t`;
    },
  });
  return readFileSync(offers, 'utf8').split('\n');
}
