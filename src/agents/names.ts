// Names of agents and conversations as parts of paths and of tool names. What is returned never leads out of a folder.

import { createHash } from 'node:crypto';

/** Whether a name is safe as it is. A model's names must be. */
export const isSafeName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/.test(name);

/** What names are made of, for people and models. */
export const NAME_RULE =
  'names have letters, digits, "_", "." and "-", begin with a letter or a digit, and have at most 100 characters';

/** The name itself when it is safe; else one made from it that no other name shares. */
export function safeName(name: string): string {
  if (isSafeName(name)) return name;
  const plain = name.replaceAll(/[^A-Za-z0-9_.-]/g, '_').replace(/^[^A-Za-z0-9]+/, '');
  return `${plain.slice(0, 90) || 'agent'}-${digest(name)}`;
}

/** A tool's name, which has no dots and at most 64 characters. */
export function toolName(prefix: string, name: string): string {
  const whole = `${prefix}${name}`;
  if (/^[A-Za-z0-9_-]{1,64}$/.test(whole)) return whole;
  return `${whole.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 55)}_${digest(name)}`;
}

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 8);
