// Stored answers that cannot be used: the folder of another user, a disk with faults. They cost a request, never the answer.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeServer } from '../helpers/fake-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { openaiStream } from '../helpers/openai-replies.ts';
import { runCli } from '../helpers/run.ts';

test.each([
  ['cannot be read', (file: string) => mkdirSync(file)],
  ['is no text', (file: string) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00, 0xd8]))],
])('a stored answer that %s is asked for again, and ends nothing', async (_what, spoil) => {
  const server = await startFakeServer(openaiStream('An answer.'));
  onTestFinished(() => server.close());
  const folder = temporaryFolder({
    'home/.scout/etc/AI/default.yaml': `backend: openai\nurl: ${server.url}/v1\nmodel: m\n`,
  });
  const ask = () => runCli(['ask', 'Hi'], { folder });
  expect((await ask()).code).toBe(0);
  const answers = join(folder, 'home/.scout/var/cache/ask');
  const name = readdirSync(answers, { recursive: true, encoding: 'utf8' }).find((each) =>
    each.endsWith('.chat'),
  );
  const file = join(answers, name ?? 'none');
  rmSync(file);
  spoil(file);
  expect(await ask()).toMatchObject({ code: 0, stdout: 'An answer.\n' });
  expect(server.requests).toHaveLength(2);
});
