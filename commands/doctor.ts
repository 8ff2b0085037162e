// Looks at everything that asking depends on, and says what to do about what is not right. Changes nothing.

import { defineCommand } from '../src/cli/spec.ts';
import type { Finding } from '../src/doctor/types.ts';
import { EXIT } from '../src/errors.ts';
import { harmlessJson } from '../src/terminal/neutralise.ts';

export const command = defineCommand({
  path: ['doctor'],
  summary: 'Check the set-up: what would be asked, with what, and what is missing',
  arguments: [],
  options: [{ long: 'json', summary: 'Print the findings as JSON' }],
  details: [
    'It looks at Node, the folders of the program, the endpoint that a question would go to and its key, the embedded model, proxy, certificates, terminal, and locks in the working directory. A key is never shown and nothing is sent to a provider.',
    'Each line begins with "ok", "warn" or "fail". The exit status is 1 when a line says "fail": then asking does not work as things are.',
  ],
  examples: [
    { command: 'chat doctor', does: 'see whether everything is in place' },
    { command: 'chat doctor --json | jq .findings', does: 'the same for a program' },
  ],
  seeAlso: [
    'chat-endpoint-list(1)',
    'chat-endpoint-test(1)',
    'chat-model-pull(1)',
    'chat-endpoints(5)',
  ],
  async run(call, world) {
    const { examine } = await import('../src/doctor/examine.ts');
    const findings = await examine(world);
    const healthy = findings.every(({ status }) => status !== 'fail');
    const { neutralise } = await import('../src/terminal/neutralise.ts');
    const { colour } = world.output.stdout;
    await world.output.write(
      call.flag('json')
        ? `${harmlessJson({ healthy, findings }, 2)}\n`
        : findings.map((finding) => lines(finding, colour, neutralise)).join(''),
    );
    return healthy ? EXIT.ok : EXIT.work;
  },
});

const COLOURS = { ok: 32, warn: 33, fail: 31 } as const;

function lines(
  { area, status, message, next }: Finding,
  colour: boolean,
  harmless: (text: string) => string,
): string {
  const mark = status.padEnd(4);
  const label = colour ? `\x1b[${COLOURS[status]}m${mark}\x1b[0m` : mark;
  const advice = next === undefined ? '' : `${' '.repeat(20)}next: ${harmless(next)}\n`;
  return `${label}  ${area.padEnd(12)}  ${harmless(message)}\n${advice}`;
}
