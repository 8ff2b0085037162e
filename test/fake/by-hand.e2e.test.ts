// The fake providers as people start them: what is printed leads there, and each request is told in a line that holds no key and no text.

import { spawn } from 'node:child_process';
import * as path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { environment, packageFolder, shell } from '../helpers/built.ts';
import { temporaryFolder, writeTree } from '../helpers/folder.ts';

/** Starts one; `until` waits until it has printed the mark, and resolves with everything so far. */
function started(args: readonly string[]) {
  const child = spawn(process.execPath, [path.join(packageFolder, 'test/fake/run.js'), ...args], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  let told: () => void = () => {};
  const listen = (text: string) => {
    printed += text;
    told();
  };
  child.stdout.setEncoding('utf8').on('data', listen);
  child.stderr.setEncoding('utf8').on('data', listen);
  child.on('close', () => told());
  return {
    async until(mark: string): Promise<string> {
      while (!printed.includes(mark) && child.exitCode === null)
        await new Promise<void>((resolve) => {
          told = resolve;
        });
      return printed;
    },
  };
}

for (const wire of ['anthropic', 'openai', 'responses', 'ollama'])
  it(`${wire}: the printed endpoint answers`, async () => {
    const fake = started([wire, path.join(packageFolder, 'fixtures/fake/weather.yaml')]);
    const printed = await fake.until(wire === 'ollama' ? '1b\n\n' : 'export FAKE_KEY');
    const endpoint = /^backend: (?:.+\n)+/m.exec(printed)?.[0] ?? '';
    const folder = temporaryFolder();
    writeTree(folder, { 'home/.scout/etc/AI/fake.yaml': endpoint });
    const run = await shell('chat ask --no-cache -e fake -m fake-large "Which weather?"', {
      cwd: folder,
      env: { HOME: path.join(folder, 'home'), FAKE_KEY: 'planted-key' },
    });
    expect([run.stderr, run.stdout]).toEqual(['', 'Light rain until noon, then dry.\n']);
    const lines = await fake.until('200 ok');
    expect(lines).toMatch(
      /^POST \S+ fake-large 1 messages, \d+ tokens \(0 cached\), \d+ out → 200 ok$/m,
    );
    expect(lines).not.toMatch(/planted-key|Which weather/);
  });

it('a scenario that is none is an error in one line', async () => {
  const folder = temporaryFolder({ 'bad.yaml': '- txt: x\n' });
  const printed = await started(['openai', path.join(folder, 'bad.yaml')]).until('\n');
  expect(printed).toMatch(/^\S+bad\.yaml: a reply has no "txt"; keys: .*\n$/);
});
