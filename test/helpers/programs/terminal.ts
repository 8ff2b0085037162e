// Writes to a real terminal what the commands write there: a streamed answer, or a status line among other output.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { markdownStream } from '../../../src/terminal/markdown.ts';
import { progressBar } from '../../../src/terminal/progress.ts';
import { statusLine } from '../../../src/terminal/status.ts';
import { createOutput } from '../../../src/world/output.ts';

const [mode, file = '', size = '3'] = process.argv.slice(2);
const output = createOutput(process.env, undefined);
const clock = { monotonic: () => performance.now() };

async function answer(): Promise<void> {
  const text = readFileSync(file, 'utf8');
  const { push, end } = await markdownStream({
    get columns() {
      return output.stdout.columns;
    },
    colour: output.stdout.colour,
    write: (part) => void output.write(part),
  });
  for (let from = 0; from < text.length; from += Number(size)) {
    push(text.slice(from, from + Number(size)));
    // Lets the terminal draw between two pieces now and then.
    if (from % 50 === 0) await sleep(1);
  }
  end();
}

async function status(): Promise<void> {
  const line = statusLine(output, clock);
  line.set('asking 表');
  await sleep(600);
  line.note('a note');
  await sleep(150);
  line.clear();
  await output.write('the answer\n');
  const bar = progressBar(output, clock, { name: 'm' });
  bar.update(1, 2);
  bar.end();
  // Neither cleared nor ended: its timer must not keep the process alive.
  line.set('forgotten');
}

await (mode === 'answer' ? answer() : status());
