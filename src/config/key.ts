// Where the key of an endpoint comes from: the environment, the output of a command, or the endpoint file itself.

import { configFailure, errorWords, Failure } from '../errors.ts';
import type { Processes } from '../world/types/processes.ts';
import type { Environment } from '../world/types/world.ts';
import type { EndpointFields } from './builtin.ts';
import { secret } from './secret.ts';
import { keptBack } from './trust.ts';
import type { Secret } from './types.ts';

export interface KeyWorld {
  readonly env: Environment;
  readonly processes: Processes;
  readonly signal: AbortSignal;
}

export interface KeySource {
  /** What the key is for, in words; `endpoint` when absent. */
  readonly kind?: string;
  readonly name: string;
  /** The file, or `built-in`. */
  readonly source: string;
  readonly fields: Pick<EndpointFields, 'key' | 'key_env' | 'key_cmd'>;
  /** Whether a command may be run: not one that a folder brought along without being asked for. */
  readonly mayRun: boolean;
  /** Whether a variable may be read; all may when absent. */
  readonly mayRead?: (variable: string) => boolean;
  /** It stands in the place of another one of its name. */
  readonly shadows?: boolean;
}

const KEY_CMD_TIMEOUT = 120_000;

/** The key, or undefined when the endpoint needs none. A missing one is a configuration Failure (exit 3) that names the variable. */
export async function resolveKey(source: KeySource, world: KeyWorld): Promise<Secret | undefined> {
  const { key, key_env, key_cmd } = source.fields;
  const variable = variableOf(source.fields);
  if (variable !== undefined) return fromEnvironment(variable, source, world.env);
  if (key !== undefined && key_env === undefined) return usable(key, source, 'the key');
  if (key_cmd === undefined) return undefined;
  return usable(await fromCommand(key_cmd, source, world), source, `the output of \`${key_cmd}\``);
}

const called = ({ kind = 'endpoint', name }: KeySource): string => `${kind} "${name}"`;

/** The environment variable that holds the key, when one does. */
export function variableOf({ key, key_env }: KeySource['fields']): string | undefined {
  if (key?.startsWith('$')) return key.replace(/^\$\{?/, '').replace(/\}$/, '');
  return key === undefined ? key_env : undefined;
}

/** How the key is set, for people: never the key itself. */
export function keyStatus(fields: KeySource['fields'], env: Environment): string {
  const variable = variableOf(fields);
  if (variable !== undefined)
    return isSet(env[variable]) ? `set from ${variable}` : `missing ${variable}`;
  if (fields.key !== undefined) return 'set in the file';
  return fields.key_cmd === undefined ? 'none needed' : 'from a command';
}

export const isSet = (value: string | undefined): value is string =>
  value !== undefined && value.trim() !== '';

function fromEnvironment(variable: string, source: KeySource, env: Environment): Secret {
  const value = env[variable];
  if (source.mayRead?.(variable) === false) throw keptBack(`${variable} is not sent`, source);
  if (isSet(value)) return usable(value, source, `the value of ${variable}`);
  throw configFailure(
    'missing-key',
    `${variable} is not set: ${called(source)} needs its key there`,
    {
      at: source.source,
      next:
        source.kind === undefined
          ? `export ${variable}=…, or choose another endpoint with -e (\`chat endpoint list\` shows them)`
          : `export ${variable}=…`,
    },
  );
}

/** Header values hold visible ASCII; the message never shows the key. */
function usable(value: string, source: KeySource, what: string): Secret {
  const key = value.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return secret(key);
  throw configFailure(
    'bad-key',
    `${what} is no key for ${called(source)}: ${key === '' ? 'it is empty' : 'it holds spaces, line ends or letters that no key has'}`,
    { at: source.source },
  );
}

async function fromCommand(command: string, source: KeySource, world: KeyWorld): Promise<string> {
  const refuse = (why: string, cause?: unknown) =>
    configFailure('key-command', `key_cmd of ${called(source)} ${why}: \`${command}\``, {
      at: source.source,
      next: 'run the command by hand and see what it says',
      ...(cause === undefined ? {} : { cause }),
    });
  if (!source.mayRun) throw keptBack(`\`${command}\` is not run`, source);
  const { parseArgsStringToArgv } = await import('string-argv');
  const [program, ...args] = parseArgsStringToArgv(command);
  if (program === undefined) throw refuse('is empty');
  const result = await world.processes
    .run(program, args, { signal: world.signal, timeout: KEY_CMD_TIMEOUT })
    .catch((error: unknown) => {
      if (world.signal.aborted || error instanceof Failure) throw error;
      throw refuse(`cannot be run (${errorWords(error)})`, error);
    });
  if (result.code === 0) return result.stdout;
  throw refuse(
    result.code === null ? `was ended by ${result.signal}` : `failed with status ${result.code}`,
  );
}
