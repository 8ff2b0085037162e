// Compiles chats of a temporary folder as the commands do, and keeps the warnings.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../../src/chat/compile.ts';
import { parse } from '../../src/chat/parse.ts';
import type { ConfigSetting, Grant } from '../../src/chat/types.ts';
import { type CompileOptions, compilePorts } from '../../src/config/ports.ts';
import { Failure } from '../../src/errors.ts';
import type { Chat, Warning } from '../../src/types.ts';
import { createWorld, type RunOptions } from './run.ts';

export interface Compiled {
  readonly chat: Chat;
  readonly warnings: readonly Warning[];
  readonly configured: readonly ConfigSetting[];
  readonly grants: readonly Grant[];
}

/** Compiles messages that stand in `file` of the folder. The messages are frozen before. */
export async function compileMessages(
  folder: string,
  messages: Chat,
  file: string | undefined = 'main.chat',
  options: Omit<CompileOptions, 'warn'> & Pick<RunOptions, 'env'> = {},
): Promise<Compiled> {
  const warnings: Warning[] = [];
  const world = createWorld(folder, { env: { SCOUT_HOME: join(folder, 'home'), ...options.env } });
  const compiling = compilePorts(world, { ...options, warn: (warning) => warnings.push(warning) });
  const chat = await compile(
    deepFreeze(messages),
    compiling.ports,
    file === undefined ? {} : { file },
  );
  return { chat, warnings, configured: compiling.configured, grants: compiling.grants };
}

/** Compiles a file of the folder. */
export function compileFile(
  folder: string,
  file: string,
  options?: Parameters<typeof compileMessages>[3],
): Promise<Compiled> {
  const text = readFileSync(join(folder, file), 'utf8');
  return compileMessages(folder, parse(text, { file }), file, options);
}

/** What a reader of the messages sees. */
export const plain = (chat: Chat) => chat.map(({ role, content }) => ({ role, content }));

/** The Failure that the work ends with. */
export async function failureOf(work: Promise<unknown> | (() => unknown)): Promise<Failure> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('it should have failed');
}

/** `file:line` of a failure. */
export function placeOf({ at }: Failure): string {
  if (typeof at === 'string' || at === undefined) return String(at);
  return `${at.file}:${at.line}`;
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const each of Object.values(value)) deepFreeze(each);
  }
  return value;
}
