// The threads of the built program answer what the same code answers here.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerLogs, type LogQuestion } from '../../src/prov/log-reader.ts';
import { fileVersion, packSeen } from '../../src/prov/seen.ts';
import { createFilesNow } from '../../src/world/files-now.ts';
import { factsOf } from '../../src/world/read-file.ts';
import { createWorkers } from '../../src/world/workers.ts';
import { packageFolder } from '../helpers/built.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { rounds } from '../helpers/prov.ts';

const workers = createWorkers(join(packageFolder, 'dist/cli'));

function ask(program: string, question: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const worker = workers.start(program, {
      message(answer) {
        worker?.end();
        resolve(answer);
      },
      ended: () => reject(new Error(`${program} ended`)),
    });
    worker?.busy(true);
    worker?.post(question);
    if (worker === undefined) reject(new Error(`no ${program}`));
  });
}

test('a thread reads the logs of jobs', async () => {
  const folder = temporaryFolder({
    'a.files/agent.chat': rounds('one'),
    'a.files/log/deeper/agent.chat': rounds('two', 'three'),
    'b.files/agent.chat': new Uint8Array([0xff, 0xfe, 0, 1]),
  });
  const question: LogQuestion = {
    owners: [
      [join(folder, 'a'), 'directory'],
      [join(folder, 'b'), 'directory'],
    ],
    record: true,
  };
  const answer = JSON.parse(String(await ask('log-reader', question)));
  expect(answer).toEqual(JSON.parse(JSON.stringify(answerLogs(question, createFilesNow()))));
  expect(answer.logs[0]).toHaveLength(2);
  expect(answer.logs[1]).toBeNull();
});

test('a thread looks whether what was seen still holds', async () => {
  const folder = temporaryFolder({ 'a.chat': 'user: a\n' });
  const facts = factsOf(statSync(join(folder, 'a.chat')));
  const seenAs = (size: number) => {
    const files = [[join(folder, 'a.chat'), fileVersion({ ...facts, size })]] as const;
    const { seen } = packSeen({ files, folders: [], real: [] }, () => true);
    return Buffer.from(JSON.stringify(seen[0]));
  };
  expect(await ask('seen-check', seenAs(facts.size))).toBe(true);
  expect(await ask('seen-check', seenAs(facts.size + 1))).toBe(false);
});

test('a program that is not in this build is no thread', () => {
  expect(workers.start('nothing', { message: () => {}, ended: () => {} })).toBeUndefined();
});
