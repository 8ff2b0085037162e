// Programs that run beside this one and are talked to.

import { describe, expect, test } from 'vitest';
import { processTable } from '../../src/world/process-table.ts';
import { createProcesses } from '../../src/world/processes.ts';

const processes = createProcesses(process.env);

async function open(script: string) {
  const said = { stdout: '', stderr: '' };
  const running = await processes.open('/bin/sh', ['-c', script], {
    env: process.env,
    onStdout: (bytes) => {
      said.stdout += Buffer.from(bytes).toString();
    },
    onStderr: (text) => {
      said.stderr += text;
    },
  });
  return { ...running, said };
}

/** Whether a member of the group runs. */
const isRunning = async (group: number): Promise<boolean> =>
  (await processTable()).some((row) => row.group === group);

describe('a program beside this one', () => {
  test('takes lines and gives them back, and ends with its input', async () => {
    const { write, close, ended, said, pid } = await open(
      'while read -r line; do echo "got $line"; done',
    );
    await write('one\n');
    await write('two\n');
    await close(2000);
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(said.stdout).toBe('got one\ngot two\n');
    expect(await isRunning(pid)).toBe(false);
  });

  test('tells how it ended when it ends by itself, with what it said last', async () => {
    const { ended, said, write, close } = await open('echo "no module" >&2; exit 3');
    expect(await ended).toEqual({ code: 3, signal: null });
    expect(said.stderr).toBe('no module\n');
    await expect(write('too late\n')).rejects.toThrow();
    await close(0);
  });

  test('is ended with all that came from it when it ignores the end of its input', async () => {
    const { close, ended, pid } = await open('sleep 300 & sleep 300 & wait');
    await Promise.all([close(50), close(50)]);
    expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
    expect(await isRunning(pid)).toBe(false);
  });

  test('that is not there rejects', async () => {
    const options = { env: process.env, onStdout: () => {}, onStderr: () => {} };
    await expect(processes.open('no-such-program-here', [], options)).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});
