// A fake server by hand: prints where it is, an endpoint file to paste, and one line for each request. Ends with Ctrl-C.

import { parseArgs } from 'node:util';
import { fields, list } from '../../src/json.ts';
import { readScenario, toScenario } from './scenario.ts';
import { startFake, type Turn, WIRES } from './server.ts';
import type { WireName } from './types.ts';

const USAGE = `usage: npm run fake -- ${Object.keys(WIRES).join('|')} [SCENARIO.yaml] [--port N]\n`;

/** Starts the server of a command line; resolves with an exit status when there is nothing to start. */
export async function runFake(argv: readonly string[]): Promise<number | undefined> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { port: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  const [name = '', file] = positionals;
  if (values.help || !Object.hasOwn(WIRES, name)) {
    (values.help ? process.stdout : process.stderr).write(USAGE);
    return values.help ? 0 : 2;
  }
  const scenario = file === undefined ? toScenario([]) : readScenario(file);
  const fake = await startFake(name as WireName, scenario, {
    port: Number(values.port ?? 0),
    onTurn: (turn) => process.stdout.write(`${line(turn)}\n`),
  });
  const usesKey = fake.endpoint().includes('FAKE_KEY');
  process.stdout.write(`${name} at ${fake.url}\n\netc/AI/fake.yaml:\n\n${fake.endpoint()}\n`);
  if (usesKey) process.stdout.write(`export FAKE_KEY=${scenario.key || 'any'}\n\n`);
  return undefined;
}

/** Never a header or a text of a request. */
function line({ request, status, violation, tokens, reply }: Turn): string {
  const { model, messages, input } = fields(request.json);
  const length = list(messages ?? input).length;
  const counts =
    tokens === undefined
      ? ''
      : `, ${tokens.prompt} tokens (${tokens.cached} cached), ${tokens.completion} out`;
  const result = violation ?? (reply?.error === undefined ? 'ok' : reply.error.message);
  return `${request.method} ${request.path.split('?')[0]} ${String(model)} ${length} messages${counts} → ${status} ${result}`;
}
